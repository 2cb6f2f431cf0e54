package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.ClientConfiguration;
import io.agentworkspace.engine.model.mcp.McpAddress;
import io.agentworkspace.engine.model.mcp.McpClient;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.Toolset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The page that connects clients of MCP, in steps: what they may do, chosen by plain links, an invitation for just that, and the
 * configuration of each, the same as {@code GET /api/mcp/clients/{client}}.
 *
 * @param address the address of the MCP endpoint, with the choice
 * @param tools how many tools the client sees, in words
 * @param tokens how many tokens these tools cost a model
 * @param conformance the result of the conformance tests, in short
 * @param keyObstacle why the caller may not invite agents; null if it may, or if nobody is signed in
 * @param capabilities those that the client's key needs for what was chosen
 * @param chosenWords the toolset of the client's key; empty for the usual one
 * @param servers the installed servers whose tools the caller can give to the agent
 * @param custom whether something else than a preset was chosen
 */
record ConnectPage(
        String address,
        String tools,
        String tokens,
        String conformance,
        boolean signedIn,
        @Nullable String keyObstacle,
        String capabilities,
        String chosenWords,
        List<String> servers,
        List<Preset> presets,
        boolean custom,
        List<Choice> toolsets,
        Choice readOnly,
        List<Client> clients) {
    /** The tool with which the page invites the agent. */
    private static final String INVITES = "AK_Invite";

    /**
     * The number of tools in the toolset {@code discovery}, which the client sees in addition to those of the chosen
     * families. All but {@code run_plan} are in the lists without it, too.
     */
    private static final int DISCOVERING = 4;

    /** A common choice, in plain words. */
    record Preset(String title, String sentence, boolean chosen, String href, String tokens) {}

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

    /** The choices in a request. Names of unknown toolsets are ignored. */
    private record Chosen(List<String> words, boolean readOnly) {
        static Chosen of(PageRequest request, List<String> clients) {
            var words = request.query().getOrDefault("toolset", List.of()).stream()
                    .flatMap(list -> Arrays.stream(list.split(",")))
                    .filter(clients::contains)
                    .distinct()
                    .toList();
            return new Chosen(
                    words, request.query().getOrDefault("readonly", List.of()).contains("true"));
        }

        /** Returns the choices with the word added, or removed if it was chosen. */
        Chosen turned(String word) {
            var other = new ArrayList<>(words);
            if (!other.remove(word)) {
                other.add(word);
            }
            return new Chosen(List.copyOf(other), readOnly);
        }

        boolean isDefault() {
            return words.isEmpty();
        }

        String href() {
            var query = Stream.of(
                            words.isEmpty() ? "" : "toolset=" + String.join(",", words),
                            readOnly ? "readonly=true" : "")
                    .filter(part -> !part.isEmpty())
                    .toList();
            return ToolPages.CONNECT + (query.isEmpty() ? "" : "?" + String.join("&", query));
        }

        /** Returns the toolset of a key for the choice. */
        String keyToolset() {
            return Stream.concat(words.stream(), readOnly ? Stream.of(Toolset.READ_ONLY) : Stream.of())
                    .collect(Collectors.joining(" "));
        }

        boolean discovers() {
            return words.isEmpty() || words.contains(Toolset.DISCOVERY) || words.contains(Toolset.WORK);
        }

        /** Returns the number of tools of {@code discovery} that are listed. */
        int discovering() {
            return !discovers() ? 0 : words.contains(Toolset.DISCOVERY) ? DISCOVERING : DISCOVERING - 1;
        }

        /** Returns what they cost. */
        int discovering(TokenCounts counts) {
            return !discovers()
                    ? 0
                    : words.contains(Toolset.DISCOVERY) ? counts.of(Toolset.DISCOVERY) : counts.withoutPlans();
        }

        boolean onlyDiscovers() {
            return words.equals(List.of(Toolset.DISCOVERY));
        }

        /** Returns whether it is in the toolset of coding agents, or in another that was chosen besides. */
        private boolean isInWork(Tool<?, ?> tool) {
            var others = words.stream()
                    .filter(word -> !word.equals(Toolset.WORK) && !word.equals(Toolset.DISCOVERY))
                    .toList();
            return tool.guide().isForWork()
                    || !others.isEmpty() && Toolset.of(others).covers(tool);
        }

        boolean covers(Tool<?, ?> tool) {
            var isVisible = words.isEmpty()
                    ? tool.isDefault()
                    : words.contains(Toolset.WORK)
                            ? isInWork(tool)
                            : Toolset.of(words).covers(tool);
            return isVisible && (!readOnly || tool.effect().reads());
        }
    }

    static ConnectPage of(
            ToolFamilies families,
            List<String> servers,
            TokenCounts counts,
            String mcpUrl,
            String conformance,
            PageRequest request) {
        var clients = Stream.concat(
                        families.all().stream().map(family -> family.family().word()),
                        Stream.of(Toolset.WORK, Toolset.ALL, Toolset.DISCOVERY))
                .toList();
        var chosen = Chosen.of(request, clients);
        var address = new McpAddress(mcpUrl, chosen.words(), chosen.readOnly());
        var covered = families.all().stream()
                .flatMap(family -> family.tools().stream())
                .filter(chosen::covers)
                .toList();
        var presets = presets(chosen, families, counts);
        return new ConnectPage(
                address.url(),
                summary(chosen, covered.size()),
                TokenCounts.words(chosen.discovering(counts) + (chosen.onlyDiscovers() ? 0 : counts.of(covered))),
                conformance,
                request.caller() != null,
                keyObstacle(families, request.caller()),
                capabilities(chosen.onlyDiscovers() ? tools(families).toList() : covered, request.caller()),
                chosen.keyToolset(),
                servers,
                presets,
                presets.stream().noneMatch(Preset::chosen),
                Stream.concat(
                                Stream.of(byDefault(chosen, families, counts)),
                                clients.stream().map(word -> choice(word, chosen, families, counts)))
                        .toList(),
                new Choice("read-only", chosen.readOnly(), new Chosen(chosen.words(), !chosen.readOnly()).href(), ""),
                Arrays.stream(McpClient.values())
                        .sorted((a, b) -> Boolean.compare(a == McpClient.GENERIC, b == McpClient.GENERIC))
                        .map(client -> client(client.configuration(address)))
                        .toList());
    }

    private static List<Preset> presets(Chosen chosen, ToolFamilies families, TokenCounts counts) {
        return List.of(
                preset(
                        "Talk and remember",
                        "Agents, domains, zones and memory banks. Right for most clients.",
                        new Chosen(List.of(), false),
                        chosen,
                        families,
                        counts),
                preset(
                        "Read only",
                        "The same, without anything that changes what others see.",
                        new Chosen(List.of(), true),
                        chosen,
                        families,
                        counts),
                preset(
                        "Everything that you may",
                        "Also users, keys, rules, documents and webhooks.",
                        new Chosen(List.of(Toolset.ALL), false),
                        chosen,
                        families,
                        counts));
    }

    private static Preset preset(
            String title, String sentence, Chosen choice, Chosen chosen, ToolFamilies families, TokenCounts counts) {
        var covered = tools(families).filter(choice::covers).toList();
        var tokens = counts.of(covered) + (choice.isDefault() ? counts.withoutPlans() : 0);
        return new Preset(title, sentence, choice.equals(chosen), choice.href(), TokenCounts.words(tokens));
    }

    /** Those that these tools need, of which a signed-in caller can give only what it has. */
    private static String capabilities(List<Tool<?, ?>> tools, @Nullable Caller caller) {
        return tools.stream()
                .filter(tool -> caller == null || caller.obstacle(tool).isEmpty())
                .map(tool -> tool.capability().word())
                .distinct()
                .collect(Collectors.joining(" "));
    }

    private static @Nullable String keyObstacle(ToolFamilies families, @Nullable Caller caller) {
        return caller == null
                ? null
                : tools(families)
                        .filter(tool -> tool.name().equals(INVITES))
                        .findFirst()
                        .flatMap(caller::obstacle)
                        .orElse(null);
    }

    private static String summary(Chosen chosen, int covered) {
        if (chosen.onlyDiscovers()) {
            return "four tools over all %d".formatted(covered);
        }
        return "%d tools".formatted(covered + chosen.discovering());
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
        if (word.equals(Toolset.WORK)) {
            var tools = tools(families).filter(tool -> tool.guide().isForWork()).toList();
            return TokenCounts.words(counts.of(tools) + counts.of(Toolset.DISCOVERY));
        }
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
