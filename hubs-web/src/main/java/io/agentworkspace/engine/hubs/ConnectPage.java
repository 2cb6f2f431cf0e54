package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.ClientConfiguration;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.mcp.McpClient;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.Toolset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the page shows that connects clients of MCP: what they are to see, chosen by plain links, and the configuration of
 * each, the same as {@code GET /api/mcp/clients/{client}}.
 *
 * @param address the address of the MCP endpoint, for what was chosen
 * @param tools how many tools the client is shown, in words
 * @param tokens what they cost a model
 * @param conformance the result of the conformance tests, in short
 */
record ConnectPage(
        String address,
        String tools,
        String tokens,
        String conformance,
        List<Choice> toolsets,
        Choice readOnly,
        List<Client> clients) {
    /** The tools of the toolset {@code discovery}, which are shown beside those of the families that are chosen with it. */
    private static final int DISCOVERING = 3;

    /** @param href where it is chosen, or given up where it is */
    record Choice(String word, boolean chosen, String href, String tokens) {}

    record Client(
            String id,
            String title,
            String file,
            String configuration,
            @Nullable String installLink,
            @Nullable String command,
            List<String> steps,
            String verify) {}

    /** What a request chose; words that name no toolset are passed over. */
    private record Chosen(List<String> words, boolean readOnly) {
        static Chosen of(PageRequest request, List<String> known) {
            var words = request.query().getOrDefault("toolset", List.of()).stream()
                    .flatMap(list -> Arrays.stream(list.split(",")))
                    .filter(known::contains)
                    .distinct()
                    .toList();
            return new Chosen(
                    words, request.query().getOrDefault("readonly", List.of()).contains("true"));
        }

        /** With the word, or where it is chosen already without it. */
        Chosen turned(String word) {
            var other = new ArrayList<>(words);
            if (!other.remove(word)) {
                other.add(word);
            }
            return new Chosen(List.copyOf(other), readOnly);
        }

        String href() {
            var query = Stream.of(
                            words.isEmpty() ? "" : "toolset=" + String.join(",", words),
                            readOnly ? "readonly=true" : "")
                    .filter(part -> !part.isEmpty())
                    .toList();
            return ToolPages.CONNECT + (query.isEmpty() ? "" : "?" + String.join("&", query));
        }

        boolean discovers() {
            return words.isEmpty() || words.contains(Toolset.DISCOVERY);
        }

        boolean onlyDiscovers() {
            return words.equals(List.of(Toolset.DISCOVERY));
        }

        boolean covers(Tool<?, ?> tool) {
            var shown = words.isEmpty() ? tool.isDefault() : Toolset.of(words).covers(tool);
            return shown && (!readOnly || tool.effect().reads());
        }
    }

    static ConnectPage of(
            ToolFamilies families, TokenCounts counts, String mcpUrl, String conformance, PageRequest request) {
        var known = Stream.concat(
                        families.all().stream().map(family -> family.family().word()),
                        Stream.of(Toolset.ALL, Toolset.DISCOVERY))
                .toList();
        var chosen = Chosen.of(request, known);
        var address = new McpAddress(mcpUrl, chosen.words(), chosen.readOnly());
        var covered = families.all().stream()
                .flatMap(family -> family.tools().stream())
                .filter(chosen::covers)
                .toList();
        return new ConnectPage(
                address.url(),
                shown(chosen, covered.size()),
                TokenCounts.words((chosen.discovers() ? counts.of(Toolset.DISCOVERY) : 0)
                        + (chosen.onlyDiscovers() ? 0 : counts.of(covered))),
                conformance,
                Stream.concat(
                                Stream.of(byDefault(chosen, families, counts)),
                                known.stream().map(word -> choice(word, chosen, families, counts)))
                        .toList(),
                new Choice("read-only", chosen.readOnly(), new Chosen(chosen.words(), !chosen.readOnly()).href(), ""),
                Arrays.stream(McpClient.values())
                        .sorted((a, b) -> Boolean.compare(a == McpClient.GENERIC, b == McpClient.GENERIC))
                        .map(client -> client(client.configuration(address)))
                        .toList());
    }

    private static String shown(Chosen chosen, int covered) {
        if (chosen.onlyDiscovers()) {
            return "three tools over all %d".formatted(covered);
        }
        return "%d tools".formatted(covered + (chosen.discovers() ? DISCOVERING : 0));
    }

    private static Choice byDefault(Chosen chosen, ToolFamilies families, TokenCounts counts) {
        var tools = tools(families).filter(Tool::isDefault).toList();
        var href = new Chosen(List.of(), chosen.readOnly()).href();
        var tokens = counts.of(tools) + counts.of(Toolset.DISCOVERY);
        return new Choice(Toolset.DEFAULT, chosen.words().isEmpty(), href, TokenCounts.words(tokens));
    }

    private static Choice choice(String word, Chosen chosen, ToolFamilies families, TokenCounts counts) {
        return new Choice(
                word, chosen.words().contains(word), chosen.turned(word).href(), price(word, families, counts));
    }

    private static Stream<Tool<?, ?>> tools(ToolFamilies families) {
        return families.all().stream().flatMap(family -> family.tools().stream());
    }

    private static String price(String word, ToolFamilies families, TokenCounts counts) {
        if (word.equals(Toolset.ALL)) {
            return TokenCounts.words(counts.of(tools(families).toList()));
        }
        return TokenCounts.words(families.all().stream()
                .filter(family -> family.family().word().equals(word))
                .findFirst()
                .map(family -> counts.of(family.tools()))
                .orElseGet(() -> counts.of(word)));
    }

    private static Client client(ClientConfiguration configuration) {
        return new Client(
                configuration.client(),
                configuration.title(),
                configuration.file(),
                Json.pretty(configuration.configuration()),
                configuration.installLink(),
                configuration.command(),
                configuration.steps(),
                configuration.verify());
    }
}
