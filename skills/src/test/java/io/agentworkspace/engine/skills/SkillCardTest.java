package io.agentworkspace.engine.skills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SkillCardTest {
    private static SkillCard card(String fields, String body) {
        var text = "---\nname: pdf-forms\ndescription: d\n%s\n---\n%s".formatted(fields, body);
        return Skill.of(List.of(SkillFile.of("SKILL.md", text.getBytes(StandardCharsets.UTF_8))))
                .card();
    }

    @Test
    void itComesBackFromJsonAsItWas() {
        var card =
                card("license: MIT\nx: {a: [1, 2.5, null, true]}", "# Forms\n\nAP_Read, then AP_Chat, then AP_Read.");
        assertThat(Json.readValue(Json.text(card), SkillCard.class)).isEqualTo(card);
        assertThat(card.title()).isEqualTo("Forms");
        assertThat(card.mentions()).containsExactly("AP_Read", "AP_Chat");
        assertThat(card.text("license")).contains("MIT");
        assertThat(card.text("compatibility")).isEmpty();
        assertThat(card.size()).isEqualTo(card.files().getFirst().size());
        assertThat(card.file("SKILL.md")).isPresent();
        assertThat(card.file("skill.md")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            allowed-tools: AP_Read Bash(git add:*) Read  | AP_Read;Bash(git add:*);Read
            allowed-tools: "AP_Read, Read,"              | AP_Read;Read
            allowed-tools: [Read, "Bash(a b)", Read]     | Read;Bash(a b)
            allowed-tools: "Bash((a b) c"                | Bash((a b) c
            allowed-tools: "a) b"                        | a);b
            """)
    void allowedToolsAreTakenApart(String field, String names) {
        assertThat(card(field, "").allowedTools()).containsExactly(names.split(";"));
    }

    @Test
    void aLongListOfToolsIsTakenApartAtOnce() {
        assertThat(card("allowed-tools: \"%s\"".formatted("( ,".repeat(20_000)), "")
                        .allowedTools())
                .hasSize(1);
    }

    /** Such a skill could not be stored, or not be read again. */
    @ParameterizedTest
    @ValueSource(strings = {"x: \"a\\0b\"", "x: \"\\uD800\"", "\"a\\0\": 1", "x: [[\"\\0\"]]"})
    void whatNoDatabaseCanHoldIsRefused(String fields) {
        assertThatThrownBy(() -> card(fields, "")).isInstanceOf(Problem.class);
    }

    @Test
    void endlessNumbersAndKeysAreRefused() {
        assertThatThrownBy(() -> card("x: " + "9".repeat(200), "")).isInstanceOf(Problem.class);
        assertThatThrownBy(() -> card("%s: 1".formatted("k".repeat(300)), "")).isInstanceOf(Problem.class);
        assertThatThrownBy(() -> card("", "a\0b")).isInstanceOf(Problem.class);
        assertThat(card("x: " + "9".repeat(70), "").frontmatter().has("x")).isTrue();
    }
}
