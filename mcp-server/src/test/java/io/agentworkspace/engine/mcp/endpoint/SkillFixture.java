package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.TestCaller;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs a skill's examples in order. A response that the skill shows must be part of the real one. {@code …} stands for
 * any value, {@code <word>} for the same value wherever the word occurs.
 */
final class SkillFixture {
    private static final Pattern WORD = Pattern.compile("<([a-z-]+)>");

    private final TestCaller person;
    private final Map<String, String> values = new HashMap<>();

    SkillFixture(TestCaller person) {
        this.person = person;
    }

    void play(SkillExample example) {
        var reply = person.call(example.tool(), filledIn(example.arguments()));
        var real = reply.envelope();
        assertThat(reply.code() != 0).as("%s is refused: %s", example, real).isEqualTo(example.failed());
        if (example.answer() != null) {
            check(example.answer(), real, example + " in " + real);
        }
    }

    private ObjectNode filledIn(ObjectNode arguments) {
        var text = Json.text(arguments);
        for (var word : values.entrySet()) {
            text = text.replace("<%s>".formatted(word.getKey()), word.getValue());
        }
        assertThat(WORD.matcher(text).find())
                .as("every <word> already has a value: %s", text)
                .isFalse();
        return Json.readObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private void check(JsonNode example, JsonNode real, String where) {
        if (example.isObject()) {
            example.properties()
                    .forEach(field ->
                            check(field.getValue(), real.path(field.getKey()), field.getKey() + " of " + where));
        } else if (example.isArray()) {
            assertThat(real.size()).as(where).isEqualTo(example.size());
            for (var i = 0; i < example.size(); i++) {
                check(example.get(i), real.path(i), i + " of " + where);
            }
        } else if (example.isString()) {
            checkText(example.asString(), real, where);
        } else {
            assertThat(Json.text(real)).as(where).isEqualTo(Json.text(example));
        }
    }

    private void checkText(String example, JsonNode real, String where) {
        assertThat(real.isString()).as(where).isTrue();
        var word = WORD.matcher(example);
        if (word.matches()) {
            assertThat(values.computeIfAbsent(word.group(1), _ -> real.asString()))
                    .as(where)
                    .isEqualTo(real.asString());
        } else if (!example.equals("…")) {
            assertThat(real.asString()).as(where).isEqualTo(example);
        }
    }
}
