package io.agentworkspace.engine.calls.discovery;

import io.agentworkspace.engine.memory.search.TextIndex;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Tool;
import java.text.BreakIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a tool is found by: its name, title, description, details and parameters, and what callers also call it. */
final class ToolTexts {
    private ToolTexts() {}

    /** Returns an index of all that is said about these tools, and one of what they are called. */
    static List<TextIndex> indexes(List<Tool<?, ?>> tools) {
        return Stream.<Function<Tool<?, ?>, String>>of(ToolTexts::text, ToolTexts::called)
                .map(text -> new TextIndex(tools.stream()
                        .map(tool -> "%s %s\n%s".formatted(tool.name(), title(tool), text.apply(tool)))
                        .toList()))
                .toList();
    }

    private static String called(Tool<?, ?> tool) {
        return title(tool) + "\n" + String.join("\n", tool.guide().phrases());
    }

    private static String text(Tool<?, ?> tool) {
        return String.join(
                "\n",
                place(tool),
                tool.family().word(),
                title(tool),
                String.join("\n", tool.guide().phrases()),
                description(tool),
                tool.guide().details(),
                fields(tool));
    }

    static boolean hasField(Tool<?, ?> tool, String path) {
        return Field.of(tool.inputSchema().json()).stream()
                .anyMatch(field -> field.path().equals(path));
    }

    private static String fields(Tool<?, ?> tool) {
        return Field.of(tool.inputSchema().json()).stream()
                .map(field -> field.path() + " " + field.sentence())
                .collect(Collectors.joining("\n"));
    }

    /** Returns the passages whose meanings are compared with a query. */
    static List<String> passages(Tool<?, ?> tool) {
        var passages = new ArrayList<String>();
        passages.add(title(tool));
        passages.addAll(tool.guide().phrases());
        passages.addAll(sentences(description(tool)));
        return passages.stream().distinct().toList();
    }

    static String names(Tool<?, ?> tool) {
        return "%s: %s".formatted(title(tool), tool.foreign() == null ? phrases(tool) : place(tool));
    }

    static String whole(Tool<?, ?> tool) {
        return "%s: %s. %s. %s".formatted(place(tool), title(tool), phrases(tool), description(tool));
    }

    /** Returns what a tool is about: the family of ours, or the server of another's. */
    private static String place(Tool<?, ?> tool) {
        return tool.foreign() == null ? tool.family().title() : tool.foreign().upstream();
    }

    private static String title(Tool<?, ?> tool) {
        return tool.foreign() == null ? tool.title() : tool.foreign().title();
    }

    private static String description(Tool<?, ?> tool) {
        return tool.foreign() == null ? tool.description() : tool.foreign().words();
    }

    private static String phrases(Tool<?, ?> tool) {
        return String.join("; ", tool.guide().phrases());
    }

    private static List<String> sentences(String text) {
        var sentences = new ArrayList<String>();
        var breaks = BreakIterator.getSentenceInstance(Locale.ROOT);
        breaks.setText(text);
        var start = breaks.first();
        for (var end = breaks.next(); end != BreakIterator.DONE; start = end, end = breaks.next()) {
            sentences.add(text.substring(start, end).strip());
        }
        return sentences;
    }
}
