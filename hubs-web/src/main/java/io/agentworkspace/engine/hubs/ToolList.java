package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.Toolset;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What the list of tools shows: all by family, what they cost, and what of them the caller may call. */
record ToolList(
        String mcpEndpoint,
        int count,
        String tokens,
        String about,
        String discoveryTokens,
        @Nullable Own own,
        List<Family> families) {

    /** What the caller's key is given, and what that costs. */
    record Own(int count, String tokens, boolean discovers) {}

    /** @param about the tokens, rounded */
    record Family(
            String word, String title, String sentence, int count, String tokens, String about, List<Entry> tools) {}

    /**
     * @param words what it is found by besides its name and title
     * @param obstacle why the caller may not call it; null where it may, or where nobody is signed in
     */
    record Entry(
            String name,
            String title,
            String summary,
            String effect,
            String tokens,
            String words,
            @Nullable String obstacle) {}

    static ToolList of(Catalogue catalogue, TokenCounts counts, String mcpUrl, @Nullable Caller caller) {
        var families = ToolFamilies.of(catalogue).all().stream()
                .map(family -> new Family(
                        family.family().word(),
                        family.family().title(),
                        family.family().sentence(),
                        family.tools().size(),
                        TokenCounts.words(counts.of(family.tools())),
                        TokenCounts.about(counts.of(family.tools())),
                        family.tools().stream()
                                .map(tool -> entry(tool, counts, caller))
                                .toList()))
                .toList();
        return new ToolList(
                mcpUrl + "/mcp",
                catalogue.tools().size(),
                TokenCounts.words(counts.of(catalogue.tools())),
                TokenCounts.about(counts.of(catalogue.tools())),
                TokenCounts.words(counts.of(Toolset.DISCOVERY)),
                caller == null ? null : own(catalogue.tools(caller), counts, caller),
                families);
    }

    private static Own own(List<Tool<?, ?>> tools, TokenCounts counts, Caller caller) {
        var discovers = caller.credential().toolset().discovery();
        return new Own(
                tools.size(),
                TokenCounts.words(discovers ? counts.of(Toolset.DISCOVERY) : counts.of(tools)),
                discovers);
    }

    private static Entry entry(Tool<?, ?> tool, TokenCounts counts, @Nullable Caller caller) {
        return new Entry(
                tool.name(),
                tool.title(),
                summary(tool.description()),
                tool.effect().name().toLowerCase(Locale.ROOT),
                TokenCounts.words(counts.of(tool.name())),
                words(tool),
                caller == null ? null : caller.obstacle(tool).orElse(null));
    }

    /** The first sentence. */
    static String summary(String description) {
        var end = description.indexOf(". ");
        return end < 0 ? description : description.substring(0, end + 1);
    }

    /** What follows the summary, and the names of the fields. */
    private static String words(Tool<?, ?> tool) {
        var rest = tool.fullDescription().substring(summary(tool.description()).length());
        var fields =
                Field.of(tool.inputSchema().json()).stream().map(Field::path).collect(Collectors.joining(" "));
        return (tool.family().word() + " " + fields + " " + rest).replaceAll("\\s+", " ");
    }
}
