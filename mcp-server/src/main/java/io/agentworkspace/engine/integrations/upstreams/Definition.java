package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.UpstreamTool.Difference;
import io.agentworkspace.engine.integrations.upstreams.schema.PortableSchema;
import io.agentworkspace.engine.integrations.upstreams.texts.DefinitionTexts;
import io.agentworkspace.engine.integrations.upstreams.texts.ForeignMeta;
import io.agentworkspace.engine.kernel.text.VisibleText;
import io.agentworkspace.engine.memory.documents.extract.ContentScan;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.ForeignTool;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** How a server describes one of its tools, resources, templates or prompts. Its texts are data of others. */
final class Definition {
    private static final List<String> HINTS =
            List.of("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint");
    private static final int LONGEST_NAME = 128;
    private static final int LONGEST_URI = 1_000;
    private static final int LONGEST_TITLE = 100;
    private static final int LONGEST_DESCRIPTION = 1_000;
    private static final int LONGEST_PART = 300;
    private static final int MOST_PARTS = 50;
    private static final int MOST_ARGUMENTS = 50;
    private static final int LARGEST = 200_000;
    private static final Pattern URI = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:[\\x21-\\x7e]+");

    private final OfferKind kind;
    private final ObjectNode json;
    private @Nullable Examined examined;

    /** What was found out about it, once. */
    private record Examined(String digest, @Nullable String obstacle, boolean addressesAgents) {}

    Definition(OfferKind kind, ObjectNode json) {
        this.kind = kind;
        this.json = json;
    }

    OfferKind kind() {
        return kind;
    }

    ObjectNode json() {
        return json;
    }

    /** Finds out what takes long: what it says, and what is in the way of it. */
    synchronized Examined examine() {
        if (examined == null) {
            examined = new Examined(
                    HexFormat.of().formatHex(Sha256.of(Json.canonical(json))),
                    findObstacle(),
                    ContentScan.addressesAgents(DefinitionTexts.of(json)));
        }
        return examined;
    }

    /** The definition without what has no meaning here. */
    static Definition of(OfferKind kind, ObjectNode json) {
        var kept = Json.object();
        kind.fields().stream().filter(json::has).forEach(field -> kept.set(field, json.get(field)));
        return new Definition(kind, kept);
    }

    /** Returns the name or URI that the server gives it; empty if it is unusable. */
    String item() {
        var item = json.path(kind.key()).asString("");
        if (kind.isResource()) {
            return item.length() <= LONGEST_URI && URI.matcher(item).matches() ? item : "";
        }
        return item.length() > LONGEST_NAME || item.chars().anyMatch(c -> c <= ' ' || c == 0x7f) ? "" : item;
    }

    String digest() {
        return examine().digest();
    }

    String description() {
        return described(json);
    }

    private static String described(JsonNode json) {
        return Excerpt.cut(line(json.path("description").asString("")), LONGEST_DESCRIPTION);
    }

    private static String line(String text) {
        return text.replaceAll("[\\p{Cf}\\p{Cs}\\p{Cntrl}&&[^\n]]", " ").strip();
    }

    /** Returns why no client can be shown it; null if it can. */
    @Nullable
    String obstacle() {
        return examine().obstacle();
    }

