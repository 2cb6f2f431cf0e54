package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A tenant that its owner uses through one endpoint, and the counts that the database has of it. */
public final class QuotaFixture {
    public final ClientApi api;
    public final String key;
    public final long tenant;

    public QuotaFixture(ClientApi api) {
        this.api = api;
        var tenants = new TestTenant();
        key = tenants.key(api, "owner", Role.OWNER, List.of("*"));
        tenant = tenants.id(api);
    }

    public Reply call(String url, String service, String arguments) {
        return api.call(url, key, service, object(arguments));
    }

    private static ObjectNode object(String arguments) {
        return Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    public Reply plan(String url, String plan) {
        return call(url, "AC_ChangePlan", "{'plan':'%s'}".formatted(plan)).ok();
    }

    public Reply agent(String url, String name) {
        return call(url, "AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(name));
    }

    public Reply memory(String url, String bank) {
        return call(url, "MB_Store", "{'target':{'bank':'%s'},'content':'text'}".formatted(bank));
    }

    /** Returns the present count, rolled up or not. */
    public long counted(String scope) {
        return TestDatabase.db()
                .sql("SELECT COALESCE(sum(count), 0) AS n FROM usage_now WHERE tenant_id = :tenant AND scope = :scope")
                .set("tenant", tenant)
                .set("scope", scope)
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Returns the stored number of a day's commands. */
    public long commands(Instant at) {
        return TestDatabase.db()
                .sql(
                        "SELECT count FROM usage WHERE tenant_id = :tenant AND scope = 'commands' AND day = CAST(:day AS date)")
                .set("tenant", tenant)
                .set("day", day(at))
                .one(row -> row.number("count"))
                .orElse(0L);
    }

    /**
     * Waits until each replica has written what it had counted, with the events about it. A replica writes all counts
     * in one transaction, so the call that is made and awaited here is written with or after those made before.
     */
    public static void awaitFlush(String... urls) {
        for (var url : urls) {
            var witness = new QuotaFixture(ClientApi.REST);
            witness.call(url, "AP_List", "{}").ok();
            await().until(() -> !TenantRows.all(witness.tenant, "usage").isEmpty());
        }
    }

    /** Sets the number of commands on that day. */
    public void commands(Instant at, long count) {
        TestDatabase.db()
                .sql("""
                        INSERT INTO usage (tenant_id, scope, day, count) VALUES (:tenant, 'commands', CAST(:day AS date), :count)
                        ON CONFLICT (tenant_id, scope, day) DO UPDATE SET count = excluded.count
                        """)
                .set("tenant", tenant)
                .set("day", day(at))
                .set("count", count)
                .run();
    }

    private static String day(Instant at) {
        return at.atOffset(ZoneOffset.UTC).toLocalDate().toString();
    }

    /** Inserts memories into a bank without tools, and counts them. */
    public void fill(String bank, int count) {
        TestDatabase.db()
                .sql("""
                        INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from,
                                            created_at, updated_at)
                        SELECT b.tenant_id, b.id, gen_random_uuid(), 'text', '{}', b.owner_id, '{}', '{}', now(), now()
                          FROM bank b, generate_series(1, :count)
                         WHERE b.tenant_id = :tenant AND b.name = :bank;
                        SELECT count_usage(:tenant, 'memories', :count)
                        """)
                .set("tenant", tenant)
                .set("bank", bank)
                .set("count", count)
                .run();
    }

    /** Inserts tasks into a domain without tools, and counts them. */
    public void fillTasks(String domain, int count) {
        TestDatabase.db()
                .sql("""
                        INSERT INTO task (tenant_id, id, domain_id, title, description, state, creator_id, created_at, updated_at)
                        SELECT d.tenant_id, gen_random_uuid(), d.id, 't', '', 'open', d.owner_id, now(), now()
                          FROM domain d, generate_series(1, :count)
                         WHERE d.tenant_id = :tenant AND d.name = :domain;
                        SELECT count_usage(:tenant, 'tasks', :count)
                        """)
                .set("tenant", tenant)
                .set("domain", domain)
                .set("count", count)
                .run();
    }

    /** Returns the data of the events of this type, in order. Each is valid against its schema. */
    public List<JsonNode> events(EventType type) {
        var events = TestDatabase.db()
                .sql("SELECT data FROM event WHERE tenant_id = :tenant AND type = :type ORDER BY ordinal")
                .set("tenant", tenant)
                .set("type", type.word())
                .list(row -> row.json("data", ObjectNode.class));
        events.forEach(data -> assertThat(EventCheck.faults(type, data)).isEmpty());
        return List.copyOf(events);
    }

    /** Returns the limit of a scope in the response of US_Read. */
    public static JsonNode limit(Reply reply, String array, String scope) {
        return reply.at(array)
                .valueStream()
                .filter(limit -> limit.path("scope").asString().equals(scope))
                .findFirst()
                .orElseGet(Json::object);
    }

    public static void assertRefused(Reply reply, String scope, long limit, String plan) {
        reply.refused(4002, "scope " + scope, "limit " + limit, "plan " + plan, "AC_ChangePlan");
        assertThat(reply.text("/status/error")).isEqualTo("quota_exceeded");
        assertThat(reply.number("/status/http_code")).isEqualTo(429);
    }
}
