package io.agentworkspace.engine.workspace.delivery.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.changes.ChangeStore;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What storing a memory, a message or an entry of the audit does, with and without a listener. */
class StoredChangesTest {
    private final TestTenant tenant = new TestTenant();
    private final long id = tenant.id(ClientApi.REST);
    private TestCaller ann;

    @BeforeEach
    void begin() {
        var key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        ann = (name, input) -> ClientApi.REST.call(TestServer.url(), key, name, input);
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        ann.call("MB_Create", "{'vx':{'name':'Box'}}").ok();
        store();
        say();
    }

    private void store() {
        ann.call("MB_Store", "{'target':{'bank':'Box'},'content':'The ferry leaves at noon.'}")
                .ok();
    }

    private void say() {
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'hello'}").ok();
    }

    private void listen() {
        new ListeningTenants(TestDatabase.db(), Clock.systemUTC()).in(Set.of(id));
    }

    private Statement sql(String text) {
        return TestDatabase.db().sql(text).set("tenant", id);
    }

    private long count(String rows) {
        return sql("SELECT count(*) AS n FROM " + rows)
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    private long reported(String topic) {
        return count("change_log WHERE tenant_id = :tenant AND topic = '" + topic + "'");
    }

    /** Stores copies of a memory with one statement. */
    private void copyMemory(int times) {
        sql("""
                INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at)
                SELECT m.tenant_id, m.bank_id, gen_random_uuid(), m.text, '{}', m.author_id, m.contributors, '{}', now(), now()
                  FROM (SELECT * FROM memory o WHERE o.tenant_id = :tenant LIMIT 1) m, generate_series(1, :times)
                """).set("times", times).run();
    }

    @Test
    void withoutAListenerMemoriesWaitForVectorsAndNothingIsLogged() {
        copyMemory(3);
        store();
        assertThat(count("memory_vector WHERE tenant_id = :tenant")).isEqualTo(5);
        assertThat(count("change_log WHERE tenant_id = :tenant")).isZero();
    }

    @Test
    void eachMemoryAndMessageAndEntryOfTheAuditIsReportedToAListener() {
        listen();
        store();
        say();
        assertThat(reported("memories")).isEqualTo(1);
        assertThat(reported("messages")).isEqualTo(1);
        assertThat(reported("audit")).isEqualTo(2);
    }

    @Test
    void manyMemoriesAtOnceAreReportedAsOneNumber() {
        listen();
        var ids = Stream.generate(UUID::randomUUID).limit(60).toList();
        new ChangeStore(TestDatabase.db()).write(id, Change.memories(1, "stored", ids));
        assertThat(reported("memories")).isEqualTo(1);
        assertThat(count("change_log WHERE tenant_id = :tenant AND other = 60")).isEqualTo(1);
    }
}
