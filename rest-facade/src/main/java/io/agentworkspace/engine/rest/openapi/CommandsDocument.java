package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Example;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** The reference of all tools as Markdown, generated from the catalogue. The same catalogue gives the same text. */
public final class CommandsDocument {
    private static final String HEAD = """
            # Commands

            Generated from the catalogue; change the catalogue, not this file.

            You can call each command in three ways: at its own route, at the route `POST /demo/v1/Engine/tps` with its name as
            `service`, and as an MCP tool of the same name. In the examples, `$ENGINE` is the engine's address and `$ENGINE_KEY` an
            API key. Fields named `target.…` and `vx.…` belong inside the objects `target` and `vx`. Command routes ignore unknown
            fields and list them in `header.ignored`. All other routes, and MCP, refuse them.

            Some tools have only the one route that is shown with them, and MCP: those whose names do not begin with `US_`, `AP_`,
            `DM_`, `ZN_` or `MB_`. The fields of a `GET` or `DELETE` are in its query. A refusal is `application/problem+json` with a
            precise status. A call that creates something returns 201.

            The examples build on each other. With an owner's key, all of them work in this order.
            """;

    private CommandsDocument() {}

    public static String render(Catalogue catalogue) {
        var families = catalogue.tools().stream()
                .collect(Collectors.groupingBy(Tag::of, LinkedHashMap::new, Collectors.toList()));
        var document = new StringBuilder(HEAD);
        families.forEach((tag, tools) -> document.append(family(tag, tools)));
        return document.toString();
    }

    private static String family(Tag tag, List<Tool<?, ?>> tools) {
        var rows = tools.stream()
                .map(tool -> "| [%s](#%s) | %s | `%s` |\n"
                        .formatted(
                                tool.name(),
                                tool.name().toLowerCase(Locale.ROOT),
                                cell(firstSentence(tool.description())),
                                route(tool)))
                .collect(Collectors.joining());
        var table = "\n## %s\n\n%s\n\n| command | does | route |\n|---|---|---|\n%s"
                .formatted(tag.title(), tag.sentence(), rows);
        return table + tools.stream().map(CommandsDocument::section).collect(Collectors.joining());
    }

    private static String section(Tool<?, ?> tool) {
        return """

                ### %s

                %s

                Route `%s` · capability %s · %s

                %s
                %s
                %s```sh
                %s
                ```

                The same over MCP, to `POST $ENGINE/mcp` with the header `X-API-Key`:

                ```json
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
                        curl(tool),
                        mcp(tool));
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

    private static String inputs(Tool<?, ?> tool) {
        var fields = Field.of(tool.inputSchema().json());
        if (fields.isEmpty()) {
            return "It takes no fields.\n";
        }
        var rows = fields.stream()
                .map(field -> "| `%s` | %s | %s | %s | %s |\n"
                        .formatted(
                                field.path(),
                                field.type(),
                                field.required() ? "yes" : "",
                                field.limits(),
                                cell(field.sentence())))
                .collect(Collectors.joining());
        return "| field | type | required | limits | |\n|---|---|---|---|---|\n" + rows;
    }

    private static String outputs(Tool<?, ?> tool) {
        var rows = Field.of(tool.outputSchema()).stream()
                .filter(field -> !field.path().matches("(header|status)([.].*)?"))
                .map(field -> "| `%s` | %s | %s |\n".formatted(field.path(), field.type(), cell(field.sentence())))
                .collect(Collectors.joining());
        return rows.isEmpty()
                ? "It answers with header and status only.\n"
                : "It answers, beside header and status:\n\n| field | type | |\n|---|---|---|\n" + rows;
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

    private static String mcp(Tool<?, ?> tool) {
        ObjectNode call = Json.object().put("jsonrpc", "2.0").put("id", "1").put("method", "tools/call");
        call.putObject("params").put("name", tool.name()).set("arguments", Example.arguments(tool));
        return Json.text(call);
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
