package io.agentworkspace.engine.memory.banks.transfer.source;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.skills.Yaml;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The fields at the beginning of a note, between two lines of {@code ---}.
 *
 * @param body the note without them; if they cannot be read, the whole note
 * @param fault what is wrong with them
 */
public record Frontmatter(
        ObjectNode fields, String body, @Nullable String fault) {
    private static final Pattern BEGIN = Pattern.compile("\\A---[ \\t]*\\r?\\n");
    private static final Pattern END = Pattern.compile("(?m)^(---|\\.\\.\\.)[ \\t]*$");

    public static Frontmatter of(String text) {
        var begin = BEGIN.matcher(text);
        if (!begin.find()) {
            return new Frontmatter(Json.object(), text, null);
        }
        var end = END.matcher(text);
        if (!end.find(begin.end())) {
            return new Frontmatter(Json.object(), text, null);
        }
        var yaml = text.substring(begin.end(), end.start());
        if (yaml.isBlank()) {
            return new Frontmatter(Json.object(), text.substring(end.end()), null);
        }
        try {
            return new Frontmatter(Yaml.read(yaml), text.substring(end.end()), null);
        } catch (Problem problem) {
            return new Frontmatter(Json.object(), text, problem.note());
        }
    }
}
