package io.agentworkspace.engine.skills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SkillTest {
    private static final String MINIMAL = """
            ---
            name: pdf-forms
            description: Fills forms. Use it when a PDF has fields.
            ---

            # PDF forms

            Read [the guide](references/guide.md).
            """;

    @Test
    void everyFieldThatTheAuthorWroteIsInTheFrontmatter() {
        var skill = skill("pdf-forms", """
                ---
                name: pdf-forms
                description: >-
                  Fills forms.
                  Use it when a PDF has fields.
                license: Apache-2.0
                compatibility: "Needs: qpdf"
                metadata:
                  author: ann
                  version: "1.0"
                allowed-tools: [Read, "Bash(qpdf:*)"]
                of-tomorrow: {deep: [1, 2.5, true, null, 0x10]}
                ---
                Body.
                """);
        assertThat(skill.description()).isEqualTo("Fills forms. Use it when a PDF has fields.");
        assertThat(Json.text(skill.frontmatter())).isEqualTo("""
                {"name":"pdf-forms","description":"Fills forms. Use it when a PDF has fields.","license":"Apache-2.0",\
                "compatibility":"Needs: qpdf","metadata":{"author":"ann","version":"1.0"},\
                "allowed-tools":["Read","Bash(qpdf:*)"],"of-tomorrow":{"deep":[1,2.5,true,null,16]}}""");
        assertThat(skill.body()).isEqualTo("Body.");
    }

    @Test
    void bodyAndTitleAreWhatFollowsTheFrontmatter() {
        var skill = skill("pdf-forms", MINIMAL);
        assertThat(skill.body()).startsWith("# PDF forms").endsWith("(references/guide.md).");
        assertThat(skill.title()).isEqualTo("PDF forms");
        assertThat(skill("pdf-forms", MINIMAL.replace("# PDF", "PDF")).title()).isEqualTo("pdf-forms");
        var fromWindows = "\uFEFF" + MINIMAL.replace("\n", "\r\n");
        assertThat(skill("pdf-forms", fromWindows).description()).startsWith("Fills forms");
    }

    @Test
    void filesHaveDigestSizeAndKindAndTheMainOneIsFirst() {
        var skill = Skill.of(
                "pdf-forms",
                List.of(
                        file("references/guide.md", "abc"),
                        file("a.bin", new byte[] {(byte) 0xFF, 0}),
                        file("SKILL.md", MINIMAL),
                        file("LICENSE", "free")));
        assertThat(skill.files())
                .extracting(SkillFile::path)
                .containsExactly("SKILL.md", "LICENSE", "a.bin", "references/guide.md");
        assertThat(skill.files())
                .extracting(SkillFile::mediaType)
                .containsExactly("text/markdown", "text/plain", "application/octet-stream", "text/markdown");
        var guide = skill.files().getLast();
        assertThat(guide.digest()).isEqualTo("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assertThat(guide.size()).isEqualTo(3);
        assertThat(guide.text()).hasValue("abc");
        assertThat(skill.files().get(2).text()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PDF", "-pdf", "pdf-", "pdf--forms", "pdf_forms", "pdf forms", "é", "''", "12"})
    void aNameThatTheSpecificationForbidsIsRefused(String name) {
        var text = MINIMAL.replace("name: pdf-forms", "name: " + name);
        refused(Failure.INVALID_FIELD, () -> skill(name, text), "name in SKILL.md");
    }

    @Test
    void theNameMustBeTheFoldersAndAtMost64Long() {
        refused(
                Failure.INVALID_FIELD,
                () -> skill("other", MINIMAL),
                "must be the name of the skill's folder",
                "'other'");
        var longest = "a".repeat(64);
        assertThat(skill(longest, MINIMAL.replace("pdf-forms", longest)).name()).isEqualTo(longest);
        var tooLong = MINIMAL.replace("pdf-forms", longest + "a");
        refused(Failure.TOO_LARGE, () -> skill(longest + "a", tooLong), "65 characters");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "description: ''               | must not be blank",
                "description: 7                | must be text",
                "descriptions: x               | description in SKILL.md must be given",
                "description: [x]              | must be text",
                "metadata: x                   | metadata in SKILL.md must be a map",
                "metadata: {version: 1.0}      | metadata.version in SKILL.md must be text; put it in quotes",
                "license: [MIT]                | license in SKILL.md must be text",
                "compatibility: ''             | compatibility in SKILL.md must not be blank",
                "allowed-tools: {a: b}         | allowed-tools in SKILL.md",
                "1: x                          | must have text as keys; put '1' in quotes",
                "name: twice                   | is not valid YAML at line 3",
                "x: [&a b, *a]                 | must not use aliases",
                "x: !!binary aGk=              | must hold only text",
                "x: .inf                       | must hold only text",
                "x: !strange y                 | is not valid YAML at line 3",
                "x: [                          | is not valid YAML at line 5",
            })
    void aFieldThatBreaksTheRulesIsNamed(String line, String noted) {
        var text = line.startsWith("description")
                ? MINIMAL.replaceAll("description: .*", line)
                : MINIMAL.replace("\ndescription", "\n" + line + "\ndescription");
        refused(Failure.INVALID_FIELD, () -> skill("pdf-forms", text), noted);
    }

    @Test
    void longFieldsAreRefusedWithTheirLimit() {
        var longest = "ä".repeat(1_024);
        var text = MINIMAL.replaceAll("Fills .*", longest);
        assertThat(skill("pdf-forms", text).description()).isEqualTo(longest);
        refused(Failure.TOO_LARGE, () -> skill("pdf-forms", text.replace(longest, longest + "ä")), "1,025", "1,024");
        refused(
                Failure.TOO_LARGE,
                () -> skill("pdf-forms", with("compatibility: " + "x".repeat(501))),
                "compatibility in SKILL.md",
                "at most 500");
        refused(
                Failure.TOO_LARGE,
                () -> skill("pdf-forms", with("x: " + "y".repeat(70_000))),
                "the frontmatter of SKILL.md");
    }

    @Test
    void deepNestingIsRefusedBeforeItCostsTheStack() {
        var deep = with("x: " + "[".repeat(30_000));
        refused(Failure.INVALID_FIELD, () -> skill("pdf-forms", deep), "is nested more than 16 levels deep");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# Just text\n", " ---\nname: x\n---\n", "--- \nname: x\n---\n", "---"})
    void aFileWithoutFrontmatterIsRefused(String text) {
        refused(Failure.INVALID_FIELD, () -> skill("x", text), "SKILL.md must begin with YAML frontmatter");
    }

    @Test
    void frontmatterNeedsAnEndAndMustBeAMap() {
        refused(Failure.INVALID_FIELD, () -> skill("x", "---\nname: x\ndescription: y\n"), "without an end");
        refused(Failure.INVALID_FIELD, () -> skill("x", "---\n- a\n---\n"), "must be a map of fields");
        refused(Failure.INVALID_FIELD, () -> skill("x", "---\n---\n"), "must be a map of fields");
    }

    @Test
    void aSkillNeedsItsMainFileInUtf8() {
        refused(
                Failure.INVALID_FIELD,
                () -> Skill.of("x", List.of(file("skill.md", MINIMAL))),
                "must hold the file SKILL.md");
        refused(Failure.INVALID_FIELD, () -> Skill.of("x", List.of(file("x/SKILL.md", MINIMAL))), "at its root");
        var latin = MINIMAL.replace("Fills", "Fülls").getBytes(StandardCharsets.ISO_8859_1);
        refused(Failure.INVALID_FIELD, () -> Skill.of("pdf-forms", List.of(file("SKILL.md", latin))), "UTF-8");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../SKILL.md",
                "/etc/passwd",
                "a/../b",
                "a//b",
                "a/",
                "",
                ".",
                "..",
                "a\\b",
                "C:x",
                "a\nb",
                "a\0b",
                " a",
                "a/ b",
                "a\u0301",
                "a%2e",
                "a?b",
                "a*b",
                "a|b",
                "a/b/c/d/e/f/g/h/i"
            })
    void aPathThatCouldLeaveTheFolderIsRefused(String path) {
        refused(Failure.INVALID_FIELD, () -> file(path, "x"), "the path '");
    }

    @Test
    void ordinaryPathsAreTaken() {
        for (var path :
                List.of("LICENSE.txt", "docs/Größe 2 (neu).md", ".hidden", "a/b/c/d/e/f/g/h", "..x", "a@2x.png")) {
            assertThat(file(path, "x").path()).isEqualTo(path);
        }
        refused(Failure.TOO_LARGE, () -> file("a".repeat(256), "x"), "256 characters");
    }

    @Test
    void filesThatWouldMeetInOnePlaceAreRefused() {
        var main = file("SKILL.md", MINIMAL);
        refused(Failure.INVALID_FIELD, () -> Skill.of("pdf-forms", List.of(main, main)), "is there twice");
        var alike = List.of(main, file("a/B.md", "1"), file("A/b.md", "2"));
        refused(Failure.INVALID_FIELD, () -> Skill.of("pdf-forms", alike), "is there twice");
        var inside = List.of(main, file("a/b/c", "1"), file("A/b", "2"));
        refused(Failure.INVALID_FIELD, () -> Skill.of("pdf-forms", inside), "has the name of a folder");
    }

    @Test
    void theLimitsOfNumberAndSizeHold() {
        var full = new byte[SkillFile.MAX_BYTES];
        refused(Failure.TOO_LARGE, () -> file("a.bin", new byte[full.length + 1]), "1,048,577 bytes", "1,048,576");
        var many = new ArrayList<>(List.of(file("SKILL.md", MINIMAL)));
        IntStream.range(1, 100).forEach(i -> many.add(file(i + ".txt", "x")));
        assertThat(Skill.of("pdf-forms", many).files()).hasSize(100);
        many.add(file("one-more.txt", "x"));
        refused(Failure.TOO_LARGE, () -> Skill.of("pdf-forms", many), "101 files", "at most 100");
        var large = new ArrayList<>(List.of(file("SKILL.md", MINIMAL)));
        IntStream.range(0, 5).forEach(i -> large.add(file(i + ".bin", full)));
        refused(Failure.TOO_LARGE, () -> Skill.of("pdf-forms", large), "at most 5,242,880");
    }

    private static String with(String line) {
        return MINIMAL.replace("\ndescription", "\n" + line + "\ndescription");
    }

    private static Skill skill(String folder, String skillMd) {
        return Skill.of(folder, List.of(file("SKILL.md", skillMd)));
    }

    private static SkillFile file(String path, String text) {
        return file(path, text.getBytes(StandardCharsets.UTF_8));
    }

    private static SkillFile file(String path, byte[] bytes) {
        return SkillFile.of(path, bytes);
    }

    private static void refused(Failure failure, ThrowingCallable attempt, String... noted) {
        assertThatThrownBy(attempt).isInstanceOfSatisfying(Problem.class, problem -> {
            assertThat(problem.note()).contains(noted);
            assertThat(problem.failure()).isEqualTo(failure);
        });
    }
}
