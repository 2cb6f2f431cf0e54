package io.agentworkspace.engine.model;

import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Arguments that a tool could be called with: what it requires, and what else a first call would give. */
public final class Example {
    /** A whole skill, tide-tables, as a zip in base64. */
    private static final String ARCHIVE =
            "UEsDBBQAAAAIAAAAIQAkyyNgfAAAAJ0AAAAIAAAAU0tJTEwubWQljbEOwjAMBfd8xduYkg8oG0hsLIjOyCWmsWgTFBvy+wQ63XDS"
                    + "nffeZVp5gElkbzQtrC6y3qu8TEoecGGK+tfYdMCoDDG0xBmkT454lIokc0LnUhoaGdfgfM+fJEdYYiSqU3nXnW4dNLGE8+H2G+wx"
                    + "y6cPZGWFZIzXY3BfUEsBAhQDFAAAAAgAAAAhACTLI2B8AAAAnQAAAAgAAAAAAAAAAAAAAKSBAAAAAFNLSUxMLm1kUEsFBgAAAAAB"
                    + "AAEANgAAAKIAAAAAAA==";

    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("target.user", "maria"),
            Map.entry("target.agent", "scout"),
            Map.entry("target.domain", "harbour"),
            Map.entry("target.bank", "field-notes"),
            Map.entry("target.zone", "main"),
            Map.entry("target.context", "default"),
            Map.entry("vx.description", "Watches the tide tables and warns of low water."),
            Map.entry("vx.profile", "You are terse and give times in UTC."),
            Map.entry("vx.access", "private"),
            Map.entry("id", "4uVt2kPq8ZxT"),
            Map.entry("name", "tide report"),
            Map.entry("agent", "scout"),
            Map.entry("archive", ARCHIVE),
            Map.entry("url", "https://example.com/hooks"),
            Map.entry("event_type", "webhook.test"),
            Map.entry("content", "Low water at 06:12 tomorrow."));

    private static final Map<String, String> LISTED =
            Map.of("capabilities", "agent:read", "events", "agent.deployment.created");

    private static final Map<String, String> NAMES = Map.of(
            "agent", "scout", "domain", "harbour", "bank", "field-notes", "zone", "night-watch", "user", "maria");

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

    /** Reads show what they are pointed at; creating wants a name, changing something to change. */
    private boolean belongs(Field field) {
        var path = field.path();
        return field.required()
                || path.equals("content")
                || (path.equals("agent") && tool.family().equals("skill"))
                || (path.equals("target." + tool.family()) && !isAboutYou())
                || (path.equals("target.agent") && isAboutAPair())
                || (path.equals("target.domain") && tool.family().equals("zone"))
                || (path.equals("vx.name") && tool.effect() == Effect.CREATES)
                || (path.equals("vx.description")
                        && Set.of(Effect.CREATES, Effect.CHANGES).contains(tool.effect()));
    }

    /** Of users a read is of oneself, whose name stands in no example. */
    private boolean isAboutYou() {
        return tool.family().equals("user") && tool.effect() == Effect.READS;
    }

    /** Inviting, kicking, granting: a domain or a bank and an agent. */
    private boolean isAboutAPair() {
        return Set.of("domain", "bank").contains(tool.family())
                && Set.of(Effect.CHANGES, Effect.DESTROYS).contains(tool.effect());
    }

    private void put(ObjectNode arguments, Field field) {
        var at = arguments;
        for (var parent : field.parents()) {
            at = at.get(parent) instanceof ObjectNode object ? object : at.putObject(parent);
        }
        at.set(field.name(), value(field));
    }

    private JsonNode value(Field field) {
        return switch (field.type()) {
            case "integer" ->
                Json.valueTree(Math.max(1, field.schema().path("minimum").asLong(1)));
            case "boolean" -> Json.valueTree(true);
            case "array" -> Json.valueTree(List.of(LISTED.getOrDefault(field.path(), "tides")));
            case "object" -> Json.object();
            default -> Json.valueTree(text(field));
        };
    }

    private String text(Field field) {
        var allowed = field.schema().path("enum");
        if (!allowed.isEmpty()) {
            return allowed.get(0).asString();
        } else if (field.path().equals("vx.name")) {
            return NAMES.getOrDefault(tool.family(), "first");
        } else if (field.limits().equals("date-time")) {
            return "2026-05-25T12:00:00.000Z";
        }
        return tool.family().equals("skill") && field.path().equals("name")
                ? tool.destructive() ? "tide-tables" : "first-steps"
                : WORDS.getOrDefault(field.path(), "example");
    }
}
