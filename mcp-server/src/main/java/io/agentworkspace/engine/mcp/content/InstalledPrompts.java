package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.PromptSource;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/** The prompts of installed servers. They are listed from the database and got from their servers. */
final class InstalledPrompts implements PromptSource {
    private final InstalledRequests requests;

    InstalledPrompts(InstalledRequests requests) {
        this.requests = requests;
    }

    @Override
    public List<ObjectNode> list(McpRequest request) {
        return requests.contents(request)
                .flatMap(content -> content.prompts().stream())
                .toList();
    }

    @Override
    public Optional<MethodResult> get(String name, ObjectNode arguments, McpRequest request) {
        return requests.contents(request)
                .flatMap(content -> content
                        .getting(name, arguments)
                        .map(meant -> requests.run(meant, UnaryOperator.identity(), name, request))
                        .stream())
                .findFirst();
    }

    @Override
    public Optional<List<String>> complete(String prompt, CompletionArgument completion, McpRequest request) {
        return requests.contents(request)
                .flatMap(content -> content
                        .completingPrompt(
                                prompt, InstalledRequests.argument(completion), InstalledRequests.context(completion))
                        .map(meant -> requests.values(meant, request))
                        .stream())
                .findFirst();
    }
}
