package io.agentworkspace.engine.documents;

import static io.agentworkspace.engine.documents.DocumentStage.submitted;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.Person;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class DocumentLoadTest {
    private final TestTenant tenant = new TestTenant();
    private final Person ann = tenant.person(Door.MCP, "ann", Role.MEMBER);

    @BeforeEach
    void begin() {
        ann.call("MB_Create", "{'vx':{'name':'Box'}}").ok();
    }

    /** A long text with headings and a table, in which one paragraph says what the edition is. */
    private static String edition(String changed) {
        var text = new StringBuilder("# Handbook\n");
        for (var chapter = 1; chapter <= 12; chapter++) {
            text.append("\n## Chapter %d\n".formatted(chapter));
            for (var i = 1; i <= 14; i++) {
                text.append(
                        "\nIn chapter %d paragraph %d explains a matter of its own, number %d, at some length, so that a reader who has the time can follow it from its first word to its last, and remember a little of it.\n"
                                .formatted(chapter, i, chapter * 100 + i));
            }
            if (chapter == 6) {
                text.append("\n").append(changed).append("\n");
            }
        }
        text.append("\n## Table\n\n| port | low water |\n|---|---|\n");
        for (var i = 0; i < 120; i++) {
            text.append("| harbour %d | at %d:%02d in the morning |\n".formatted(i, i % 12, i % 60));
        }
        return text.toString();
    }

    private Reply load() {
        return ann.call("MB_Load", "{'target':{'bank':'Box'},'vx':{'name':'handbook.md'}}");
    }

    private List<JsonNode> memories() {
        var found = new ArrayList<JsonNode>();
        var arguments = Json.object();
        arguments.putObject("target").put("bank", "Box");
        var page = arguments.putObject("page").put("limit", 200);
        for (var more = true; more; ) {
            var read = ann.call("MB_Read", arguments).ok();
            read.at("/content").forEach(found::add);
            more = !read.at("/next_cursor").isMissingNode();
            page.put("cursor", read.text("/next_cursor"));
        }
        return found;
    }

    @Test
    void aNewVersionChangesOnlyWhatChanged() {
        submitted(ann, "handbook.md", edition("The first edition says this."));
        var first = load().ok();
        var count = first.number("/document/memories");
        assertThat(count).isGreaterThan(20);
        assertThat(first.number("/document/added")).isEqualTo(count);
        assertThat(first.at("/changed").asBoolean()).isTrue();
        var before = memories();
        assertThat(before).hasSize((int) count);
        assertThat(before).allSatisfy(memory -> {
            assertThat(memory.at("/source/kind").asString()).isEqualTo("document");
            assertThat(memory.at("/source/name").asString()).isEqualTo("handbook.md");
            assertThat(memory.at("/source/version").asInt()).isEqualTo(1);
            assertThat(memory.at("/source/position").asString()).startsWith("line ");
            assertThat(memory.path("text").asString()).startsWith("Handbook");
            assertThat(memory.path("text").asString().length()).isLessThan(2_600);
        });
        assertThat(before.stream()
                        .map(memory -> memory.path("text").asString())
                        .filter(text -> text.contains("harbour")))
                .hasSizeGreaterThan(1)
                .allSatisfy(text -> assertThat(text).contains("Table").contains("port | low water\nharbour"));
        assertThat(load().ok().at("/changed").asBoolean()).isFalse();

        submitted(ann, "handbook.md", edition("The second edition says something else, and more of it."));
        var second = load().ok();
        assertThat(second.number("/document/version")).isEqualTo(2);
        assertThat(second.number("/document/added")).isBetween(1L, 3L);
        assertThat(second.number("/document/removed")).isBetween(1L, 3L);
        assertThat(second.number("/document/kept"))
                .isEqualTo(second.number("/document/memories") - second.number("/document/added"));
        var after = memories();
        var ids = new HashSet<>(before.stream().map(memory -> memory.path("id")).toList());
        assertThat(after.stream().filter(memory -> ids.contains(memory.path("id"))))
                .hasSize((int) second.number("/document/kept"))
                .allSatisfy(memory -> {
                    assertThat(memory.path("revision").asInt()).isEqualTo(1);
                    assertThat(memory.at("/source/version").asInt()).isEqualTo(2);
                });
        assertThat(after.toString()).contains("second edition").doesNotContain("first edition");
    }

    @Test
    void twoAtOnceLoadItOnce() throws Exception {
        submitted(ann, "handbook.md", edition("Twice."));
        try (var threads = Executors.newFixedThreadPool(4)) {
            var loads = threads.invokeAll(java.util.Collections.nCopies(4, (Callable<Reply>) this::load));
            var added = 0L;
            for (var load : loads) {
                added += load.get().ok().number("/document/added");
            }
            assertThat(memories()).hasSize((int) added);
        }
    }

    @Test
    void whatCannotBeLoadedIsRefused() {
        submitted(ann, "handbook.md", "Some words.");
        ann.call("MB_Load", "{'target':{'bank':'Box'},'vx':{'name':'handbok.md'}}")
                .refused(3001, "no document", "'handbook.md'");
        submitted(ann, "broken.json", "{\"a\": }");
        ann.call("MB_Load", "{'target':{'bank':'Box'},'vx':{'name':'broken.json'}}")
                .refused(3003, "rejected", "DC_Read");
        var bob = tenant.person(Door.MCP, "bob", Role.MEMBER);
        bob.call("MB_Load", "{'target':{'bank':'Box'},'vx':{'name':'handbook.md'}}")
                .refused(3001, "no bank");
        ann.call("MB_Update", "{'target':{'bank':'Box'},'vx':{'name':'Box','description':'d','access':'public'}}")
                .ok();
        bob.call("MB_Load", "{'target':{'bank':'Box'},'vx':{'name':'handbook.md'}}")
                .refused(2003, "append");
        assertThat(memories()).isEmpty();
    }
}
