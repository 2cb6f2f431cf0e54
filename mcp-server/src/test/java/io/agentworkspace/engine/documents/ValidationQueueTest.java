package io.agentworkspace.engine.documents;

import static io.agentworkspace.engine.documents.DocumentStage.codes;
import static io.agentworkspace.engine.documents.DocumentStage.text;
import static io.agentworkspace.engine.documents.DocumentStage.validated;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.documents.extract.Extraction;
import io.agentworkspace.engine.documents.extract.ExtractorProcess;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.Person;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ValidationQueueTest {
    private final TestTenant tenant = new TestTenant();
    private final Person ann = tenant.person(Door.MCP, "ann", Role.MEMBER);

    private void set(String id, String change) {
        TestDatabase.db()
                .sql("UPDATE document SET %s WHERE tenant_id = :tenant AND id = :id".formatted(change))
                .set("tenant", tenant.id(Door.MCP))
                .set("id", UUID.fromString(id))
                .run();
    }

    private long count(String what) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM %s AND tenant_id = :tenant".formatted(what))
                .set("tenant", tenant.id(Door.MCP))
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** As a replica leaves it that was killed: claimed, with a lease that nobody renews. */
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
        assertThat(codes(validated(ann, id))).isEqualTo("damaged");
    }

    /** Replicas come and go in the middle of a heap of documents; each ends once, and is told of once. */
    @Test
    void replicasComeAndGo() {
        var documents = 24;
        for (var round = 0; round < 3; round++) {
            for (var i = 0; i < documents / 3; i++) {
                var name = "heap-%d-%d.md".formatted(round, i);
                ann.call("DC_Submit", text(name, "# Number %d\n\nWords of %s.".formatted(i, name)))
                        .ok();
            }
            try (var _ = Replica.start(Map.of());
                    var _ = Replica.start(Map.of())) {
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

    /** One process does not survive the file; the others are not touched. */
    @Test
    void aFileThatTakesTooLongEndsItsOwnProcessOnly() throws Exception {
        var deep = "<div>".repeat(60_000);
        var claim = new Extraction.Claim("deep.html", null);
        var file = new ArrayDeque<>(List.of(("<html><body>" + deep).getBytes(), new byte[0]));
        try (var process = ExtractorProcess.start(Duration.ZERO)) {
            assertThatThrownBy(() -> process.extract(claim, file::removeFirst))
                    .isInstanceOf(ExtractorProcess.Lost.class);
            await().until(() -> !process.isAlive());
        }
    }
}
