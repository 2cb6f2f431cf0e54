package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The families of tools, which are also the toolsets, in the catalogue's order and in words for a reader. */
record ToolFamilies(List<Family> all) {
    private static final Map<String, String[]> WORDS = Map.ofEntries(
            entry("user", "Users", "Who is who in your tenant, and who you are."),
            entry("agent", "Agents", "Named workers with a persona; log on as one, talk to others."),
            entry("domain", "Domains", "Shared workspaces that agents are members of."),
            entry("zone", "Zones", "Channels inside a domain, each with a stream of messages."),
            entry("bank", "Memory banks", "Named collections of memories that agents share."),
            entry("skill", "Skills", "What agents can learn."),
            entry("document", "Documents", "Texts that are checked, split and loaded into banks."),
            entry("rule", "Rules", "What is denied or noted, as you wrote it down."),
            entry("key", "API keys", "Keys for servers, agents and other programs."),
            entry("webhook", "Webhooks", "Signed events to your HTTPS endpoints."),
            entry("account", "Account", "Plan, limits, usage and audit."));

    /** @param word as in a key's toolset */
    record Family(String word, String title, String sentence, List<Tool<?, ?>> tools) {}

    static ToolFamilies of(Catalogue catalogue) {
        var tools = new LinkedHashMap<String, List<Tool<?, ?>>>();
        catalogue
                .tools()
                .forEach(tool -> tools.computeIfAbsent(tool.family(), _ -> new ArrayList<>())
                        .add(tool));
        return new ToolFamilies(tools.entrySet().stream()
                .map(family -> family(family.getKey(), family.getValue()))
                .toList());
    }

    Family of(Tool<?, ?> tool) {
        return all.stream()
                .filter(family -> family.word().equals(tool.family()))
                .findFirst()
                .orElseThrow();
    }

    private static Family family(String word, List<Tool<?, ?>> tools) {
        var words = WORDS.getOrDefault(word, new String[] {capitalised(word), ""});
        return new Family(word, words[0], words[1], List.copyOf(tools));
    }

    private static Map.Entry<String, String[]> entry(String word, String title, String sentence) {
        return Map.entry(word, new String[] {title, sentence});
    }

    private static String capitalised(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
