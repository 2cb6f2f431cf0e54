package io.agentworkspace.engine.skills;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

class ShippedSkillsTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)\\)");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```json[^\n]*\n(.*?)^```$");

    @Test
    void theSkillsThatAreMeantToBeThereAre() {
        assertThat(ShippedSkills.read())
                .extracting(Skill::name)
                .containsExactly(
                        "first-steps",
                        "workspace",
                        "team-with-shared-memory",
                        "receive-webhooks",
                        "stay-within-limits");
    }

    /** Plugins cannot read the jar, so they have copies of this skill. */
    @Test
    void theClientsHaveTheSkillForAgents() throws IOException {
        var skill = Files.readString(place("workspace/SKILL.md"));
        var clients = Path.of("../clients");
        assertThat(clients.resolve("workspace/skills/workspace/SKILL.md")).hasContent(skill);
        assertThat(clients.resolve("gemini-cli/extension/WORKSPACE.md"))
                .hasContent(skill.substring(skill.indexOf("# ")));
    }

    @Test
    void theIndexListsEveryFileThatLiesBesideIt() throws IOException {
        var root = place("index").getParent();
        try (var files = Files.walk(root)) {
            var all = files.filter(Files::isRegularFile)
                    .map(file -> root.relativize(file).toString().replace('\\', '/'))
                    .filter(file -> !file.equals("index"))
                    .toList();
            assertThat(ShippedSkills.index()).containsExactlyInAnyOrderElementsOf(all);
        }
    }

    @ParameterizedTest
    @MethodSource("skills")
    void aSkillIsTheSameFromItsFolderAsFromTheClassPath(Skill skill) throws IOException {
        var folder = place(skill.name() + "/SKILL.md").getParent();
        for (var file : skill.files()) {
            assertThat(Files.readAllBytes(folder.resolve(file.path())))
                    .as(file.path())
                    .isEqualTo(file.bytes());
        }
    }

    /** Checks the sizes that the specification recommends, so that an agent can afford to load the skill. */
    @ParameterizedTest
    @MethodSource("skills")
    void aSkillIsShortAndSaysWhenToUseIt(Skill skill) {
        assertThat(skill.body().lines().count()).isLessThan(500);
        assertThat(skill.body().length()).isLessThan(20_000);
        assertThat(skill.description()).contains(" Use it ");
        assertThat(skill.title()).isNotEqualTo(skill.name());
    }

    @ParameterizedTest
    @MethodSource("skills")
    void everyFileIsNamedInTheMainOneAndEveryLinkLeadsSomewhere(Skill skill) {
        var paths = skill.files().stream().map(SkillFile::path).toList();
        var links = LINK.matcher(skill.body())
                .results()
                .map(link -> link.group(1))
                .filter(link -> !link.contains("://"))
                .toList();
        assertThat(paths).containsAll(links);
        assertThat(links).containsAll(paths.subList(1, paths.size()));
    }

    @ParameterizedTest
    @MethodSource("skills")
    void everyBlockOfJsonIsJson(Skill skill) {
        assertThat(blocks(skill)).isNotEmpty().allSatisfy(ShippedSkillsTest::json);
    }

    @Test
    void theTestVectorOfTheWebhooksVerifies() {
        var skill = skills().filter(one -> one.name().equals("receive-webhooks"))
                .findFirst()
                .orElseThrow();
        var blocks = blocks(skill).stream().map(ShippedSkillsTest::json).toList();
        var vector =
                blocks.stream().filter(json -> json.has("secret")).findFirst().orElseThrow();
        WebhookVector.verify(vector);
        assertThat(json(vector.get("body").asString())).isEqualTo(blocks.getFirst());
        assertThat(vector.get("webhook_id")).isEqualTo(blocks.getFirst().get("id"));
    }

    private static Path place(String resource) {
        try {
            return Path.of(Objects.requireNonNull(ShippedSkills.class.getResource("/skills/" + resource))
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> blocks(Skill skill) {
        return skill.files().stream()
                .flatMap(file -> BLOCK.matcher(file.text().orElseThrow()).results())
                .map(block -> block.group(1))
                .toList();
    }

    private static JsonNode json(String text) {
        return Json.read(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Stream<Skill> skills() {
        return ShippedSkills.read().stream();
    }
}
