package io.agentworkspace.engine.banks.transfer;

import io.agentworkspace.engine.banks.transfer.MarkdownFolder.Section;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.text.Excerpt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Divides a Markdown text at its headings. A section that has only a heading belongs to the names of those below it. */
final class MarkdownSections {
    private static final Pattern HEADING = Pattern.compile(" {0,3}(#{1,6})(?:[ \\t]+(.*?))?(?:[ \\t]+#+)?[ \\t]*");
    private static final Pattern FENCE = Pattern.compile(" {0,3}(```+|~~~+).*");
    private static final int LONGEST_PART = 60;

    private final String file;
    private final @Nullable Instant createdAt;
    private final Set<String> names;
    private final List<Section> sections = new ArrayList<>();
    private final String[] headings = new String[6];
    private final StringBuilder text = new StringBuilder();
    private long began = 1;
    private boolean hasBody;

    private MarkdownSections(String file, @Nullable Instant createdAt, Set<String> names) {
        this.file = file;
        this.createdAt = createdAt;
        this.names = names;
        Arrays.fill(headings, "");
    }

    /**
     * @param file its path; empty if there is none
     * @param names receives the names, which are unique in the whole import
     */
    static List<Section> of(String file, String markdown, @Nullable Instant createdAt, Set<String> names) {
        var reader = new MarkdownSections(file, createdAt, names);
        reader.read(markdown.lines().toList());
        return reader.sections;
    }

    private void read(List<String> lines) {
        var fence = "";
        for (var i = 0; i < lines.size(); i++) {
            var line = lines.get(i);
            var heading = HEADING.matcher(line);
            var fenced = FENCE.matcher(line);
            if (fence.isEmpty() && heading.matches()) {
                end();
                began = i + 1L;
                enter(heading.group(1).length(), heading.group(2) == null ? "" : heading.group(2));
            } else {
                hasBody |= !line.isBlank();
            }
            if (fenced.matches()) {
                fence = fence.isEmpty() ? fenced.group(1) : line.strip().startsWith(fence) ? "" : fence;
            }
            text.append(line).append('\n');
        }
        end();
    }

    private void enter(int level, String title) {
        headings[level - 1] = title;
        Arrays.fill(headings, level, headings.length, "");
    }

    private void end() {
        var whole = text.toString().strip();
        if (hasBody && !whole.isEmpty()) {
            parts(whole).forEach(part -> sections.add(new Section(file, began, name(), part, createdAt)));
        }
        text.setLength(0);
        hasBody = false;
    }

    /** Divides a section that is too long for a memory. */
    private static List<String> parts(String section) {
        var parts = new ArrayList<String>();
        var rest = section;
        while (!rest.isEmpty()) {
            var part = Excerpt.cut(rest, Limits.CONTENT);
            var paragraph = part.length() == rest.length() ? -1 : part.lastIndexOf("\n\n");
            var end = paragraph > 0 ? paragraph : part.length();
            parts.add(rest.substring(0, end).strip());
            rest = rest.substring(end).strip();
        }
        return parts;
    }

    /** Returns the file and the headings as a path. A number follows a name that an earlier section has. */
    private String name() {
        var path = Stream.concat(Stream.of(file.split("/")), Stream.of(headings))
                .map(MarkdownSections::plain)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("/"));
        var name = path.isEmpty() ? "notes" : end(path, MemoryName.MAX - 8);
        var unique = name;
        for (var n = 2; !names.add(Name.key(unique)); n++) {
            unique = "%s %d".formatted(name, n);
        }
        return unique;
    }

    /** Returns a part of a name, without the characters that none can have. */
    private static String plain(String text) {
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
