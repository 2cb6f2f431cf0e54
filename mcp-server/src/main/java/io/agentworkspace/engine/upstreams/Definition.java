package io.agentworkspace.engine.upstreams;

import io.agentworkspace.engine.documents.extract.ContentScan;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.upstream.UpstreamTool.Difference;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** How a server describes one of its tools. Its texts are data of others. */
record Definition(ObjectNode json) {
    private static final List<String> FIELDS =
            List.of("name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta");
    private static final List<String> HINTS =
            List.of("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint");
    private static final int LONGEST_NAME = 128;
    private static final int LONGEST_TITLE = 100;
    private static final int LONGEST_DESCRIPTION = 1_000;
    private static final int LONGEST_PART = 300;
    private static final int MOST_PARTS = 50;

    /** The definition without what has no meaning here. */
    static Definition of(ObjectNode json) {
        var kept = Json.object();
        FIELDS.stream().filter(json::has).forEach(field -> kept.set(field, json.get(field)));
        return new Definition(kept);
    }

    /** Returns the name that the server gives it; empty if it is unusable. */
    String tool() {
        var name = json.path("name").asString("");
        return name.length() > LONGEST_NAME || name.chars().anyMatch(c -> c <= ' ' || c == 0x7f) ? "" : name;
    }

    String digest() {
        return HexFormat.of().formatHex(Sha256.of(Json.canonical(json)));
    }

    String description() {
        return Excerpt.cut(line(json.path("description").asString("")), LONGEST_DESCRIPTION);
    }

    private static String line(String text) {
        return text.replaceAll("[\\p{Cf}\\p{Cs}\\p{Cntrl}&&[^\n]]", " ").strip();
    }

    /** Returns why no client can be shown the tool; null if it can. */
    @Nullable
    String obstacle() {
        if (json.at("/_meta/ui/visibility").isArray()
                && json.at("/_meta/ui/visibility")
                        .valueStream()
                        .noneMatch(each -> each.asString("").equals("model"))) {
            return "it is for the pages of an app, not for models";
        }
        try {
            PortableSchema.of(json.path("inputSchema"));
            return null;
        } catch (PortableSchema.Unusable e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Returns whether one of its texts addresses agents, as if it were an instruction for them. */
    boolean addressesAgents() {
        return json.findValues("description").stream().anyMatch(text -> ContentScan.addressesAgents(text.asString("")))
                || ContentScan.addressesAgents(json.path("title").asString(""));
    }

    /** Returns the tool as {@code tools/list} shows it: under its name here, marked with its origin. */
    ObjectNode shown(String upstream, String name) {
        var shown = Json.object().put("name", name);
        if (json.path("title").isString()) {
            shown.put("title", Excerpt.cut(line(json.path("title").asString()), LONGEST_TITLE));
        }
        shown.put("description", "[Tool of the server '%s'] %s".formatted(upstream, description()));
        try {
            shown.set("inputSchema", PortableSchema.of(json.path("inputSchema")));
        } catch (PortableSchema.Unusable e) {
            throw new IllegalStateException("approved, but " + e.getMessage());
        }
        if (json.get("outputSchema") instanceof ObjectNode output
                && output.path("type").asString("").equals("object")
                && !Json.text(output).contains("\"$ref\":\"http")) {
            shown.set("outputSchema", output);
        }
        var hints = shown.putObject("annotations");
        HINTS.stream()
                .filter(hint -> json.at("/annotations/" + hint).isBoolean())
                .forEach(hint -> hints.set(hint, json.at("/annotations/" + hint)));
        if (!hints.has("openWorldHint")) {
            hints.put("openWorldHint", true);
        }
        return shown;
    }

    /** Returns the arguments as the server's schema has them. */
    ObjectNode arguments(ObjectNode given) {
        return PortableSchema.original(given, json.path("inputSchema"));
    }

    /** Returns what differs from the definition that was approved. */
    List<Difference> since(Definition approved) {
        var before = approved.parts();
        var now = parts();
        var names = new TreeSet<>(before.keySet());
        names.addAll(now.keySet());
        return names.stream()
                .filter(name -> !Objects.equals(before.get(name), now.get(name)))
                .limit(MOST_PARTS)
                .map(name -> new Difference(name, text(before.get(name)), text(now.get(name))))
                .toList();
    }

    private static @Nullable String text(@Nullable JsonNode value) {
        return value == null ? null : Excerpt.cut(value.isString() ? value.asString() : Json.text(value), LONGEST_PART);
    }

    /** Returns the parts that a person compares: each hint and each parameter is one. */
    private Map<String, JsonNode> parts() {
        var parts = new LinkedHashMap<String, JsonNode>();
        for (var field : json.properties()) {
            switch (field.getKey()) {
                case "annotations" -> split("annotations.", field.getValue(), parts);
                case "inputSchema" -> {
                    split("parameter ", field.getValue().path("properties"), parts);
                    if (field.getValue() instanceof ObjectNode schema) {
                        var rest = schema.deepCopy();
                        rest.remove("properties");
                        split("inputSchema.", rest, parts);
                    }
                }
                default -> parts.put(field.getKey(), field.getValue());
            }
        }
        return parts;
    }

    private static void split(String prefix, JsonNode value, Map<String, JsonNode> parts) {
        value.properties().forEach(each -> parts.put(prefix + each.getKey(), each.getValue()));
    }

    /** Returns those that can be used, each once. */
    static List<Definition> all(Iterable<JsonNode> tools) {
        var all = new LinkedHashMap<String, Definition>();
        for (var tool : tools) {
            if (tool instanceof ObjectNode json) {
                var definition = of(json);
                if (!definition.tool().isEmpty()) {
                    all.putIfAbsent(definition.tool(), definition);
                }
            }
        }
        return new ArrayList<>(all.values());
    }
}
