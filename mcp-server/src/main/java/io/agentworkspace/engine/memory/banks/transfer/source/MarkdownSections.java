package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Divides Markdown texts at their headings. A section that has only a heading belongs to the names of those below it. Whoever
 * wrote the texts decides how many lines and headings there are: the work is proportional to their length.
 */
public final class MarkdownSections {
    /** The maximum number of sections of an import. */
    public static final int MOST = 200_000;

    /** The maximum number of lines of an import. */
    public static final long MOST_LINES = 1_000_000;

    private static final Pattern FENCE = Pattern.compile(" {0,3}(```+|~~~+).*");
    private static final int LONGEST_PART = 60;

    private final StepAllowance allowance;
    private final List<Section> sections = new ArrayList<>();

    /** Unique in the whole import. */
    private final UniqueNames names = new UniqueNames();

    private final String[] headings = new String[6];
    private final StringBuilder text = new StringBuilder();
    private String file = "";
    private String folder = "";
    private @Nullable Instant createdAt;
    private long began;
    private long lineCount;
    private boolean hasBody;

    public MarkdownSections(StepAllowance allowance) {
        this.allowance = allowance;
    }

    /** Returns the sections of all texts. */
    public List<Section> sections() {
        return sections;
    }

    /** @param path of the file; empty if there is none */
    public void read(String path, String markdown, @Nullable Instant date) {
        file = path;
        folder = folder(path);
        createdAt = date;
        began = 1;
        Arrays.fill(headings, "");
        var fence = "";
        var number = 0L;
        for (var lines = markdown.lines().iterator(); lines.hasNext(); ) {
            var line = lines.next();
            number++;
            allowance.take(line.length() + 1L);
            if (++lineCount > MOST_LINES) {
                throw Problem.tooLarge("the import", lineCount, MOST_LINES, "lines or more");
            }
            var level = fence.isEmpty() ? level(line) : 0;
            if (level > 0) {
                end();
                began = number;
                headings[level - 1] = plain(title(line));
                Arrays.fill(headings, level, headings.length, "");
            } else {
                hasBody |= !line.isBlank();
            }
            if (line.contains("```") || line.contains("~~~")) {
                fence = fence(line, fence);
            }
            text.append(line).append('\n');
        }
        end();
    }

    /** Returns the fence that is open after the line; an empty text if none is. */
    private static String fence(String line, String open) {
        var fenced = FENCE.matcher(line);
        return !fenced.matches()
                ? open
                : open.isEmpty() ? fenced.group(1) : line.strip().startsWith(open) ? "" : open;
    }

    /** Returns how many signs a heading begins with; 0 for another line. */
    private static int level(String line) {
        var from = 0;
        while (from < 3 && from < line.length() && line.charAt(from) == ' ') {
            from++;
        }
        var to = from;
        while (to < line.length() && line.charAt(to) == '#') {
            to++;
        }
        var isHeading = to > from && to - from <= 6 && (to == line.length() || isBlank(line.charAt(to)));
        return isHeading ? to - from : 0;
    }

    /** Returns what is between the signs before and after it. */
    private static String title(String line) {
        var from = line.indexOf('#');
        while (from < line.length() && line.charAt(from) == '#') {
            from++;
        }
        var to = line.length();
        while (to > from && isBlank(line.charAt(to - 1))) {
            to--;
        }
        var signs = to;
        while (signs > from && line.charAt(signs - 1) == '#') {
            signs--;
        }
        return line.substring(from, signs < to && isBlank(line.charAt(signs - 1)) ? signs : to);
    }

    private static boolean isBlank(char character) {
        return character == ' ' || character == '\t';
    }

    private void end() {
        if (hasBody) {
            divide(text.toString().strip());
        }
        text.setLength(0);
        hasBody = false;
    }

    /** Divides a section that is too long for a memory. */
    private void divide(String section) {
        for (var at = 0; at < section.length(); ) {
            var window = section.substring(at, Math.min(section.length(), at + 2 * Limits.CONTENT));
            allowance.take(window.length());
            var part = Excerpt.cut(window, Limits.CONTENT);
            var paragraph = at + part.length() == section.length() ? -1 : part.lastIndexOf("\n\n");
            var end = paragraph > 0 ? paragraph : part.length();
            if (sections.size() == MOST) {
                throw Problem.tooLarge("the import", MOST + 1L, MOST, "sections or more");
            }
            sections.add(new Section(file, began, name(), part.substring(0, end).strip(), createdAt));
            at += end;
            while (at < section.length() && Character.isWhitespace(section.charAt(at))) {
                at++;
            }
        }
    }

    /** Returns the file and the headings as a path. A number follows a name that an earlier section has. */
    private String name() {
        var path = Stream.concat(Stream.of(folder), Stream.of(headings))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("/"));
        var name = path.isEmpty() ? "notes" : end(path, MemoryName.MAX - 8);
        return names.of(name);
    }

    /** Returns the file's path as the beginning of names, no longer than these can be. */
    private static String folder(String path) {
        var plain = Stream.of(path.split("/"))
                .map(MarkdownSections::plain)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("/"));
        return plain.substring(Math.max(0, plain.length() - 2 * MemoryName.MAX));
    }

    /** Returns a part of a name, without the characters that none can have. */
    public static String plain(String text) {
        var plain = text.replaceAll("[^\\p{L}\\p{N}\\p{M} _.-]+", " ")
                .replaceAll(" +", " ")
                .strip()
                .replaceFirst("^\\p{M}+", "");
        var part = Excerpt.cut(plain, LONGEST_PART).strip();
        return part.equals(".") || part.equals("..") ? "" : part;
    }

    private static String end(String path, int most) {
        var cut = path.length() <= most ? path : path.substring(path.length() - most);
        var begin = cut.length() == path.length() ? 0 : cut.indexOf('/') + 1;
        return cut.substring(begin);
    }
}
