package io.agentworkspace.engine.memory.documents;

import static io.agentworkspace.engine.memory.documents.DocumentFixture.submitted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The audit names each document, whatever its name is, and says what became of its memories. */
class DocumentAuditTest {
    private static final String GUIDE =
            "Führer (Entwurf), der sehr lange Titel eines Handbuchs für alle, die es lesen.md";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.person(ClientApi.REST, "ann", Role.ADMIN);
    private final TestCaller bob = tenant.person(ClientApi.REST, "bob", Role.MEMBER);

    private List<JsonNode> entries(String tool, String target) {
        var filter = Json.object().put("tool", tool).put("target", target);
        return ann.call("AC_Audit", filter).ok().at("/entries").valueStream().toList();
    }

    private JsonNode only(String tool, String target) {
        var found = entries(tool, target);
        assertThat(found).as("%s of %s", tool, target).hasSize(1);
        return found.getFirst();
    }

    private String submit(String text) {
        return submitted(ann, GUIDE, text).text("/document/id");
    }

    @Test
    void eachEntryNamesTheDocument() {
        var id = submit("# One\n\nThe first text.");
        ann.call("DC_Validate", Json.object().put("id", id)).ok();
        for (var target : List.of("document:" + GUIDE.toUpperCase(java.util.Locale.ROOT), "document:" + id)) {
            for (var tool : List.of("DC_Submit", "DC_Validate")) {
                assertThat(only(tool, target).path("target").asString()).isEqualTo(GUIDE);
                assertThat(only(tool, target).path("target_id").asString()).isEqualTo(id);
                assertThat(only(tool, target).has("details")).isFalse();
            }
        }
    }

    @Test
    void aDeletionSaysWhatBecameOfTheMemories() {
        submit("# One\n\nThe first text.");
        var second = submit("# Two\n\nThe second text.");
        ann.call("MB_Create", "{'vx':{'name':'Box'}}").ok();
        ann.call("MB_Create", "{'vx':{'name':'Shelf'}}").ok();
        for (var bank : List.of("Box", "Shelf")) {
            ann.call("MB_Load", "{'target':{'bank':'%s'},'vx':{'name':'%s'}}".formatted(bank, GUIDE))
                    .ok();
            assertThat(only("MB_Load", "bank:" + bank).path("details").asString())
                    .isEqualTo("loaded version 2 of '%s': 1 memories added, 0 kept, 0 removed".formatted(GUIDE));
        }
        ann.call("DC_Delete", Json.object().put("id", second).put("memories", "keep"))
                .ok();
        var version = only("DC_Delete", "document:" + second);
        assertThat(version.path("target").asString()).isEqualTo(GUIDE);
        assertThat(version.path("details").asString())
                .isEqualTo("deleted version 2; memories kept: 1 in 'Box', 1 in 'Shelf'");
        ann.call("DC_Delete", Json.object().put("id", GUIDE)).ok();
        var rest = entries("DC_Delete", "document:" + GUIDE);
        assertThat(rest).hasSize(2);
        assertThat(rest.getFirst().path("target").asString()).isEqualTo(GUIDE);
        assertThat(rest.getFirst().has("target_id")).isFalse();
        assertThat(rest.getFirst().path("details").asString())
                .isEqualTo("deleted version 1; no memories were loaded from it");
    }

    @Test
    void memoriesThatWentWithItAreCounted() {
        submit("# One\n\nThe first text.");
        submit("# Two\n\nThe second text.");
        ann.call("MB_Create", "{'vx':{'name':'Box'}}").ok();
        ann.call("MB_Load", "{'target':{'bank':'Box'},'vx':{'name':'%s'}}".formatted(GUIDE))
                .ok();
        ann.call("DC_Delete", Json.object().put("id", GUIDE).put("memories", "delete"))
                .ok();
        assertThat(only("DC_Delete", "document:" + GUIDE).path("details").asString())
                .isEqualTo("deleted versions 1, 2; memories deleted: 1 in 'Box'");
    }

    /** Whatever was given, the entry of a refusal names the document that was found, or what may be a name. */
    @Test
    void refusalsNameItToo() {
        var id = submit("# One\n\nThe first text.");
        bob.call("DC_Delete", Json.object().put("id", id)).refused(2003);
        bob.call("DC_Delete", Json.object().put("id", "none (at all).md")).refused(3001);
        await().until(() -> entries("DC_Delete", "document:none (at all).md").size() == 1);
        var refused = only("DC_Delete", "document:" + id);
        assertThat(refused.path("target").asString()).isEqualTo(GUIDE);
        assertThat(refused.path("user").asString()).isEqualTo("bob");
        assertThat(refused.has("details")).isFalse();
    }
}
