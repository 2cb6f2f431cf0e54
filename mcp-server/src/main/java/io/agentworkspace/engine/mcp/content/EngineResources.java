package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.content.EngineUri.UriKind;
import io.agentworkspace.engine.mcp.methods.ResourceMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ResourceSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Serves agents, domains, zones and banks as resources. They are read through the tools, with the same permissions. */
final class EngineResources implements ResourceSource {
    private final ToolRunner runner;
    private final List<ResourceKind> kinds;

    EngineResources(ToolRunner runner) {
        this.runner = runner;
        this.kinds = ResourceKind.ALL.stream()
                .filter(kind -> runner.catalogue().find(kind.readTool()).isPresent())
                .toList();
    }

    /** Lists agents, then domains, then banks, each in the order of its list tool. */
    @Override
    public ListPage list(@Nullable String cursor, int limit, McpRequest request) {
        var at = cursor == null ? List.of("0", "") : Cursor.read(cursor, 2);
        var listed = kinds.stream().filter(ResourceKind::isListed).toList();
        var items = new ArrayList<ObjectNode>();
        var budget = request.budget().forCall();
        var first = number(at.get(0), listed.size());
        for (var i = first; i < listed.size(); i++) {
            var kind = listed.get(i);
            var inner = i == first ? at.get(1) : "";
            var records = (limit - items.size()) / kind.shownAs();
            if (records == 0 || budget.left() < ResponseBudget.LEAST) {
                return new ListPage(items, Cursor.of(Integer.toString(i), inner));
            }
            var page = page(kind, inner, records, request, budget);
            items.addAll(page.items());
            budget.spend(ResponseBudget.size(page.items()));
            if (page.next() != null) {
                return new ListPage(items, Cursor.of(Integer.toString(i), page.next()));
            }
        }
        return ListPage.whole(items);
    }

    private static int number(String text, int limit) {
        try {
            var number = Integer.parseUnsignedInt(text);
            if (number < Math.max(1, limit)) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Handled below, like any other invalid cursor.
        }
        throw Cursor.invalid();
    }

    private ListPage page(ResourceKind kind, String cursor, int records, McpRequest request, ResponseBudget budget) {
        var arguments = Json.object();
        var page = arguments.putObject("page").put("limit", records);
        if (!cursor.isEmpty()) {
            page.put("cursor", cursor);
        }
        var answer = run(kind.listTool(), arguments, request, budget);
        if (answer.isEmpty()) {
            return ListPage.whole(List.of());
        }
        var items = new ArrayList<ObjectNode>();
        for (var record : answer.get().envelope().path("profile")) {
            items.addAll(kind.resources(record));
        }
        var next = answer.get().envelope().path("next_cursor").asString("");
        return new ListPage(items, next.isEmpty() ? null : next);
    }

    @Override
    public List<ObjectNode> templates(McpRequest request) {
        return kinds.stream().map(ResourceKind::template).toList();
    }

    @Override
    public Optional<MethodResult> read(String uri, McpRequest request) {
        return EngineUri.find(uri).flatMap(address -> read(uri, address, request));
    }

    private Optional<MethodResult> read(String uri, EngineUri address, McpRequest request) {
        return kind(address.kind())
                .flatMap(kind -> run(kind.readTool(), kind.target(address.names()), request))
                .map(answer -> {
                    request.ran(uri);
                    var contents = answer.envelope().deepCopy().without(List.of("header", "status"));
                    return MethodResult.done(
                            ResourceMethods.text(uri, "application/json", Json.text(contents)),
                            new MethodResult.Caching(0, false));
                });
    }

    private Optional<ResourceKind> kind(UriKind kind) {
        return kinds.stream().filter(resource -> resource.kind() == kind).findFirst();
    }

    /** Runs a tool. Empty if the caller may not see the resource: hidden and absent resources look alike. */
    private Optional<Answer> run(String tool, ObjectNode arguments, McpRequest request) {
        return run(tool, arguments, request, request.budget());
    }

    private Optional<Answer> run(String tool, ObjectNode arguments, McpRequest request, ResponseBudget budget) {
        return seen(runner.run(request(tool, arguments, request, budget)
                .readOnly(request.selection().readOnly())));
    }

    /** Runs a tool for an access check, which does not count as a call of the subscriber. */
    private Optional<Answer> fetch(String tool, ObjectNode arguments, McpRequest request) {
        return seen(runner.runUncounted(
                request(tool, arguments, request, request.budget()).readOnly(true)));
    }

    static ToolRunner.Request request(String tool, ObjectNode arguments, McpRequest request, ResponseBudget budget) {
        return new ToolRunner.Request(tool, arguments, request.caller(), request.requestId(), true, null)
                .within(budget);
    }

    /** Returns the answer; empty if the caller may not see the resource. */
    static Optional<Answer> seen(Answer answer) {
        var problem = answer.problem();
        if (problem == null) {
            return Optional.of(answer);
        }
        return switch (problem.failure()) {
            case NOT_FOUND, NOT_PERMITTED, NO_CONTEXT, RULE_REFUSED -> Optional.empty();
            default -> throw problem;
        };
    }

    @Override
    public Optional<String> canonical(String uri) {
        return EngineUri.find(uri).map(EngineUri::canonical);
    }

    /**
     * Returns the change to subscribe to. The check is not counted as a call and marks no messages as read. A censored
     * bank has no content, so it has no changes.
     */
    @Override
    public Optional<SubscribedChange> changes(String uri, McpRequest request) {
        return EngineUri.find(uri)
                .filter(address -> isSeen(address, request))
                .map(address -> address.change(request.caller().tenant()));
    }

    private boolean isSeen(EngineUri address, McpRequest request) {
        var kind = kind(address.kind());
        if (kind.isEmpty()) {
            return false;
        }
        if (kind.get().looksByList()) {
            var name = address.names().getLast();
            var arguments = kind.get().search(address.names());
            return fetch(kind.get().listTool(), arguments, request)
                    .map(answer -> answer.envelope()
                            .path("profile")
                            .valueStream()
                            .anyMatch(record ->
                                    Name.key(record.path("name").asString("")).equals(name.key())))
                    .orElse(false);
        }
        return fetch(kind.get().readTool(), kind.get().preview(address.names()), request)
                .filter(answer -> !answer.envelope()
                        .path("profile")
                        .path(0)
                        .path("state")
                        .asString("")
                        .equals("censored"))
                .isPresent();
    }

    @Override
    public Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest request) {
        var match = kinds.stream()
                .filter(kind -> kind.template().get("uriTemplate").asString().equals(template))
                .findFirst();
        if (match.isEmpty()) {
            return Optional.empty();
        }
        var kind = ResourceKind.ALL.stream()
                .filter(one -> one.kind().name().toLowerCase(Locale.ROOT).equals(completion.argument()))
                .findFirst();
        try {
            return Optional.of(kind.map(one -> names(one, completion, request)).orElse(List.of()));
        } catch (Problem problem) {
            if (problem.failure() == Failure.INVALID_FIELD) {
                return Optional.of(List.of()); // No name can begin like this.
            }
            throw problem;
        }
    }

    private List<String> names(ResourceKind kind, CompletionArgument completion, McpRequest request) {
        var prefix = Name.key(completion.value().strip());
        return kind.candidates(completion)
                .flatMap(arguments -> run(kind.listTool(), arguments, request))
                .map(answer -> answer.envelope()
                        .path("profile")
                        .valueStream()
                        .map(record -> record.path("name").asString(""))
                        .filter(name -> Name.key(name).startsWith(prefix))
                        .toList())
                .orElse(List.of());
    }
}