    private @Nullable String findObstacle() {
        if (Json.text(json).length() > LARGEST) {
            return "its definition has more than %,d characters".formatted(LARGEST);
        }
        if (kind != OfferKind.TOOL) {
            return null;
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
        return examine().addressesAgents();
    }

    /** Returns all its texts as a reader sees them, one after another. */
    String texts() {
        return VisibleText.of(DefinitionTexts.of(json));
    }

    /** Returns it as lists show it: under its name here, marked with its origin. */
    ObjectNode listing(String upstream, String name) {
        return switch (kind) {
            case TOOL -> tool(upstream, name);
            case RESOURCE, TEMPLATE -> resource(upstream, name);
            case PROMPT -> prompt(upstream, name);
        };
    }

    private ObjectNode describe(String upstream, String what, ObjectNode listing) {
        title(json, listing);
        return listing.put("description", ForeignTool.marked(what, upstream, description()));
    }

    private static void title(JsonNode of, ObjectNode listing) {
        if (of.path("title").isString()) {
            listing.put("title", Excerpt.cut(line(of.path("title").asString()), LONGEST_TITLE));
        }
    }

    private ObjectNode tool(String upstream, String name) {
        var listing = describe(upstream, ForeignTool.TOOL, Json.object().put("name", name));
        try {
            listing.set(
                    "inputSchema", PortableSchema.of(json.path("inputSchema")).json());
        } catch (PortableSchema.Unusable e) {
            throw new IllegalStateException("approved, but " + e.getMessage());
        }
        if (json.get("outputSchema") instanceof ObjectNode output
                && output.path("type").asString("").equals("object")
                && !Json.text(output).contains("\"$ref\":\"http")) {
            listing.set("outputSchema", output);
        }
        var hints = listing.putObject("annotations");
        HINTS.stream()
                .filter(hint -> json.at("/annotations/" + hint).isBoolean())
                .forEach(hint -> hints.set(hint, json.at("/annotations/" + hint)));
        title(json.path("annotations"), hints);
        if (!hints.has("openWorldHint")) {
            hints.put("openWorldHint", true);
        }
        if (json.get("_meta") instanceof ObjectNode meta) {
            listing.set("_meta", ForeignUri.rewritten(upstream, ForeignMeta.passing(meta)));
        }
        return listing;
    }

    private ObjectNode resource(String upstream, String uri) {
        var named = Excerpt.cut(line(json.path("name").asString(item())), LONGEST_TITLE);
        var listing = describe(
                upstream,
                kind == OfferKind.RESOURCE ? "Resource" : "Resources",
                Json.object().put(kind.key(), uri).put("name", named));
        for (var field : List.of("mimeType", "size", "annotations")) {
            if (json.has(field)) {
                listing.set(field, json.get(field));
            }
        }
        if (json.get("_meta") instanceof ObjectNode meta) {
            listing.set("_meta", ForeignMeta.passing(meta));
        }
        return listing;
    }

    private ObjectNode prompt(String upstream, String name) {
        var listing = describe(upstream, "Prompt", Json.object().put("name", name));
        if (!json.has("arguments")) {
            return listing;
        }
        var arguments = listing.putArray("arguments");
        json.path("arguments").valueStream().limit(MOST_ARGUMENTS).forEach(argument -> {
            var one = arguments.addObject().put("name", argument.path("name").asString(""));
            title(argument, one);
            if (argument.path("description").isString()) {
                one.put("description", described(argument));
            }
            one.put("required", argument.path("required").asBoolean(false));
        });
        return listing;
    }

    /** Returns the arguments as the server's schema has them. */
    ObjectNode arguments(ObjectNode input) {
        try {
            return PortableSchema.of(json.path("inputSchema")).original(input);
        } catch (PortableSchema.Unusable e) {
            return input;
        }
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

    /** Returns the parts that a person compares: each hint, parameter and argument is one. */
    private Map<String, JsonNode> parts() {
        var parts = new LinkedHashMap<String, JsonNode>();
        for (var field : json.properties()) {
            switch (field.getKey()) {
                case "annotations" -> split("annotations.", field.getValue(), parts);
                case "arguments" ->
                    field.getValue()
                            .forEach(each ->
                                    parts.put("argument " + each.path("name").asString(""), each));
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
    static List<Definition> all(OfferKind kind, Iterable<JsonNode> offered) {
        var all = new LinkedHashMap<String, Definition>();
        for (var one : offered) {
            if (one instanceof ObjectNode json) {
                var definition = of(kind, json);
                if (!definition.item().isEmpty()) {
                    all.putIfAbsent(definition.item(), definition);
                }
            }
        }
        return new ArrayList<>(all.values());
    }
}
