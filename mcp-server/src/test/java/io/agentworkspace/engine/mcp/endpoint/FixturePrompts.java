package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.PromptSource;
import io.agentworkspace.engine.model.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** The prompts of the conformance scenarios. */
final class FixturePrompts implements PromptSource {
    private final Map<String, List<String>> arguments = new LinkedHashMap<>();

    FixturePrompts() {
        arguments.put("test_simple_prompt", List.of());
        arguments.put("test_prompt_with_arguments", List.of("arg1", "arg2"));
        arguments.put("test_prompt_with_embedded_resource", List.of("resourceUri"));
        arguments.put("test_prompt_with_image", List.of());
        arguments.put("test_input_required_result_prompt", List.of());
    }

    @Override
    public List<ObjectNode> list(McpRequest turn) {
        return arguments.keySet().stream().map(this::prompt).toList();
    }

    private ObjectNode prompt(String name) {
        var prompt = Json.object().put("name", name).put("description", "A fixture.");
        var list = prompt.putArray("arguments");
        arguments
                .get(name)
                .forEach(argument -> list.addObject()
                        .put("name", argument)
                        .put("description", "An argument.")
                        .put("required", true));
        return prompt;
    }

    @Override
    public Optional<MethodResult> get(String name, ObjectNode arguments, McpRequest turn) {
        return switch (name) {
            case "test_simple_prompt" -> messages(Fixtures.text("This is a simple prompt for testing."));
            case "test_prompt_with_arguments" ->
                messages(Fixtures.text("Prompt with arguments: arg1='%s', arg2='%s'"
                        .formatted(
                                arguments.path("arg1").asString(""),
                                arguments.path("arg2").asString(""))));
            case "test_prompt_with_embedded_resource" ->
                messages(
                        Fixtures.resource(
                                arguments.path("resourceUri").asString(""),
                                "text/plain",
                                "Embedded resource content for testing."),
                        Fixtures.text("Please process the embedded resource above."));
            case "test_prompt_with_image" ->
                messages(Fixtures.image(), Fixtures.text("Please analyze the image above."));
            case "test_input_required_result_prompt" -> asking(turn);
            default -> Optional.empty();
        };
    }

    private static Optional<MethodResult> asking(McpRequest turn) {
        var context =
                turn.accepted("user_context").map(form -> form.path("context").asString(""));
        return context.isPresent()
                ? messages(Fixtures.text("In the context of " + context.get()))
                : Optional.of(FixtureQuestions.ask(
                        "user_context", FixtureQuestions.form("What context should the prompt use?", """
                        {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}"""), null));
    }

    private static Optional<MethodResult> messages(ObjectNode... contents) {
        var result = Json.object();
        var messages = result.putArray("messages");
        Stream.of(contents)
                .forEach(content -> messages.addObject().put("role", "user").set("content", content));
        return Optional.of(MethodResult.done(result));
    }

    @Override
    public Optional<List<String>> complete(String prompt, CompletionArgument completion, McpRequest turn) {
        return arguments.containsKey(prompt)
                ? Optional.of(Stream.of("paris", "park", "party")
                        .filter(value -> value.startsWith(completion.value()))
                        .toList())
                : Optional.empty();
    }
}
