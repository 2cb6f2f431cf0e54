package io.agentworkspace.engine.memory.banks.files;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The texts that a model gets from the memory tool, in the words of its documentation ({@code
 * memory_20250818}) and of the official SDKs.
 */
final class ToolText {
    private ToolText() {}

    /** Returns a refusal with a text for the model. */
    static Problem refused(Failure failure, String text) {
        return new Problem(failure, text).with("text", text);
    }

    static Problem doesNotExist(String path) {
        return refused(Failure.NOT_FOUND, "Error: The path %s does not exist".formatted(path));
    }

    /** Returns the refusal for a missing path. */
    static Problem notThere(String start, String path) {
        return refused(
                Failure.NOT_FOUND, "%sThe path %s does not exist. Please provide a valid path.".formatted(start, path));
    }

    /** @param range the first and the last line, counted from 1; -1 for the end */
    static String content(String path, String text, @Nullable List<Long> range) {
        var lines = text.split("\n", -1);
        var first = range == null ? 1 : Math.clamp(range.getFirst(), 1, lines.length + 1);
        var last = range == null || range.getLast() == -1 ? lines.length : Math.clamp(range.getLast(), 0, lines.length);
        return "Here's the content of %s with line numbers:\n%s".formatted(path, numbered(lines, first, last));
    }

    /** Returns the lines around the first changed one. */
    static String snippet(String text, int changed) {
        var lines = text.split("\n", -1);
        return "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
                + numbered(lines, Math.max(1, changed - 2), Math.min(lines.length, changed + 2));
    }

    private static String numbered(String[] lines, int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(i -> "%6d\t%s".formatted(i, lines[i - 1]))
                .collect(Collectors.joining("\n"));
    }

    /** Returns the listing of a directory, cut to this many characters. */
    static String listing(FilePath path, List<FileQueries.DirectoryEntry> entries, int max) {
        var start = path.isRoot() ? FilePath.ROOT : FilePath.ROOT + "/" + path.name();
        var lines = new ArrayList<String>();
        var top = "";
        for (var entry : entries) {
            if (entry.isBelow() && !entry.top().equals(top)) {
                var size = entries.stream()
                        .filter(other -> other.isBelow() && other.top().equals(entry.top()))
                        .mapToLong(FileQueries.DirectoryEntry::bytes)
                        .sum();
                lines.add("%s\t%s/%s/".formatted(size(size), start, entry.top()));
                top = entry.top();
            }
            lines.add("%s\t%s/%s".formatted(size(entry.bytes()), start, entry.path()));
        }
        var all = entries.stream().mapToLong(FileQueries.DirectoryEntry::bytes).sum();
        var text = new StringBuilder("""
                Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:
                %s\t%s""".formatted(path.text(), size(all), start));
        for (var i = 0; i < lines.size(); i++) {
            if (text.length() + lines.get(i).length() > max) {
                return text.append("\n(%d more: view a directory below)".formatted(lines.size() - i))
                        .toString();
            }
            text.append('\n').append(lines.get(i));
        }
        return text.toString();
    }

    /** Returns a size such as {@code 0B}, {@code 5.5K} or {@code 1.2M}. */
    static String size(long bytes) {
        if (bytes < 1024) {
            return bytes + "B";
        }
        var unit = bytes < 1024 * 1024 ? 'K' : 'M';
        var size = bytes / (unit == 'K' ? 1024.0 : 1024.0 * 1024);
        return size == Math.rint(size)
                ? "%d%c".formatted((long) size, unit)
                : String.format(java.util.Locale.ROOT, "%.1f%c", size, unit);
    }
}
