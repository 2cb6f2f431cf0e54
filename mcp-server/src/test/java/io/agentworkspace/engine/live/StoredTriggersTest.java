package io.agentworkspace.engine.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.db.Statement;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.streams.ListeningTenants;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the triggers of memories, messages and the audit do for each row, with and without a listener. */
class StoredTriggersTest {
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

    private long told(String topic) {
        return count("change_log WHERE tenant_id = :tenant AND topic = '" + topic + "'");
    }

    private long usage() {
        return sql("SELECT count_now(:tenant, 'memories') AS n")
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Stores copies of a memory with one statement. */
    private void copyMemory(int times) {
        sql("""
                INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at)
                SELECT m.tenant_id, m.bank_id, gen_random_uuid(), m.text, '{}', m.author_id, m.contributors, '{}', now(), now()
                  FROM (SELECT * FROM memory o WHERE o.tenant_id = :tenant LIMIT 1) m, generate_series(1, :times)
                """).set("times", times).run();
    }

    private void copyAuditEntry(int times) {
        sql("""
                INSERT INTO audit (tenant_id, at, row_id, user_name, user_key, credential, tool, target_kind, result, request_id)
                SELECT a.tenant_id, a.at, gen_random_uuid(), a.user_name, a.user_key, a.credential, a.tool, a.target_kind,
                       a.result, a.request_id
                  FROM (SELECT * FROM audit o WHERE o.tenant_id = :tenant LIMIT 1) a, generate_series(1, :times)
                """).set("times", times).run();
    }

    @Test
    void withoutAListenerMemoriesAreCountedAndWaitForVectorsAndNothingIsTold() {
        copyMemory(3);
        copyAuditEntry(2);
        assertThat(usage()).isEqualTo(4);
        assertThat(count("memory_vector WHERE tenant_id = :tenant")).isEqualTo(4);
        assertThat(count("change_log WHERE tenant_id = :tenant")).isZero();
    }

    @Test
    void eachMemoryIsToldToAListener() {
        listen();
        store();
        copyMemory(3);
        assertThat(told("memories")).isEqualTo(4);
        assertThat(usage()).isEqualTo(5);
        assertThat(count("memory_vector WHERE tenant_id = :tenant")).isEqualTo(5);
    }

    @Test
    void manyMemoriesAtOnceAreToldAsOneNumber() {
        listen();
        copyMemory(60);
        assertThat(told("memories")).isEqualTo(1);
        assertThat(count("change_log WHERE tenant_id = :tenant AND other = 60")).isEqualTo(1);
        assertThat(count("memory_vector WHERE tenant_id = :tenant")).isEqualTo(61);
    }

    @Test
    void eachMessageAndEachEntryOfTheAuditIsToldToAListener() {
        var noted = count("audit WHERE tenant_id = :tenant");
        listen();
        say();
        say();
        assertThat(told("messages")).isEqualTo(2);
        assertThat(told("audit")).isEqualTo(2);
        copyAuditEntry(3);
        assertThat(told("audit")).isEqualTo(5);
        assertThat(count("audit WHERE tenant_id = :tenant")).isEqualTo(noted + 5);
    }
}
