package io.agentworkspace.engine.skills;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is known of a skill without its content.
 *
 * @param title what the first heading of its instructions says, else the name
 * @param digest of its archive, as {@link SkillArchive#write} makes it: {@code sha256:} and 64 hexadecimal digits
 * @param frontmatter what SKILL.md begins with, as JSON
 * @param files SKILL.md first, then by path
 * @param mentions the words in SKILL.md that look like names of this service's tools, each once
 */
public record SkillCard(
        String name,
        String title,
        String description,
        String digest,
        ObjectNode frontmatter,
        List<Entry> files,
        List<String> mentions) {
    private static final Pattern TOOL = Pattern.compile("\\b[A-Z]{2}_[A-Z][A-Za-z]{0,40}\\b");

    private static final int MAX_MENTIONS = 200;

    /** A file of the skill; of its digest see {@link SkillFile}. */
    public record Entry(String path, String mediaType, int size, String digest) {
        static Entry of(SkillFile file) {
            return new Entry(file.path(), file.mediaType(), file.size(), file.digest());
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

    /** A copy: change it as you like. */
    @Override
    public ObjectNode frontmatter() {
        return frontmatter.deepCopy();
    }

    public Optional<Entry> file(String path) {
        return files.stream().filter(file -> file.path().equals(path)).findFirst();
    }

    /** A field of the frontmatter that is text, such as {@code license}. */
    public Optional<String> text(String field) {
        return Optional.ofNullable(frontmatter.get(field))
                .filter(JsonNode::isString)
                .map(JsonNode::asString);
    }

    /** In bytes, of all files together. */
    public long size() {
        return files.stream().mapToLong(Entry::size).sum();
    }

    /** The names in {@code allowed-tools}, of this service's tools and of any other's, each once. */
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

    /** At spaces and commas, but not inside of parentheses: {@code Bash(git add:*) Read}. */
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
