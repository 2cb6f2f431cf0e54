package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.Caller;
import io.agentworkspace.engine.model.Catalogue;
import io.agentworkspace.engine.model.Published;
import io.agentworkspace.engine.model.Tool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The hub of tools: the list by family. */
final class ToolPages {
    static final String ROOT = "/mcp-hub";

    private final Catalogue catalogue;
    private final Published published;
    private final Templates templates;

    ToolPages(Catalogue catalogue, Published published, Templates templates) {
        this.catalogue = catalogue;
        this.published = published;
        this.templates = templates;
    }

    Optional<Page> find(Visit visit) {
        return visit.path().equals(ROOT) ? Optional.of(list(visit)) : Optional.empty();
    }

    private record Listed(String mcpEndpoint, int count, List<Family> families) {}

    private record Family(String word, String title, int count, List<Entry> tools) {}

    /** @param allowed whether who is signed in may run it; true where nobody is */
    private record Entry(String name, String title, String summary, String effect, boolean allowed) {}

    private Page list(Visit visit) {
        var caller = visit.caller();
        var families = new LinkedHashMap<String, List<Entry>>();
        catalogue
                .tools()
                .forEach(tool -> families.computeIfAbsent(tool.family(), _ -> new ArrayList<>())
                        .add(entry(tool, caller)));
        var listed = new Listed(
                published.mcpUrl() + "/mcp",
                catalogue.tools().size(),
                families.entrySet().stream()
                        .map(family -> new Family(
                                family.getKey(),
                                capitalised(family.getKey()),
                                family.getValue().size(),
                                family.getValue()))
                        .toList());
        var frame = new Templates.Frame(
                "Tools",
                "Every operation of the workspace is a tool: call it over MCP, over REST, or here.",
                "tools",
                null);
        return Page.html(templates.page("tools", listed, frame, visit));
    }

    private static Entry entry(Tool<?, ?> tool, @Nullable Caller caller) {
        return new Entry(
                tool.name(),
                tool.title(),
                summary(tool.description()),
                tool.effect().name().toLowerCase(Locale.ROOT),
                caller == null || caller.may(tool));
    }

    /** The first sentence. */
    private static String summary(String description) {
        var end = description.indexOf(". ");
        return end < 0 ? description : description.substring(0, end + 1);
    }

    private static String capitalised(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
