package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.kernel.wire.CompletionArgument;
import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.methods.ResourceMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.source.ResourceSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Answer;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Documents as resources, one for each name: its newest accepted version with the beginning of its text, else the record of its newest.
 * Read through the tools, with the same permissions.
 */
final class DocumentResources implements ResourceSource {
    private static final String LIST = "DC_List";
    private static final String READ = "DC_Read";
    private static final String SCHEME = "engine://documents/";
    private static final String TEMPLATE = SCHEME + "{document}";
    private static final String TITLE = "Document, with its text";

    /** The name in the log of changes. */
    private static final String KIND = "document";

    private static final int MAX_NAME = 255;

    private final ToolRunner runner;

    DocumentResources(ToolRunner runner) {
        this.runner = runner;
    }

    @Override
    public ListPage list(@Nullable String cursor, int limit, McpRequest request) {
        var arguments = Json.object().put("newest", true);
        var page = arguments.putObject("page").put("limit", limit);
        if (cursor != null) {
            page.put("cursor", cursor);
        }
        var answer = run(LIST, arguments, request);
        if (answer.isEmpty()) {
            return ListPage.whole(List.of());
        }
        var items = documents(answer.get()).stream()
                .map(DocumentResources::resource)
                .toList();
        var next = answer.get().envelope().path("next_cursor").asString("");
        return new ListPage(items, next.isEmpty() ? null : next);
    }

    private static List<JsonNode> documents(Answer answer) {
        return answer.envelope().path("documents").valueStream().toList();
    }

    private static ObjectNode resource(JsonNode document) {
        var name = document.path("name").asString("");
        var type = document.path("media_type").asString("");
        return Json.object()
                .put("uri", SCHEME + encoded(name))
                .put("name", name)
                .put(
                        "description",
                        "Document%s, version %d, %s"
                                .formatted(
                                        type.isEmpty() ? "" : " (%s)".formatted(type),
                                        document.path("version").asLong(),
                                        document.path("state").asString("")))
                .put("mimeType", "application/json");
    }

    private static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public List<ObjectNode> templates(McpRequest request) {
        return List.of(Json.object()
                .put("uriTemplate", TEMPLATE)
                .put("name", KIND)
                .put("title", TITLE)
                .put("description", TITLE + ", as " + READ + " reads it; a long text in part.")
                .put("mimeType", "application/json"));
    }

    /** Empty when the URI is not of this form. */
    private static Optional<String> name(String uri) {
        if (!uri.startsWith(SCHEME)) {
            return Optional.empty();
        }
        try {
            var part = uri.substring(SCHEME.length()).replace("+", "%2B");
            return Optional.of(URLDecoder.decode(part, StandardCharsets.UTF_8))
                    .filter(name -> !name.isBlank() && name.length() <= MAX_NAME && !part.contains("/"));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public Optional<MethodResult> read(String uri, McpRequest request) {
        return name(uri).flatMap(name -> find(name, request)).map(answer -> {
            request.ran(uri);
            var contents = answer.envelope().deepCopy().without(List.of("header", "status"));
            return MethodResult.done(
                    ResourceMethods.text(uri, "application/json", Json.text(contents)),
                    new MethodResult.Caching(0, false));
        });
    }

    /** A document without an accepted version has no text yet. */
    private Optional<Answer> find(String name, McpRequest request) {
        var withText = runner.run(request(READ, arguments(name).put("part", "text"), request));
        return withText.problem() != null && withText.problem().failure() == Failure.CONFLICT
                ? run(READ, arguments(name), request)
                : EngineResources.seen(withText);
    }

    private static ObjectNode arguments(String name) {
        return Json.object().put("id", name);
    }

    private static ToolRunner.Request request(String tool, ObjectNode arguments, McpRequest request) {
        return EngineResources.request(tool, arguments, request, request.budget())
                .readOnly(true);
    }

    private Optional<Answer> run(String tool, ObjectNode arguments, McpRequest request) {
        return EngineResources.seen(runner.run(request(tool, arguments, request)));
    }

    @Override
    public Optional<String> canonical(String uri) {
        return name(uri).map(name -> SCHEME + encoded(Name.key(name)));
    }

    @Override
    public Optional<SubscribedChange> changes(String uri, McpRequest request) {
        return name(uri)
                .flatMap(name -> EngineResources.seen(runner.runUncounted(request(READ, arguments(name), request))))
                .map(answer -> answer.envelope().at("/document/name").asString(""))
                .map(name -> new SubscribedChange(request.caller().tenant(), KIND, List.of(Name.key(name))));
    }

    @Override
    public Optional<List<String>> complete(String template, CompletionArgument completion, McpRequest request) {
        if (!template.equals(TEMPLATE)) {
            return Optional.empty();
        }
        if (!completion.argument().equals(KIND)) {
            return Optional.of(List.of());
        }
        var arguments = Json.object().put("newest", true);
        if (!completion.value().isBlank()) {
            arguments.put("prefix", completion.value().strip());
        }
        arguments.putObject("page").put("limit", Limits.PAGE);
        return Optional.of(run(LIST, arguments, request).stream()
                .flatMap(answer -> documents(answer).stream())
                .map(document -> document.path("name").asString(""))
                .toList());
    }
}
