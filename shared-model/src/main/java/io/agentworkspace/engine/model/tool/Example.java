package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Field;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Arguments that a tool can be called with: the required ones, and others that a first call would include. The
 * examples of all tools form one story in which each can succeed: an example uses things that earlier examples
 * create.
 */
public final class Example {
    /**
     * The values that a tool sets in its own example.
     *
     * @param values by the path of a field, such as {@code vx.name}
     * @param omitted the paths of fields that the example leaves out
     */
    public record OwnFields(Map<String, String> values, Set<String> omitted) {}

    /** A complete skill, tide-tables, as a zip in base64. */
    private static final String ARCHIVE =
            "UEsDBBQAAAAIAAAAIQAkyyNgfAAAAJ0AAAAIAAAAU0tJTEwubWQljbEOwjAMBfd8xduYkg8oG0hsLIjOyCWmsWgTFBvy+wQ63XDS"
                    + "nffeZVp5gElkbzQtrC6y3qu8TEoecGGK+tfYdMCoDDG0xBmkT454lIokc0LnUhoaGdfgfM+fJEdYYiSqU3nXnW4dNLGE8+H2G+wx"
                    + "y6cPZGWFZIzXY3BfUEsBAhQDFAAAAAgAAAAhACTLI2B8AAAAnQAAAAgAAAAAAAAAAAAAAKSBAAAAAFNLSUxMLm1kUEsFBgAAAAAB"
                    + "AAEANgAAAKIAAAAAAA==";

    private static final String KEY = "4uVt2kPq8ZxT";
    private static final String INVITATION = "7kQm2pXv9LbT";
    private static final String ENDPOINT = "6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11";
    /** The id of the delivery in the examples. */
    public static final String DELIVERY = "0197f1d0-c5a8-7d2e-9c41-5b1a6f3e2d10";

    private static final String QUESTION = "81530462-7719-8204-8365-902714463850";
    private static final String TASK = "3f6a0b18-7c2d-4e95-b1a4-58d2c9e07f36";
    private static final String RULE = "2c9d7a54-8e1f-4b36-a0c7-91d3f5e8b642";
    private static final String URL = "https://example.com/hooks";

