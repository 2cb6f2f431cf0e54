package io.agentworkspace.engine.memory.banks.transfer;

import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A large bank moves into another workspace, and its export there is the same file. */
@Tag("slow")
class LargeTransferTest {
    private static final int MEMORIES = Integer.getInteger("memories", 12_000);

    private static String workspace(TestTenant tenant) {
        var key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        bank(TestCaller.of(ClientApi.REST, key), "b");
        return key;
    }

    @Test
    void theExportOfAnImportIsTheSameFile() {
        var tenant = new TestTenant();
        var key = workspace(tenant);
        TestDatabase.db()
                .sql("""
                        INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id, contributors, derived_from,
                                            revision, pinned, created_at, updated_at)
                        SELECT b.tenant_id, b.id, gen_random_uuid(),
                               CASE WHEN i % 3 = 0 THEN 'notes/' || i END, CASE WHEN i % 3 = 0 THEN 'notes/' || i END,
                               'Größe ' || i || ' 潮 "quoted" \\ ' || repeat('word ', i % 50), ARRAY['tag ' || i % 7], b.owner_id,
                               ARRAY[b.owner_id], '{}', 1 + i % 3, i % 100 = 0,
                               TIMESTAMPTZ '2026-01-01Z' + i / 4 * INTERVAL '1 second', TIMESTAMPTZ '2026-02-01Z'
                          FROM bank b, generate_series(1, :memories) i
                         WHERE b.tenant_id = :tenant AND b.name_key = 'b'
                        """)
                .set("tenant", tenant.id(ClientApi.REST))
                .set("memories", MEMORIES)
                .run();
        var first = TransferFiles.export(key, "b", "?revisions=true");
        assertThat(first.lines().count()).isEqualTo(MEMORIES);
        var other = workspace(new TestTenant());
        var report = TransferFiles.imported(other, "b", "engine", first.getBytes(UTF_8));
        assertThat(report.number("/stored") + report.number("/unchanged")).isEqualTo(MEMORIES);
        assertThat(TransferFiles.export(other, "b", "?revisions=true").equals(first))
                .as("the same file")
                .isTrue();
        assertThat(TransferFiles.imported(other, "b", "engine", first.getBytes(UTF_8))
                        .number("/unchanged"))
                .isEqualTo(MEMORIES);
    }
}
