package io.agentworkspace.engine.skills;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A skill's data without the content of its files.
 *
 * @param title the first heading of its instructions, else the name
 * @param digest of its archive as {@link SkillArchive#write} writes it: {@code sha256:} and 64 hexadecimal digits
 * @param frontmatter the beginning of SKILL.md, as JSON
 * @param files SKILL.md first, then by path
 * @param mentions the words in SKILL.md that look like names of this service's tools, each once
 */
public record SkillCard(
        String name,
        String title,
        String description,
        String digest,
        ObjectNode frontmatter,
        List<FileEntry> files,
        List<String> mentions) {
    private static final Pattern TOOL = Pattern.compile("\\b[A-Z]{2}_[A-Z][A-Za-z]{0,40}\\b");

    private static final int MAX_MENTIONS = 200;

    /** A file of the skill. For its digest see {@link SkillFile}. */
    public record FileEntry(String path, String mediaType, int size, String digest) {
        static FileEntry of(SkillFile file) {
            return new FileEntry(file.path(), file.mediaType(), file.size(), file.digest());
        }
    }

    static List<String> mentions(String skillMd) {
        return TOOL.matcher(skillMd)
                .results()
                .map(MatchResult::group)
                .distinct()
                .limit(MAX_MENTIONS)
                .toList();
    }

    /** Returns the frontmatter, as a copy that callers may change. */
    @Override
    public ObjectNode frontmatter() {
        return frontmatter.deepCopy();
    }

    public Optional<FileEntry> file(String path) {
        return files.stream().filter(file -> file.path().equals(path)).findFirst();
    }

    /** Returns a text field of the frontmatter, such as {@code license}. */
    public Optional<String> text(String field) {
        return Optional.ofNullable(frontmatter.get(field))
                .filter(JsonNode::isString)
                .map(JsonNode::asString);
    }

    /** Returns the size of all files together, in bytes. */
    public long size() {
        return files.stream().mapToLong(FileEntry::size).sum();
    }

    /** Returns the names in {@code allowed-tools}, of this service's tools and of others, each once. */
    public List<String> allowedTools() {
        var allowed = frontmatter.path("allowed-tools");
        var names = allowed.isString()
                ? split(allowed.asString())
                : allowed.valueStream().map(JsonNode::asString).toList();
        return names.stream()
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }

    /** Splits at spaces and commas, but not inside parentheses: {@code Bash(git add:*) Read}. */
    private static List<String> split(String text) {
        var names = new ArrayList<String>();
        var begin = 0;
        var depth = 0;
        for (var i = 0; i <= text.length(); i++) {
            var c = i == text.length() ? ' ' : text.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (i == text.length() || (depth <= 0 && (c == ',' || Character.isWhitespace(c)))) {
                names.add(text.substring(begin, i));
                begin = i + 1;
            }
        }
        return names;
    }
}
