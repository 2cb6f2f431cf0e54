package io.agentworkspace.engine.mcp.endpoint;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A block of a skill that shows a tool call, with the part of the response that the skill promises, if any.
 *
 * @param refused whether the call violates the tool's input schema on purpose
 */
record SkillExample(
        String place,
        String tool,
        ObjectNode arguments,
        boolean refused,
        @Nullable ObjectNode answer) {
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```json *([^\n]*)\n(.*?)^```$");
    private static final Set<String> MARKS = Set.of("tool-call", "tool-call refused", "answer", "event", "test-vector");

    /** Returns all examples in the order of a reader: SKILL.md, then the other files. */
    static List<SkillExample> of(Skill skill) {
        return skill.files().stream().flatMap(file -> of(skill, file).stream()).toList();
    }

    private static List<SkillExample> of(Skill skill, SkillFile file) {
        var found = new ArrayList<SkillExample>();
        var text = file.text().orElseThrow();
        BLOCK.matcher(text).results().forEach(block -> {
            var place = "%s/%s:%d"
                    .formatted(
                            skill.name(),
                            file.path(),
                            text.substring(0, block.start()).lines().count() + 1);
            var mark = block.group(1);
            var json = Json.readObject(block.group(2).getBytes(StandardCharsets.UTF_8));
            if (!MARKS.contains(mark)) {
                throw new AssertionError(
                        "%s: the block is marked as '%s', and not as one of %s".formatted(place, mark, MARKS));
            } else if (mark.startsWith("tool-call")) {
                found.add(call(place, json, mark.endsWith("refused")));
            } else if (mark.equals("answer")) {
                found.add(found.removeLast().answered(place, json));
            }
        });
        return found;
    }

    private static SkillExample call(String place, ObjectNode json, boolean refused) {
        if (!(json.size() == 2
                && json.path("name").isString()
                && json.get("arguments") instanceof ObjectNode arguments)) {
            throw new AssertionError(place + ": a tool call has just name and arguments");
        }
        return new SkillExample(place, json.get("name").asString(), arguments, refused, null);
    }

    private SkillExample answered(String at, ObjectNode json) {
        if (answer != null) {
            throw new AssertionError(at + ": there is no tool call before this answer");
        }
        return new SkillExample(place, tool, arguments, refused, json);
    }

    /** Returns whether the skill shows a refusal as the response. */
    boolean failed() {
        return answer != null && answer.path("status").path("internal_code").asInt(0) != 0;
    }

    @Override
    public String toString() {
        return place + " " + tool;
    }
}