    /** The values of fields, by the tool's family and the field's path, or by the path alone. */
    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("target.user", "maria"),
            Map.entry("target.agent", "scout"),
            Map.entry("target.domain", "harbour"),
            Map.entry("target.bank", "field-notes"),
            Map.entry("target.zone", "main"),
            Map.entry("target.context", "default"),
            Map.entry("agent.vx.description", "Watches the tide tables and warns of low water."),
            Map.entry("domain.vx.description", "Where the crew talks about the day."),
            Map.entry("zone.vx.description", "What happens after dark."),
            Map.entry("bank.vx.description", "What was seen at the shore."),
            Map.entry("agent.vx.name", "scout"),
            Map.entry("domain.vx.name", "harbour"),
            Map.entry("bank.vx.name", "field-notes"),
            Map.entry("zone.vx.name", "night-watch"),
            Map.entry("user.vx.name", "maria"),
            Map.entry("task.vx.name", "Paint the boat"),
            Map.entry("task.vx.description", "Two coats of blue, above the water line."),
            Map.entry("task.task", TASK),
            Map.entry("question", QUESTION),
            Map.entry("skill.name", "first-steps"),
            Map.entry("since", "2026-05-25T12:00:00.000Z"),
            Map.entry("vx.profile", "You are terse and give times in UTC."),
            Map.entry("vx.access", "private"),
            Map.entry("key.id", KEY),
            Map.entry("webhook.id", ENDPOINT),
            Map.entry("rule.id", RULE),
            Map.entry("rule.name", "short-messages"),
            Map.entry("name", "tide report"),
            Map.entry("agent", "scout"),
            Map.entry("archive", ARCHIVE),
            Map.entry("url", URL),
            Map.entry("event_type", "webhook.test"),
            Map.entry("content", "Low water at 06:12 tomorrow."));

    private static final Map<String, String> LISTED =
            Map.of("capabilities", "agent:read", "events", "agent.deployment.created");

    private static final List<StandIn> STAND_INS = List.of(
            new StandIn("the id that AK_List shows", KEY),
            new StandIn("the id that AK_Invitations shows", INVITATION),
            new StandIn("the id that WH_List shows", ENDPOINT),
            new StandIn("the id that RL_List shows", RULE),
            new StandIn("the id that TK_List shows", TASK),
            new StandIn("the id that AP_Ask returns", QUESTION),
            new StandIn("the id that WH_Deliveries shows", DELIVERY),
            new StandIn("the address of your receiver", URL));

    private final Tool<?, ?> tool;

    private Example(Tool<?, ?> tool) {
        this.tool = tool;
    }

    public static ObjectNode arguments(Tool<?, ?> tool) {
        var example = new Example(tool);
        var arguments = Json.object();
        Field.of(tool.inputSchema().json()).stream()
                .filter(example::belongs)
                .forEach(field -> example.put(arguments, field));
        return arguments;
    }

    /**
     * A value in an example that readers must replace with their own before they send it.
     *
     * @param own what to use instead: "the id that AK_List shows"
     * @param word the placeholder
     */
    public record StandIn(String own, String word) {}

    /** Returns the value to replace; empty if the example can be sent unchanged. */
    public static Optional<StandIn> standIn(Tool<?, ?> tool) {
        var values =
                arguments(tool).valueStream().map(value -> value.asString("")).toList();
        return STAND_INS.stream()
                .filter(stands -> values.contains(stands.word()))
                .findFirst();
    }

    /** Returns the path of the tool's own route, with a query if the arguments cannot be in a body. */
    public static String address(Tool<?, ?> tool) {
        var arguments = arguments(tool);
        var path = tool.route().path();
        var query = new ArrayList<String>();
        for (var field : Field.of(tool.inputSchema().json())) {
            var value = at(arguments, field);
            if (tool.route().hasParameter(field.path())) {
                path = path.replace("{" + tool.route().parameter(field.path()) + "}", encoded(value));
            } else if (!tool.route().hasBody() && !value.isMissingNode()) {
                query.add(field.path() + "=" + encoded(value));
            }
        }
        return query.isEmpty() ? path : path + "?" + String.join("&", query);
    }

    private static String encoded(JsonNode value) {
        return URLEncoder.encode(value.isArray() ? value.path(0).asString() : value.asString(), StandardCharsets.UTF_8);
    }

    /** Returns the arguments that are in the body on the tool's own route. */
    public static ObjectNode body(Tool<?, ?> tool) {
        return body(tool, tool.route());
    }

    /** Returns the arguments that are in the body on one of the tool's routes. */
    public static ObjectNode body(Tool<?, ?> tool, Route route) {
        var body = arguments(tool);
        var inPath = Field.of(tool.inputSchema().json()).stream()
                .filter(field -> route.hasParameter(field.path()))
                .toList();
        if (inPath.stream().anyMatch(field -> at(body, field).isMissingNode())) {
            return Json.object(); // The tool's example is of another route.
        }
        inPath.forEach(field -> remove(body, field));
        return body;
    }

    /** Returns an example of a field, also if the tool's own example does not have it. */
    public static JsonNode of(Tool<?, ?> tool, Field field) {
        var arguments = Json.object();
        new Example(tool).put(arguments, field);
        return at(arguments, field);
    }

    private static JsonNode at(ObjectNode arguments, Field field) {
        return arguments.at("/" + field.path().replace('.', '/'));
    }

    /** Removes the field's value from the arguments, and objects that are then empty. */
    public static void remove(ObjectNode arguments, Field field) {
        if (field.parents().isEmpty()) {
            arguments.remove(field.name());
            return;
        }
        var parent = field.parents().getFirst();
        if (arguments.get(parent) instanceof ObjectNode object) {
            object.remove(field.name());
            if (object.isEmpty()) {
                arguments.remove(parent);
            }
        }
    }

    /**
     * Returns whether the example includes the field. A read needs a target, creating needs a name, and changing
     * needs something to change.
     */
    private boolean belongs(Field field) {
        var path = field.path();
        if (tool.example().omitted().contains(path)) {
            return false;
        }
        return field.required()
                || tool.example().values().containsKey(path)
                || path.equals("content")
                || (path.equals("agent") && tool.family() == Family.SKILL)
                || (path.equals("target." + tool.family().word()) && !isAboutYou())
                || (path.equals("target.agent") && isAboutAPair())
                || (path.equals("target.domain") && tool.family() == Family.ZONE)
                || (path.equals("vx.name") && tool.effect() == Effect.CREATES)
                || (path.equals("vx.description")
                        && Set.of(Effect.CREATES, Effect.CHANGES).contains(tool.effect()));
    }

    /** Returns whether the example reads the caller's own user, so that it needs no name. */
    private boolean isAboutYou() {
        return tool.family() == Family.USER && tool.effect() == Effect.READS;
    }

    /** Returns whether the tool concerns a pair, such as a domain or bank and an agent: inviting, kicking, granting. */
    private boolean isAboutAPair() {
        return Set.of(Family.DOMAIN, Family.BANK).contains(tool.family())
                && Set.of(Effect.CHANGES, Effect.DESTROYS).contains(tool.effect());
    }

    private void put(ObjectNode arguments, Field field) {
        var at = arguments;
        for (var parent : field.parents()) {
            at = parent.endsWith("[]") ? element(at, parent.substring(0, parent.length() - 2)) : inner(at, parent);
        }
        at.set(field.name(), value(field));
    }

    private static ObjectNode inner(ObjectNode at, String name) {
        return at.get(name) instanceof ObjectNode object ? object : at.putObject(name);
    }

    /** Returns the only element of an array of objects. */
    private static ObjectNode element(ObjectNode at, String name) {
        return at.path(name).path(0) instanceof ObjectNode object
                ? object
                : at.putArray(name).addObject();
    }

    private JsonNode value(Field field) {
        return switch (field.type()) {
            case "integer" ->
                Json.valueTree(Math.max(1, field.schema().path("minimum").asLong(1)));
            case "boolean" -> Json.valueTree(true);
            case "array" ->
                Json.valueTree(List.of(tool.example()
                        .values()
                        .getOrDefault(field.path(), LISTED.getOrDefault(field.path(), "tides"))));
            case "object" -> object(tool.example().values().get(field.path()));
            default -> Json.valueTree(text(field));
        };
    }

    private static JsonNode object(@Nullable String json) {
        return json == null ? Json.object() : Json.readValue(json, JsonNode.class);
    }

    private String text(Field field) {
        var allowed = field.schema().path("enum");
        var path = field.path();
        for (var word : Arrays.asList(
                tool.example().values().get(path), WORDS.get(tool.family().word() + "." + path), WORDS.get(path))) {
            if (word != null && (allowed.isEmpty() || allowed.valueStream().anyMatch(Json.valueTree(word)::equals))) {
                return word;
            }
        }
        return allowed.isEmpty() ? "example" : allowed.get(0).asString();
    }
}
