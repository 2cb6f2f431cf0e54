package io.agentworkspace.engine.memory.documents;

import static io.agentworkspace.engine.memory.documents.DocumentFixture.codes;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.text;
import static io.agentworkspace.engine.memory.documents.DocumentFixture.validated;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.memory.documents.extract.process.Extraction;
import io.agentworkspace.engine.memory.documents.extract.process.ExtractorProcess;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.BusyDatabase;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ValidationQueueTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.person(ClientApi.MCP, "ann", Role.MEMBER);

    private void set(String id, String change) {
        TestDatabase.db()
                .sql("UPDATE document SET %s WHERE tenant_id = :tenant AND id = :id".formatted(change))
                .set("tenant", tenant.id(ClientApi.MCP))
                .set("id", UUID.fromString(id))
                .run();
    }

    private long count(String what) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM %s AND tenant_id = :tenant".formatted(what))
                .set("tenant", tenant.id(ClientApi.MCP))
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** The state that a killed replica leaves: a claim whose lease nobody renews. */
    @Test
    void theDocumentOfADeadWorkerIsTakenAgain() {
        var id = ann.call("DC_Submit", text("a.txt", "Words that a dead worker had."))
                .ok()
                .text("/document/id");
        validated(ann, id);
        set(
                id,
                "state = 'validating', claim = gen_random_uuid(), begun_at = now(), validated_at = NULL, attempts = 1,"
                        + " lease_until = now() + interval '1 second'");
        assertThat(validated(ann, id).text("/document/state")).isEqualTo("accepted");
    }

    @Test
    void afterThreeAttemptsItIsDamaged() {
        var id = ann.call("DC_Submit", text("b.txt", "Words that nobody can bear."))
                .ok()
                .text("/document/id");
        validated(ann, id);
        set(
                id,
                "state = 'validating', claim = gen_random_uuid(), begun_at = now(), validated_at = NULL, attempts = 3,"
                        + " lease_until = now() - interval '1 second'");
        var read = validated(ann, id);
        assertThat(codes(read)).isEqualTo("damaged");
        assertThat(read.text("/document/reasons/0/message")).contains("in 3 attempts", "submit it in parts");
    }

    private static String submit(TestCaller person, String name) {
        return person.call("DC_Submit", text(name, "Words of %s.".formatted(name)))
                .ok()
                .text("/document/id");
    }

    /** The database refuses the result more often than a document may fail. */
    @Test
    void aBusyDatabaseIsNotTheFaultOfTheDocument() {
        BusyDatabase.refusing("document", "NEW.name = 'busy.txt' AND NEW.state = 'accepted'", 5, () -> {
            var id = submit(ann, "busy.txt");
            assertThat(validated(ann, id).text("/document/state")).isEqualTo("accepted");
        });
    }

    /** Nothing is taken meanwhile. The tenant whose document was taken last waits for the other. */
    @Test
    void tenantsTakeTurns() {
        var bob = new TestTenant().person(ClientApi.MCP, "bob", Role.MEMBER);
        validated(ann, submit(ann, "first.txt"));
        BusyDatabase.refusing(
                "document", "NEW.name LIKE 'turn-%' AND NEW.state = 'validating'", Integer.MAX_VALUE, () -> {
                    var anns = List.of(submit(ann, "turn-1.txt"), submit(ann, "turn-2.txt"), submit(ann, "turn-3.txt"));
                    assertThat(position(bob, submit(bob, "turn-4.txt"))).isEqualTo(1);
                    assertThat(anns).extracting(id -> position(ann, id)).containsExactly(2L, 3L, 4L);
                });
    }

    private static long position(TestCaller person, String id) {
        return person.call("DC_Read", "{'id':'%s'}".formatted(id)).ok().number("/document/queue/position");
    }

    /** Another replica starts and stops while documents are queued. Each document ends once and is reported once. */
    @Test
    void replicasComeAndGo() {
        var documents = 24;
        for (var round = 0; round < 3; round++) {
            for (var i = 0; i < documents / 3; i++) {
                var name = "heap-%d-%d.md".formatted(round, i);
                ann.call("DC_Submit", text(name, "# Number %d\n\nWords of %s.".formatted(i, name)))
                        .ok();
            }
            try (var _ = Replica.start(Map.of())) {
                var least = (round + 1) * documents / 6;
                await().until(() -> count("document WHERE state = 'accepted'") >= least);
            }
        }
        await().until(() -> count("document WHERE state IN ('queued', 'validating')") == 0);
        assertThat(count("document WHERE state = 'accepted'")).isEqualTo(documents);
        assertThat(count("event WHERE type = 'document.accepted'")).isEqualTo(documents);
        assertThat(count("document_part WHERE n = 0")).isEqualTo(documents);
        assertThat(ann.call("DC_Queue").ok().number("/queue/waiting")).isZero();
    }

    /** The file ends only its own process; the others continue. */
    @Test
    void aFileThatTakesTooLongEndsItsOwnProcessOnly() throws Exception {
        var deep = "<div>".repeat(60_000);
        var claim = new Extraction.DeclaredFile("deep.html", null, null, false);
        var file = new ArrayDeque<>(List.of(("<html><body>" + deep).getBytes(), new byte[0]));
        try (var process = ExtractorProcess.start(Duration.ZERO)) {
            assertThatThrownBy(() -> process.extract(claim, file::removeFirst))
                    .isInstanceOf(ExtractorProcess.Lost.class)
                    .hasMessage("took over 0 s");
            await().until(() -> !process.isAlive());
        }
    }

    /** Workers do not take the document, as if there were none. */
    @Test
    void noTimeIsPromisedWhileNothingIsTaken() {
        BusyDatabase.refusing(
                "document", "NEW.name LIKE 'idle%' AND NEW.state = 'validating'", Integer.MAX_VALUE, () -> {
                    var id = submit(ann, "idle.txt");
                    set(id, "queued_at = now() - interval '1 minute'");
                    await().untilAsserted(() -> {
                        var place = ann.call("DC_Read", "{'id':'%s'}".formatted(id))
                                .ok()
                                .at("/document/queue");
                        assertThat(place.path("position").asInt()).isPositive();
                        assertThat(place.has("expected_seconds")).isFalse();
                    });
                });
    }

    /** Between two pages the documents in front are taken: none is skipped or repeated. */
    @Test
    void thePagesOfTheQueueFollowItsOrder() {
        var ids = new ArrayList<String>();
        BusyDatabase.refusing(
                "document", "NEW.name LIKE 'page-%' AND NEW.state = 'validating'", Integer.MAX_VALUE, () -> {
                    for (var i = 0; i < 6; i++) {
                        ids.add(submit(ann, "page-%d.txt".formatted(i)));
                    }
                    var first = ann.call("DC_Queue", "{'page':{'limit':3}}").ok();
                    assertThat(first.texts("/documents", "id")).isEqualTo(ids.subList(0, 3));
                    set(ids.get(0), "state = 'accepted', validated_at = now()");
                    set(ids.get(1), "state = 'accepted', validated_at = now()");
                    var rest = Json.object();
                    rest.putObject("page").put("limit", 3).put("cursor", first.text("/next_cursor"));
                    assertThat(ann.call("DC_Queue", rest).ok().texts("/documents", "id"))
                            .isEqualTo(ids.subList(3, 6));
                });
    }

    @Test
    void aDocumentThatWaitsAgainHasNoResult() {
        var id = submit(ann, "again.txt");
        assertThat(validated(ann, id).at("/document/characters").isMissingNode())
                .isFalse();
        BusyDatabase.refusing(
                "document", "NEW.name = 'again.txt' AND NEW.state = 'validating'", Integer.MAX_VALUE, () -> {
                    var queued =
                            ann.call("DC_Validate", "{'id':'%s'}".formatted(id)).ok();
                    assertThat(queued.at("/document/characters").isMissingNode())
                            .isTrue();
                });
        assertThat(validated(ann, id).text("/document/state")).isEqualTo("accepted");
    }
}
