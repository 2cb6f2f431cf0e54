package io.agentworkspace.engine.mcp.skills;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.integrations.skills.Library;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillFile;
import io.agentworkspace.engine.testing.TestDatabase;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class SkillResourcesTest {
    private static final byte[] PIXEL = {(byte) 0x89, 'P', 'N', 'G', 0, (byte) 0xFF};

    private static final Library LIBRARY = TestDatabase.library();

    private final SkillResources shipped = new SkillResources(Library.shipped());
    private final SkillResources sample = new SkillResources(List.of(Skill.of(
                    "forms",
                    List.of(
                            file("SKILL.md", """
                    ---
                    name: forms
                    description: Fills forms.
                    metadata: {version: "2"}
                    ---
                    # Forms

                    Begin.
                    """),
                            file("templates/eu/invoice (neu).md", "# Rechnung für Größe"),
                            file("templates/order.json", "{}"),
                            SkillFile.of("logo.png", PIXEL)))
            .card()));

    @Test
    void anEntryHasTheFrontmatterAndEveryFileWithDigestAndSize() throws Exception {
        assertThat(texts(shipped.entries(), "uri"))
                .containsExactly(
                        "skill://first-steps/SKILL.md",
                        "skill://workspace/SKILL.md",
                        "skill://team-with-shared-memory/SKILL.md",
                        "skill://receive-webhooks/SKILL.md",
                        "skill://stay-within-limits/SKILL.md");
        for (var entry : shipped.entries()) {
            assertThat(entry.propertyNames()).containsExactly("uri", "frontmatter", "resources");
            assertThat(entry.at("/resources/0/uri")).isEqualTo(entry.get("uri"));
            for (var file : entry.get("resources")) {
                assertThat(file.propertyNames()).containsExactly("uri", "digest", "size");
                var address = SkillAddress.find(file.get("uri").asString()).orElseThrow();
                var bytes = LIBRARY.file(null, address.skill(), address.path())
                        .orElseThrow()
                        .bytes();
                assertThat(file.get("size").asInt()).isEqualTo(bytes.length);
                assertThat(file.get("digest").asString())
                        .isEqualTo("sha256:"
                                + HexFormat.of()
                                        .formatHex(MessageDigest.getInstance("SHA-256")
                                                .digest(bytes)));
            }
        }
        var entry = sample.entry("skill://forms/SKILL.md").orElseThrow();
        assertThat(Json.text(entry.get("frontmatter"))).isEqualTo("""
                {"name":"forms","description":"Fills forms.","metadata":{"version":"2"}}""");
        assertThat(sample.entry("skill://forms")).isEmpty();
        assertThat(sample.entry("skill://forms/logo.png")).isEmpty();
    }

    @Test
    void everyFileIsAResourceAndTheMainOneHasTheSkillsName() {
        var main = sample.resources().getFirst();
        assertThat(Json.text(main)).isEqualTo("""
                {"uri":"skill://forms/SKILL.md","name":"forms","title":"Forms","description":"Fills forms.",\
                "mimeType":"text/markdown","size":87}""");
        assertThat(texts(sample.resources(), "uri"))
                .containsExactly(
                        "skill://forms/SKILL.md",
                        "skill://forms/logo.png",
                        "skill://forms/templates/eu/invoice%20%28neu%29.md",
                        "skill://forms/templates/order.json");
        assertThat(texts(sample.resources(), "name"))
                .containsExactly("forms", "logo.png", "invoice (neu).md", "order.json");
        assertThat(shipped.resources()).allSatisfy(resource -> {
            assertThat(URI.create(resource.get("uri").asString()).getScheme()).isEqualTo("skill");
        });
    }

    @Test
    void anAddressHasOneSpelling() {
        assertThat(SkillAddress.find("skill://forms/templates/eu/invoice%20%28neu%29.md"))
                .contains(new SkillAddress("forms", "templates/eu/invoice (neu).md"));
        assertThat(SkillAddress.find("skill://forms")).contains(new SkillAddress("forms", ""));
        for (var uri : List.of(
                "skill://forms/%53KILL.md",
                "skill://forms/%00",
                "skill://forms/%",
                "skill://forms/%C3",
                "skill://forms/a+b c",
                "SKILL.md",
                "file:///etc/passwd",
                "")) {
            assertThat(SkillAddress.find(uri)).as(uri).isEmpty();
        }
    }

    @Test
    void whatIsNotThereIsNotRead() {
        for (var path : List.of("", "SKILL", "references", "../first-steps/SKILL.md", "/SKILL.md", "skill.md")) {
            assertThat(LIBRARY.file(null, "first-steps", path)).as(path).isEmpty();
        }
        assertThat(LIBRARY.file(null, "other", "SKILL.md")).isEmpty();
    }

    @Test
    void aFolderListsItsDirectChildrenOnly() {
        assertThat(children("skill://forms"))
                .containsExactly(
                        "skill://forms/SKILL.md text/markdown",
                        "skill://forms/logo.png image/png",
                        "skill://forms/templates inode/directory");
        assertThat(children("skill://forms/templates"))
                .containsExactly(
                        "skill://forms/templates/eu inode/directory",
                        "skill://forms/templates/order.json application/json");
        assertThat(children("skill://forms/templates/eu"))
                .containsExactly("skill://forms/templates/eu/invoice%20%28neu%29.md text/markdown");
        assertThat(sample.children("skill://forms").orElseThrow())
                .contains(sample.resources().getFirst());
        for (var uri :
                List.of("skill://forms/SKILL.md", "skill://forms/", "skill://", "skill://other", "skill://form")) {
            assertThat(sample.children(uri)).as(uri).isEmpty();
        }
    }

    @Test
    void everyFolderCanBeWalkedDownToEveryFile() {
        var found = new ArrayList<String>();
        shipped.entries().forEach(entry -> walk(entry.get("uri").asString().replace("/SKILL.md", ""), found));
        assertThat(found).containsExactlyInAnyOrderElementsOf(texts(shipped.resources(), "uri"));
    }

    /** The conformance suite requires a folder in the first listed skill. */
    @Test
    void aShippedSkillOfSeveralFilesHasAFolderInIt() {
        assertThat(shipped.entries().stream()
                        .filter(entry -> entry.get("resources").size() > 1))
                .isNotEmpty()
                .allSatisfy(entry -> assertThat(
                                shipped.children(entry.get("uri").asString().replace("/SKILL.md", ""))
                                        .orElseThrow())
                        .anyMatch(child -> child.get("mimeType").asString().equals("inode/directory")));
    }

    @Test
    void aSkillIsAPromptThatTakesATask() {
        assertThat(Json.text(sample.prompts())).isEqualTo("""
                [{"name":"forms","title":"Forms","description":"Fills forms.","arguments":[{"name":"task",\
                "description":"What to do with the skill, in your own words.","required":false}]}]""");
    }

    @Test
    void namesAndPathsCanBeCompleted() {
        assertThat(shipped.names("s")).containsExactly("stay-within-limits");
        assertThat(shipped.names("")).hasSize(5);
        assertThat(sample.paths("forms", "templates/")).hasSize(2);
        assertThat(sample.paths("other", "")).isEmpty();
    }

    private void walk(String folder, List<String> found) {
        for (var child : shipped.children(folder).orElseThrow()) {
            var uri = child.get("uri").asString();
            if (child.get("mimeType").asString().equals("inode/directory")) {
                walk(uri, found);
            } else {
                found.add(uri);
            }
        }
    }

    private List<String> children(String uri) {
        return sample.children(uri).orElseThrow().stream()
                .map(child -> child.get("uri").asString() + " "
                        + child.get("mimeType").asString())
                .toList();
    }

    private static List<String> texts(List<ObjectNode> nodes, String field) {
        return nodes.stream()
                .map(node -> node.path(field))
                .map(JsonNode::asString)
                .toList();
    }

    private static SkillFile file(String path, String text) {
        return SkillFile.of(path, text.getBytes(StandardCharsets.UTF_8));
    }
}
