package io.agentworkspace.engine.skills;

import io.agentworkspace.engine.model.problem.Problem;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The beginning of SKILL.md: YAML between two lines of {@code ---}, with the fields of the Agent Skills
 * specification. Other fields pass through unchanged.
 */
final class Frontmatter {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*+");
    private static final int MAX_NAME = 64;
    private static final int MAX_DESCRIPTION = 1_024;
    private static final int MAX_COMPATIBILITY = 500;
    private static final String FENCE = "---";

    private Frontmatter() {}

    /** The two parts of SKILL.md. */
    record Split(ObjectNode fields, String body) {}

    static Split read(String skillMd) {
        var text = skillMd.startsWith("\uFEFF") ? skillMd.substring(1) : skillMd;
        var open = lineEnd(text, 0);
        if (!text.startsWith(FENCE + "\n") && !text.startsWith(FENCE + "\r\n")) {
            throw Problem.invalid(
                    Skill.MAIN,
                    "must begin with YAML frontmatter: a line '---', the fields name and description, a line '---'");
        }
        for (var at = open; at < text.length(); at = lineEnd(text, at)) {
            var end = lineEnd(text, at);
            if (text.startsWith(FENCE, at) && text.substring(at, end).strip().equals(FENCE)) {
                var fields = Yaml.read(text.substring(open, at));
                check(fields);
                return new Split(fields, text.substring(end).strip());
            }
        }
        throw Problem.invalid(Skill.MAIN, "has frontmatter without an end: close it with a line '---'");
    }

    private static int lineEnd(String text, int from) {
        var newline = text.indexOf('\n', from);
        return newline < 0 ? text.length() : newline + 1;
    }

    private static void check(ObjectNode fields) {
        var name = text(fields, "name", MAX_NAME);
        if (name == null || !NAME.matcher(name).matches()) {
            throw invalid(
                    "name",
                    "must be given: 1–64 lower-case letters (a–z), digits and single hyphens between them, like 'pdf-forms'");
        }
        if (text(fields, "description", MAX_DESCRIPTION) == null) {
            throw invalid("description", "must be given: what the skill does, and when an agent should use it");
        }
        text(fields, "license", Integer.MAX_VALUE);
        text(fields, "compatibility", MAX_COMPATIBILITY);
        checkMetadata(fields.get("metadata"));
        checkTools(fields.get("allowed-tools"));
    }

    /** Returns the field's text, or null if there is none. */
    private static @Nullable String text(ObjectNode fields, String field, int max) {
        var value = fields.get(field);
        if (value == null) {
            return null;
        }
        if (!value.isString()) {
            throw invalid(field, "must be text; put it in quotes");
        }
        var text = value.asString();
        var length = text.codePointCount(0, text.length());
        if (length > max) {
            throw Problem.tooLarge(field + " in SKILL.md", length, max, "characters");
        }
        if (text.isBlank()) {
            throw invalid(field, "must not be blank");
        }
        return text;
    }

    private static void checkMetadata(@Nullable JsonNode metadata) {
        if (metadata == null) {
            return;
        }
        if (!metadata.isObject()) {
            throw invalid("metadata", "must be a map of texts, like 'version: \"1.0\"'");
        }
        for (var entry : metadata.properties()) {
            if (!entry.getValue().isString()) {
                throw invalid("metadata." + entry.getKey(), "must be text; put it in quotes");
            }
        }
    }

    private static void checkTools(@Nullable JsonNode tools) {
        var fine = tools == null
                || tools.isString()
                || (tools.isArray() && tools.valueStream().allMatch(JsonNode::isString));
        if (!fine) {
            throw invalid("allowed-tools", "must be the tools' names with spaces between them, or a list of names");
        }
    }

    private static Problem invalid(String field, String rule) {
        return Problem.invalid(field + " in SKILL.md", rule);
    }
}
