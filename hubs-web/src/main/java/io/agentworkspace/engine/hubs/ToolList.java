package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.Toolset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the list of tools shows: all by task, and what toolsets cost a model.
 *
 * @param own what the caller may call; null if nobody is signed in
 * @param barred what the caller may not call, after everything that it may
 */
record ToolList(
        String mcpEndpoint,
        int count,
        String tokens,
        String defaultTokens,
        String discoveryTokens,
        @Nullable Own own,
        List<Task> tasks,
        List<ToolEntry> barred,
        List<Toolsets> toolsets) {

    /** How many tools the caller's key may call. */
    record Own(int count) {}

    record Task(String word, String title, String sentence, int count, List<ToolEntry> tools) {}

    /** A family, and what its tools cost a model. */
    record Toolsets(String word, int count, String tokens) {}

    /** @param obstacle why the caller may not call it; null if it may, or if nobody is signed in */
    record ToolEntry(
            String name,
            String title,
            String summary,
            String effect,
            String task,
            @Nullable String obstacle) {}

    public boolean bars() {
        return !barred.isEmpty();
    }

    public int barredCount() {
        return barred.size();
    }

    static ToolList of(Catalogue catalogue, TokenCounts counts, String mcpUrl, @Nullable Caller caller) {
        var tasks = new ArrayList<Task>();
        var barred = new ArrayList<ToolEntry>();
        ToolTask.group(catalogue).forEach((task, tools) -> {
            var entries = tools.stream().map(tool -> entry(tool, task, caller)).toList();
            barred.addAll(
                    entries.stream().filter(entry -> entry.obstacle() != null).toList());
            var open =
                    entries.stream().filter(entry -> entry.obstacle() == null).toList();
            if (!open.isEmpty()) {
                tasks.add(new Task(task.word(), task.title(), task.sentence(), open.size(), open));
            }
        });
        var families = ToolFamilies.of(catalogue).all().stream()
                .map(family -> new Toolsets(
                        family.family().word(), family.tools().size(), TokenCounts.words(counts.of(family.tools()))))
                .toList();
        var byDefault = catalogue.tools().stream().filter(Tool::isDefault).toList();
        return new ToolList(
                mcpUrl + "/mcp",
                catalogue.tools().size(),
                TokenCounts.words(counts.of(catalogue.tools())),
                TokenCounts.words(counts.of(byDefault) + counts.withoutPlans()),
                TokenCounts.words(counts.of(Toolset.DISCOVERY)),
                caller == null ? null : new Own(catalogue.tools(caller).size()),
                List.copyOf(tasks),
                List.copyOf(barred),
                families);
    }

    private static ToolEntry entry(Tool<?, ?> tool, ToolTask task, @Nullable Caller caller) {
        return new ToolEntry(
                tool.name(),
                tool.title(),
                summary(tool.description()),
                tool.effect().name().toLowerCase(Locale.ROOT),
                task.word(),
                caller == null ? null : caller.obstacle(tool).orElse(null));
    }

    /** Returns the first sentence. */
    static String summary(String description) {
        var end = description.indexOf(". ");
        return end < 0 ? description : description.substring(0, end + 1);
    }
}
