package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Failure;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Schema;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The methods that work the same in every lane: they return the offer in the protocol's terms. */
final class Methods {
    static final List<String> COMMON = List.of(
            "tools/list",
            "tools/call",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "prompts/list",
            "prompts/get",
            "completion/complete");

    private final Offer offer;
    private final Tools tools;
    private final Resources resources;
    private final Prompts prompts;
    private final Completions completions;
    private final List<Extension> extensions;

    Methods(Offer offer, Tasks tasks, Clock clock) {
        this.offer = offer;
        this.tools = new Tools(offer.tools(), tasks, clock);
        this.resources = new Resources(offer.resources());
        this.prompts = new Prompts(offer.prompts());
        this.completions = new Completions(offer);
        this.extensions = new ArrayList<>(offer.extensions());
        this.extensions.add(new TasksExtension(tasks));
    }

    Offer offer() {
        return offer;
    }

    Resources resources() {
        return resources;
    }

    Tools tools() {
        return tools;
    }

    /** All methods of this endpoint, including those of the extensions for clients of this revision. */
    List<String> names(boolean stateless) {
        var names = new ArrayList<>(COMMON);
        extensions(stateless).forEach(extension -> names.addAll(extension.methods()));
        return names;
    }

    private Stream<Extension> extensions(boolean stateless) {
        return extensions.stream().filter(extension -> stateless || !extension.isForDeclaringClients());
    }

    Optional<Extension> extension(String method) {
        return extensions.stream()
                .filter(extension -> extension.methods().contains(method))
                .findFirst();
    }

    /** @throws RpcError when it cannot be carried out */
    Outcome serve(String method, ObjectNode params, Turn turn) {
        turn.ran(method);
        try {
            checkTexts(method, params);
            var outcome = switch (method) {
                case "tools/list" -> tools.list(params, turn);
                case "tools/call" -> tools.call(params, turn);
                case "resources/list" -> resources.list(params, turn);
                case "resources/templates/list" -> resources.templates(params);
                case "resources/read" -> resources.read(params, turn);
                case "prompts/list" -> prompts.list(params, turn);
                case "prompts/get" -> prompts.get(params, turn);
                case "completion/complete" -> completions.complete(params, turn);
                default -> extended(method, turn).serve(method, params, turn);
            };
            // What a tool answers has been measured before anything was done.
            if (outcome instanceof Outcome.Done done && !method.startsWith("tools/") && !method.startsWith("tasks/")) {
                turn.budget().sentOnce().check(done.result());
            }
            return outcome;
        } catch (Problem problem) {
            throw error(problem, turn.requestId());
        }
    }

    /** Any text in the params may be looked up; a tool's arguments are validated by its schema. */
    static void checkTexts(String method, ObjectNode params) {
        for (var param : params.properties()) {
            if (!(method.equals("tools/call") && param.getKey().equals("arguments"))) {
                checkTexts(param.getValue(), "params." + Name.shortened(param.getKey()));
            }
        }
    }

    private static void checkTexts(JsonNode value, String path) {
        if (value.isString()) {
            Schema.checkCharacters(path, value.asString());
        }
        value.propertyNames().forEach(name -> Schema.checkCharacters(path, name));
        value.forEach(part -> checkTexts(part, path));
    }

    private Extension extended(String method, Turn turn) {
        var extension = extension(method).orElseThrow(() -> RpcError.unknownMethod(method, COMMON, turn.requestId()));
        if (extension.isForDeclaringClients() && !turn.client().extensions().contains(extension.identifier())) {
            throw RpcError.missingExtension(extension.identifier());
        }
        return extension;
    }

    static RpcError error(Problem problem, String requestId) {
        return switch (problem.failure()) {
            case UNAVAILABLE, INTERNAL, RATE_LIMITED -> RpcError.internal(problem, requestId);
            default -> RpcError.invalidParams(problem, requestId);
        };
    }

    /** The capabilities of a server, as {@code initialize} and {@code server/discover} declare them. */
    ObjectNode capabilities() {
        var capabilities = Json.object();
        capabilities.putObject("completions");
        capabilities.putObject("logging");
        capabilities.putObject("prompts").put("listChanged", true);
        capabilities.putObject("resources").put("subscribe", true).put("listChanged", true);
        capabilities.putObject("tools").put("listChanged", true);
        return capabilities;
    }

    /** The extensions, as declared to clients of this revision. */
    ObjectNode declared(boolean stateless) {
        var declared = Json.object();
        extensions(stateless).forEach(extension -> declared.set(extension.identifier(), extension.settings()));
        return declared;
    }

    ObjectNode serverInfo() {
        var identity = offer.identity();
        return Json.object()
                .put("name", identity.name())
                .put("title", identity.title())
                .put("version", identity.version());
    }

    /** A text in the params. */
    static String text(ObjectNode params, String name) {
        var value = params.get(name);
        if (value == null || value.isNull()) {
            throw Problem.missing("params." + name);
        }
        if (!value.isString()) {
            throw Problem.wrongType("params." + name, "a string");
        }
        return value.asString();
    }

    /** An object in the params; empty if missing. */
    static ObjectNode object(ObjectNode params, String name) {
        var value = params.get(name);
        if (value == null || value.isNull()) {
            return Json.object();
        }
        if (value instanceof ObjectNode object) {
            return object;
        }
        throw Problem.wrongType("params." + name, "an object");
    }

    /** The cursor in the params, if there is one. */
    static Optional<String> cursor(ObjectNode params) {
        var value = params.get("cursor");
        if (value == null || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isString() || value.asString().length() > 4_000) {
            throw new Problem(Failure.INVALID_FIELD, "params.cursor is not a nextCursor that this list gave out");
        }
        return Optional.of(value.asString());
    }

    static Outcome page(String field, Portion portion, Outcome.Caching caching) {
        var result = Json.object();
        var items = result.putArray(field);
        portion.items().forEach(items::add);
        if (portion.next() != null) {
            result.put("nextCursor", portion.next());
        }
        return Outcome.done(result, caching);
    }
}
