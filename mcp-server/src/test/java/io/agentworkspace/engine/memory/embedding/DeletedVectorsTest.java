package io.agentworkspace.engine.memory.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.memory.embedding.EmbeddingStore.Waiting;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The vectors of a memory go with it, however it goes, although no foreign key ties them. */
class DeletedVectorsTest {
    private static final byte[] VECTORS = {1, 2, 3};

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
    private final TestCaller ann = (name, input) -> ClientApi.REST.call(TestServer.url(), key, name, input);
    private final long id = tenant.id(ClientApi.REST);
    private final EmbeddingStore store = new EmbeddingStore(TestDatabase.db());

    private UUID memory(String bank, String name) {
        var stored = ann.call(
                        "MB_Store",
                        "{'target':{'bank':'%s'},'vx':{'name':'%s'},'content':'The ferry leaves.'}"
                                .formatted(bank, name))
                .ok();
        return UUID.fromString(stored.text("/memory/id"));
    }

    private int delete(String where) {
        return TestDatabase.db().sql("DELETE FROM " + where).set("tenant", id).run();
    }

    private List<UUID> withVectors() {
        return TestDatabase.db()
                .sql("SELECT memory_id FROM memory_vector WHERE tenant_id = :tenant ORDER BY revision")
                .set("tenant", id)
                .list(row -> UUID.fromString(row.text("memory_id")));
    }

    private List<Waiting> claim() {
        return store.claim(id, 10_000, Duration.ofSeconds(60));
    }

    @Test
    void aLateVectorDoesNotBringBackThatOfADeletedMemory() {
        ann.call("MB_Create", "{'vx':{'name':'b'}}").ok();
        memory("b", "gone");
        memory("b", "gone");
        var left = memory("b", "left");
        var claimed = claim();
        assertThat(claimed).as("two revisions, and the other memory").hasSize(3);
        assertThat(delete("memory WHERE tenant_id = :tenant AND name = 'gone'")).isEqualTo(1);
        claimed.forEach(waiting -> store.keep(waiting, "a model", VECTORS));
        assertThat(withVectors()).containsExactly(left);
    }

    @Test
    void theVectorsOfADestroyedBankGoWithIt() {
        ann.call("MB_Create", "{'vx':{'name':'b'}}").ok();
        ann.call("MB_Create", "{'vx':{'name':'other'}}").ok();
        memory("b", "one");
        memory("b", "two");
        var left = memory("other", "three");
        assertThat(delete("bank WHERE tenant_id = :tenant AND name = 'b'")).isEqualTo(1);
        assertThat(withVectors()).containsExactly(left);
    }

    @Test
    void theVectorsOfAnOldRevisionGoWithIt() {
        ann.call("MB_Create", "{'vx':{'name':'b'}}").ok();
        var memory = memory("b", "replaced");
        memory("b", "replaced");
        assertThat(withVectors()).containsExactly(memory, memory);
        assertThat(delete("memory_revision WHERE tenant_id = :tenant")).isEqualTo(1);
        assertThat(withVectors()).containsExactly(memory);
    }
}
