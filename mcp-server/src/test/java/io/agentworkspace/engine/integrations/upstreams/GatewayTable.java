package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What of each server goes through the gateway whole, and what was decided to differ. */
final class GatewayTable {
    private static final String ABSENT = "–";

    /** A difference that is meant, of the paths that match, if the values are as decided. */
    private enum Decided {
        A(
                "(tools|resources|templates|prompts)/description|(form|link|sample|trigger).*/asked/\\*/(message|systemPrompt)",
                (_, now) -> now.asString("").contains(" the server '")
                        || now.asString("").startsWith("The server '"),
                "descriptions and questions name the server that they are of; long ones are cut"),
        B(
                "tools/inputSchema/.*",
                (_, _) -> true,
                "schemas are [written so that every model's API accepts them](../upstreams-reference.md#schemas)"),
        C(
                "tools/execution",
                (_, now) -> now.isMissingNode(),
                "whether a tool can run as a task is left out: tasks are the engine's own"),
        D(
                "(tools|resources|templates|prompts)/icons",
                (_, now) -> now.isMissingNode(),
                "icons in lists are left out: a client would fetch them from an address of the server's choice"),
        E(
                "tools/annotations(/openWorldHint)?",
                (was, now) -> was.isMissingNode()
                        && (now.asBoolean(false) || now.path("openWorldHint").asBoolean(false) && now.size() == 1),
                "the default of `openWorldHint`, true, is written out"),
        F(
                ".*/(ttlMs|cacheScope)",
                (_, now) -> List.of("0", "\"private\"", "").contains(now.toString()),
                "how long a client may keep a result is the engine's to say: 2026-07-28 requires it, older revisions"
                        + " have no such field"),
        G(
                ".*/asked/\\*/elicitationId",
                (was, now) -> was.isMissingNode() || now.isMissingNode(),
                "a link has an id only in 2025-11-25: clients of that revision always get one, those of 2026-07-28"
                        + " never");

        private final String paths;
        private final BiPredicate<JsonNode, JsonNode> isMeant;
        private final String words;

        Decided(String paths, BiPredicate<JsonNode, JsonNode> isMeant, String words) {
            this.paths = paths;
            this.isMeant = isMeant;
            this.words = words;
        }

        boolean explains(JsonNode difference) {
            return difference.path("path").asString("").matches(paths)
                    && isMeant.test(difference.path("expected"), difference.path("actual"));
        }

        String letter() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final List<String> ROWS = List.of(
            "list of tools",
            "list of resources",
            "list of templates",
            "list of prompts",
            "pages of lists",
            "changes of the list of tools",
            "changes of the list of resources",
            "changes of the list of prompts",
            "text",
            "structured content",
            "images",
            "audio",
            "resource links",
            "embedded resources",
            "annotations of content",
            "`_meta` of content",
            "`_meta` of results",
            "errors of tools",
            "errors of the protocol",
            "all of `tools/call`",
            "all of `resources/read`",
            "all of `prompts/get`",
            "progress",
            "cancellation",
            "elicitation by form",
            "elicitation by form, client cannot",
            "elicitation by URL",
            "elicitation by URL, client cannot",
            "sampling",
            "sampling, client cannot",
            "sessions that end",
            "a server that restarts",
            "newest protocol of the server");

    private GatewayTable() {}

    /** Returns a cell for each row. A difference that is not decided fails. */
    static Map<String, String> cells(JsonNode compared) {
        var cells = new LinkedHashMap<String, String>();
        var undecided = new ArrayList<String>();
        compared.properties().forEach(row -> {
            var letters = new TreeSet<String>();
            for (var difference : row.getValue()) {
                Stream.of(Decided.values())
                        .filter(decided -> decided.explains(difference))
                        .findFirst()
                        .ifPresentOrElse(
                                decided -> letters.add(decided.letter()),
                                () -> undecided.add(row.getKey() + ": " + Json.text(difference)));
            }
            var isOffered = !row.getValue().asString("").equals("not offered");
            cells.put(row.getKey(), letters.isEmpty() ? isOffered ? "whole" : ABSENT : String.join(", ", letters));
        });
        assertThat(undecided).isEmpty();
        assertThat(ROWS).containsAll(cells.keySet());
        return cells;
    }

    /** @param servers the cells of each server */
    static String page(Map<String, Map<String, String>> servers) {
        var page = new StringBuilder(INTRODUCTION);
        var numbers = IntStream.rangeClosed(1, servers.size())
                .mapToObj(String::valueOf)
                .toList();
        page.append("\n| | server |\n|---|---|\n");
        var names = List.copyOf(servers.keySet());
        numbers.forEach(number ->
                page.append("| %s | %s |\n".formatted(number, names.get(Integer.parseInt(number) - 1))));
        page.append("\n| what | ").append(String.join(" | ", numbers)).append(" |\n|---|");
        page.repeat("---|", numbers.size()).append('\n');
        for (var row : ROWS) {
            var cells = servers.values().stream()
                    .map(each -> each.getOrDefault(row, ABSENT))
                    .toList();
            page.append("| %s | %s |\n".formatted(row, String.join(" | ", cells)));
        }
        page.append('\n');
        for (var decided : Decided.values()) {
            var pattern = "(.*, )?%s(, .*)?".formatted(decided.letter());
            assertThat(servers.values().stream().flatMap(each -> each.values().stream()))
                    .as("%s still occurs", decided.words)
                    .anyMatch(cell -> cell.matches(pattern));
            page.append("- %s: %s.\n".formatted(decided.letter(), decided.words));
        }
        return page.toString();
    }

    private static final String INTRODUCTION = """

        `PublishedServersTest` starts these servers as their packages are published, and compares, value by value, what each gives
        the newest official client directly with what it gives the same client through the engine, in a session of 2025-11-25 and
        without one in 2026-07-28. *whole* means that nothing differs in either lane, – that the server does not offer it. A letter
        is a difference that was decided, below; any other difference fails. Then the server restarts, and the same clients call
        it again: with a server that has sessions, the engine's has ended by then.
        """;
}
