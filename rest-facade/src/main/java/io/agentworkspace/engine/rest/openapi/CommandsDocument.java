package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Example;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The reference of all tools as Markdown, which follows the text of {@code docs/commands.md}. The same catalogue gives the
 * same text.
 */
public final class CommandsDocument {
    private static final String HEAD = """

            These are the common fields:

            | field | type | |
            |---|---|---|
            """;

    /** Fields that many commands take, with the same meaning. */
    private static final List<String> COMMON =
            List.of("target.context", "target.user", "page.limit", "page.cursor", "if_revision", "idempotency_key");

    /** A record is defined once if it has at least as many fields as this. */
    private static final int FIELDS_OF_A_RECORD = 3;

    private final List<Tool<?, ?>> tools;

    /** The sentence with which most commands describe a common field. */
    private final Map<String, Field> common = new LinkedHashMap<>();

    /** The records that responses have more than once, by title. */
    private final Map<String, JsonNode> records = new TreeMap<>();

    private CommandsDocument(List<Tool<?, ?>> tools) {
        this.tools = tools;
        COMMON.forEach(path -> mostFrequent(path).ifPresent(field -> common.put(path, field)));
        var first = new TreeMap<String, JsonNode>();
        tools.forEach(tool -> collect(response(tool), first));
    }

    public static String render(Catalogue catalogue) {
        return new CommandsDocument(catalogue.tools()).render();
    }

    private String render() {
        var families = tools.stream().collect(Collectors.groupingBy(Tag::of, LinkedHashMap::new, Collectors.toList()));
        var document = new StringBuilder(HEAD);
        common.values().forEach(field -> document.append(row(field, "")));
        document.append("\nThese are the records that responses have in several places:\n");
        records.forEach(
                (title, schema) -> document.append("\n### The record %s\n\n| field | type | |\n|---|---|---|\n%s"
                        .formatted(title, rows(schema, "", title))));
        families.forEach((tag, members) -> document.append(family(tag, members)));
        return document.toString();
    }

