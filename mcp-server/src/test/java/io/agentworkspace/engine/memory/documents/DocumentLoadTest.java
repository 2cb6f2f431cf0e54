package io.agentworkspace.engine.memory.documents;

import static io.agentworkspace.engine.memory.documents.DocumentFixture.submitted;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.BusyDatabase;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CountedThings;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

@Tag("slow")
class DocumentLoadTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.person(ClientApi.MCP, "ann", Role.MEMBER);

    @BeforeEach
    void begin() {
        ann.call("MB_Create", "{'vx':{'name':'Box'}}").ok();
    }

    @AfterEach
    void whatWasLoadedIsCounted() {
        CountedThings.assertCounted(tenant.id(ClientApi.MCP), "the test");
    }

    /** Returns a long text with headings and a table, in which one paragraph differs between editions. */
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
        var bob = tenant.person(ClientApi.MCP, "bob", Role.MEMBER);
        bob.call("MB_Load", "{'target':{'bank':'Box'},'vx':{'name':'handbook.md'}}")
                .refused(3001, "no bank");
        ann.call("MB_Update", "{'target':{'bank':'Box'},'vx':{'name':'Box','description':'d','access':'public'}}")
                .ok();
        bob.call("MB_Load", "{'target':{'bank':'Box'},'vx':{'name':'handbook.md'}}")
                .refused(2003, "append");
        assertThat(memories()).isEmpty();
    }

    /** Loading needs documents and banks, and so does deleting what was loaded. */
    @ParameterizedTest
    @EnumSource
    void aKeyForOneFamilyReachesNothingOfTheOther(ClientApi api) {
        submitted(ann, "handbook.md", edition("The only edition."));
        var count = load().ok().number("/document/memories");
        var loading = "{'target':{'bank':'Box'},'vx':{'name':'handbook.md'}}";
        narrow(api, "'capabilities':['*'],'toolset':['bank']")
                .call("MB_Load", loading)
                .refused(2003, "limited to the toolset bank", "'document'");
        narrow(api, "'capabilities':['bank:write']").call("MB_Load", loading).refused(2003, "document:read");
        for (var only : List.of(
                "'capabilities':['document:read','document:write']", "'capabilities':['*'],'toolset':['document']")) {
            var key = narrow(api, only);
            var preview =
                    key.call("DC_Delete", "{'id':'handbook.md','dry_run':true}").ok();
            assertThat(preview.at("/loaded/0").has("bank")).isFalse();
            assertThat(preview.at("/loaded/0/deletable").asBoolean()).isFalse();
            key.call("DC_Delete", "{'id':'handbook.md','memories':'delete'}").refused(2003, "deleting memories");
        }
        assertThat(memories()).hasSize((int) count);
    }

    /** Returns a caller with a new, narrower key of the same user. */
    private TestCaller narrow(ClientApi api, String fields) {
        var key = ann.call("AK_Create", "{'name':'narrow'," + fields + "}").ok().text("/api_key");
        return (service, arguments) -> api.call(TestServer.url(), key, service, arguments);
    }

    @Test
    void whatWasLoadedIsShownFirstAndGoesWithItsDocument() {
        submitted(ann, "handbook.md", edition("The only edition."));
        var count = load().ok().number("/document/memories");
        ann.call("MB_Store", "{'target':{'bank':'Box'},'content':'Not from a document.'}")
                .ok();
        var preview =
                ann.call("DC_Delete", "{'id':'handbook.md','dry_run':true}").ok();
        assertThat(preview.number("/deleted")).isEqualTo(1);
        assertThat(preview.number("/memories")).isEqualTo(count);
        assertThat(preview.at("/loaded/0/bank").asString()).isEqualTo("Box");
        assertThat(preview.at("/loaded/0/deletable").asBoolean()).isTrue();
        assertThat(memories()).hasSize((int) count + 1);
        ann.call("DC_Delete", "{'id':'handbook.md'}")
                .refused(3003, "%d memories in 'Box' were loaded".formatted(count), "dry_run");
        var gone = ann.call("DC_Delete", "{'id':'handbook.md','memories':'delete'}")
                .ok();
        assertThat(gone.number("/memories")).isEqualTo(count);
        assertThat(memories()).hasSize(1);
        ann.call("DC_Read", "{'id':'handbook.md'}").refused(3001);
    }

    @Test
    void whatWasLoadedMayStay() {
        submitted(ann, "handbook.md", edition("The only edition."));
        var count = load().ok().number("/document/memories");
        var gone =
                ann.call("DC_Delete", "{'id':'handbook.md','memories':'keep'}").ok();
        assertThat(gone.number("/memories")).isZero();
        assertThat(memories()).hasSize((int) count);
        // Handed in again, it finds them.
        submitted(ann, "handbook.md", edition("The only edition."));
        assertThat(load().ok().number("/document/kept")).isEqualTo(count);
        // They are shown before they would be deleted with it.
        var preview =
                ann.call("DC_Delete", "{'id':'handbook.md','dry_run':true}").ok();
        assertThat(preview.number("/loaded/0/memories")).isEqualTo(count);
    }

    @Test
    void theMemoriesOfOthersTakeMoreThanTheDocument() {
        var bob = tenant.person(ClientApi.MCP, "bob", Role.MEMBER);
        submitted(ann, "handbook.md", edition("The only edition."));
        var count = load().ok().number("/document/memories");
        bob.call("MB_Create", "{'vx':{'name':'Secret box'}}").ok();
        bob.call("MB_Load", "{'target':{'bank':'Secret box'},'vx':{'name':'handbook.md'}}")
                .ok();
        var preview =
                ann.call("DC_Delete", "{'id':'handbook.md','dry_run':true}").ok();
        assertThat(preview.at("/loaded").size()).isEqualTo(2);
        assertThat(preview.at("/loaded/1").has("bank")).isFalse();
        assertThat(preview.at("/loaded/1/deletable").asBoolean()).isFalse();
        assertThat(preview.number("/memories")).isEqualTo(count);
        ann.call("DC_Delete", "{'id':'handbook.md','memories':'delete'}").refused(2003, "admin");
        assertThat(memories()).hasSize((int) count);
        var root = tenant.person(ClientApi.MCP, "root", Role.ADMIN);
        assertThat(root.call("DC_Delete", "{'id':'handbook.md','memories':'delete'}")
                        .ok()
                        .number("/memories"))
                .isEqualTo(2 * count);
        assertThat(memories()).isEmpty();
    }

    @Test
    void aVersionThatIsValidatedAgainIsNotReplacedByAnOlderOne() {
        submitted(ann, "handbook.md", edition("The first edition says this."));
        submitted(ann, "handbook.md", edition("The second edition says something else."));
        load().ok();
        BusyDatabase.refusing(
                "document", "NEW.name = 'handbook.md' AND NEW.state = 'validating'", Integer.MAX_VALUE, () -> {
                    ann.call("DC_Validate", "{'id':'handbook.md'}").ok();
                    load().refused(3003, "version 2 of 'handbook.md', which is being validated again", "DC_Read");
                });
        var id = ann.call("DC_List", "{'name':'handbook.md'}").ok().text("/documents/0/id");
        DocumentFixture.validated(ann, id);
        assertThat(load().ok().at("/changed").asBoolean()).isFalse();
        assertThat(memories().toString()).contains("second edition").doesNotContain("first edition");
    }

    @Test
    void aDocumentInTheQueueIsLoadedLater() {
        BusyDatabase.refusing(
                "document", "NEW.name = 'handbook.md' AND NEW.state = 'validating'", Integer.MAX_VALUE, () -> {
                    ann.call("DC_Submit", "{'name':'handbook.md','text':'The only words.'}")
                            .ok();
                    load().refused(3003, "version 1 is queued", "load it when DC_Read shows that it is accepted");
                });
    }

    @Test
    void memoriesInTheTrashStayConnectedWithTheirDocument() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        ann.call("AP_LogOn", "{'target':{'agent':'Ada'}}").ok();
        ann.call("MB_Create", "{'vx':{'name':'Shelf'}}").ok();
        submitted(ann, "handbook.md", edition("The only edition."));
        var shelf = "{'target':{'bank':'Shelf'},'vx':{'name':'handbook.md'}}";
        var count = ann.call("MB_Load", shelf).ok().number("/document/memories");
        ann.call("MB_Delete", "{'target':{'bank':'Shelf','agent':'Ada'}}").ok();
        assertThat(ann.call("MB_Load", shelf).ok().number("/document/added")).isEqualTo(count);
        assertThat(ann.call("DC_Delete", "{'id':'handbook.md','dry_run':true}")
                        .ok()
                        .number("/loaded/0/memories"))
                .isEqualTo(2 * count);
        assertThat(ann.call("MB_Load", shelf).ok().at("/changed").asBoolean()).isFalse();
        ann.call("MB_Restore", "{'target':{'bank':'Shelf','agent':'Ada'}}").ok();
        assertThat(ann.call("MB_Load", shelf).ok().number("/document/removed"))
                .as("restored twins")
                .isEqualTo(count);
    }

    /** A rejected document is deleted later, unless a bank has memories of it. */
    @Test
    void aRejectedDocumentThatWasLoadedIsKept() {
        submitted(ann, "handbook.md", edition("The only edition."));
        load().ok();
        submitted(ann, "other.md", "Words that no bank has.");
        TestDatabase.db()
                .sql(
                        "UPDATE document SET state = 'rejected', validated_at = now() - INTERVAL '900 days' WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.MCP))
                .run();
        try (var engine = Replica.start(Map.of())) {
            engine.clear();
        }
        assertThat(ann.call("DC_List").ok().texts("/documents", "name")).containsExactly("handbook.md");
    }
}