    private Optional<Field> mostFrequent(String path) {
        return tools.stream()
                .flatMap(tool -> Field.of(tool.inputSchema().json()).stream())
                .filter(field -> field.path().equals(path))
                .collect(Collectors.groupingBy(
                        field -> field.schema().toString(), LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .max(Comparator.comparingInt(List::size))
                .map(List::getFirst);
    }

    /** Notes each record that is not in one place only. */
    private void collect(JsonNode schema, Map<String, JsonNode> first) {
        for (var property : schema.path("properties").properties()) {
            var inner = inner(property.getValue());
            var title = inner.path("title").asString("");
            if (!title.isEmpty() && inner.path("properties").size() >= FIELDS_OF_A_RECORD) {
                var before = first.putIfAbsent(title, inner.get("properties"));
                if (before != null && before.equals(inner.get("properties"))) {
                    records.put(title, inner);
                }
            }
            collect(inner, first);
        }
    }

    /** Returns the schema of what a tool returns beside header and status, with the names of its records. */
    private static JsonNode response(Tool<?, ?> tool) {
        return Schema.of(tool.output()).typed();
    }

    private static JsonNode inner(JsonNode schema) {
        return schema.path("items").has("properties") ? schema.get("items") : schema;
    }

    /** Returns a row for each value of a schema, and one for each record that is defined elsewhere. */
    private String rows(JsonNode schema, String prefix, String within) {
        var rows = new StringBuilder();
        for (var property : schema.path("properties").properties()) {
            var value = property.getValue();
            var inner = inner(value);
            var title = inner.path("title").asString("");
            var path = prefix + property.getKey() + (inner == value ? "" : "[]");
            var defined = records.get(title);
            if (defined != null
                    && !title.equals(within)
                    && defined.get("properties").equals(inner.path("properties"))) {
                rows.append("| `%s` | [%s](#the-record-%s) | %s |\n"
                        .formatted(
                                path,
                                title,
                                title.toLowerCase(Locale.ROOT),
                                cell(value.path("description").asString(""))));
            } else if (inner.has("properties")) {
                rows.append(rows(inner, path + ".", within));
            } else {
                var field = new Field(path, false, (ObjectNode) value);
                rows.append("| `%s` | %s | %s |\n".formatted(path, field.type(), cell(field.sentence())));
            }
        }
        return rows.toString();
    }

    private String family(Tag tag, List<Tool<?, ?>> members) {
        var rows = members.stream()
                .map(tool -> "| [%s](#%s) | %s | `%s` |\n"
                        .formatted(
                                tool.name(),
                                tool.name().toLowerCase(Locale.ROOT),
                                cell(firstSentence(tool.description())),
                                route(tool)))
                .collect(Collectors.joining());
        var table = "\n## %s\n\n%s\n\n| command | does | route |\n|---|---|---|\n%s"
                .formatted(tag.title(), tag.sentence(), rows);
        return table + members.stream().map(this::section).collect(Collectors.joining());
    }

    private String section(Tool<?, ?> tool) {
        return """

                ### %s

                %s

                Route `%s` · capability %s · %s

                %s
                %s
                %s```sh
                %s
                ```
                """.formatted(
                        tool.name(),
                        tool.fullDescription(),
                        route(tool),
                        capability(tool),
                        effect(tool),
                        inputs(tool),
                        outputs(tool),
                        standIn(tool),
                        curl(tool));
    }

    private static String route(Tool<?, ?> tool) {
        return Stream.concat(Stream.of(tool.route()), tool.route().further().stream())
                .map(route -> route.method() + " " + route.path())
                .collect(Collectors.joining("`, `"));
    }

    private static String capability(Tool<?, ?> tool) {
        var needed = "`%s`".formatted(tool.capability().word());
        return tool.reading() == null
                ? needed
                : "%s; %s just `%s`"
                        .formatted(
                                needed,
                                tool.reading().when("`"),
                                tool.family().read().word());
    }

    private static String effect(Tool<?, ?> tool) {
        var effect = switch (tool.effect()) {
            case READS -> "reads";
            case MARKS -> "reads, and marks as read";
            case MOVES -> "changes your own context only";
            case CREATES -> "creates";
            case CHANGES -> "changes";
            case DESTROYS -> "destroys";
        };
        return tool.idempotent() && tool.effect().isTransactional() ? effect + " · idempotent" : effect;
    }

    private String inputs(Tool<?, ?> tool) {
        var fields = Field.of(tool.inputSchema().json());
        var shared = fields.stream().filter(this::isCommon).map(Field::path).toList();
        var own = fields.stream()
                .filter(field -> !isCommon(field))
                .map(field -> row(field, field.required() ? " *" : ""))
                .collect(Collectors.joining());
        var table = own.isEmpty() ? "" : "| field | type | |\n|---|---|---|\n" + own;
        return table
                + (shared.isEmpty()
                        ? own.isEmpty() ? "It takes no fields.\n" : ""
                        : (own.isEmpty() ? "It takes `%s`.\n" : "\nAlso `%s`.\n")
                                .formatted(String.join("`, `", shared)));
    }

    private static String row(Field field, String mark) {
        var limits = field.limits().replaceFirst("^at most ([\\d,]+) characters$", "≤ $1");
        return "| `%s`%s | %s | %s |\n"
                .formatted(field.path(), mark, (field.type() + " " + limits).strip(), cell(field.sentence()));
    }

    private boolean isCommon(Field field) {
        var known = common.get(field.path());
        return known != null && !field.required() && known.schema().equals(field.schema());
    }

    private String outputs(Tool<?, ?> tool) {
        var rows = rows(response(tool), "", "");
        return rows.isEmpty()
                ? "It returns header and status only.\n"
                : "Beside header and status, it returns:\n\n| field | type | |\n|---|---|---|\n" + rows;
    }

    private static String standIn(Tool<?, ?> tool) {
        return Example.standIn(tool)
                .map(stands -> "In the example, put %s in place of `%s`.\n\n".formatted(stands.own(), stands.word()))
                .orElse("");
    }

    private static String curl(Tool<?, ?> tool) {
        var method = tool.route().method();
        var head = "curl -s %s\"$ENGINE%s\" -H \"X-Api-Key: $ENGINE_KEY\""
                .formatted(
                        method.equals("POST") || method.equals("GET") ? "" : "-X %s ".formatted(method),
                        Example.address(tool));
        if (tool.hasLines()) { // Without it, the answer is the whole file.
            return head + " -H 'Accept: application/json'";
        }
        return tool.route().hasBody()
                ? "%s \\\n  -H 'Content-Type: application/json' \\\n  -d '%s'"
                        .formatted(head, Json.text(Example.body(tool)))
                : head;
    }

    private static String firstSentence(String description) {
        var line = description.replaceAll("\\s+", " ");
        var end = line.indexOf(". ");
        return end < 0 ? line : line.substring(0, end + 1);
    }

    private static String cell(String text) {
        return text.replaceAll("\\s+", " ").replace("|", "\\|");
    }
}
