package io.agentworkspace.engine.identity.account;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.plan.Scope;
import java.util.EnumSet;
import java.util.List;

/**
 * A tenant with 50,000 agents, 5,000 memberships and 50,000 memories, created in seconds. The ids are the same in every
 * such tenant, so a query without the tenant finds foreign rows. The user {@code ann} (1) owns every 500th agent,
 * {@code zoe} (501) nothing, {@code boss} (502) is an admin.
 */
final class LargeTenant {
    static final long USERS = 20_000_000;

    /** The statements that fill the tenant. {@code :size} is the number of agents and of memories. */
    private static final List<String> FILL = List.of(
            """
            INSERT INTO app_user (tenant_id, id, name, name_key, role, created_at)
            SELECT :tenant, 20000000 + j, 'user ' || j, 'user ' || j, CASE j WHEN 502 THEN 'admin' ELSE 'member' END, now()
              FROM generate_series(1, 502) j
            """,
            """
            INSERT INTO agent (tenant_id, id, name, name_key, description, access, owner_id, created_at, updated_at)
            SELECT :tenant, 10000000 + i, 'agent-' || lpad(i::text, 5, '0'), 'agent-' || lpad(i::text, 5, '0'), repeat('d', 200),
                   CASE WHEN i % 100 = 1 THEN 'public' WHEN i % 5 = 2 THEN 'agent' WHEN i % 5 = 3 THEN 'private' ELSE 'domain' END,
                   20000001 + i % 500, now(), now()
              FROM generate_series(:from, :size) i
            """,
            """
            INSERT INTO roster (tenant_id, user_id, agent_id, added_at)
            SELECT :tenant, 20000001 + i % 500, 10000000 + i, now() FROM generate_series(:from, :size) i
            """,
            """
            INSERT INTO domain (tenant_id, id, name, name_key, description, access, owner_id, created_at, updated_at)
            SELECT :tenant, 30000000 + k, 'domain ' || k, 'domain ' || k, 'd', 'domain', 20000001 + k % 500, now(), now()
              FROM generate_series(1, 300) k
            """,
            """
            INSERT INTO membership (tenant_id, domain_id, agent_id, owner_id, state, since)
            SELECT :tenant, 30000001 + (i / 10) % 300, 10000000 + i, 20000001 + i % 500, 'member', now()
              FROM generate_series(:from, :size) i WHERE i % 10 = 0
            """,
            """
            INSERT INTO bank (tenant_id, id, name, name_key, access, owner_id, created_at, updated_at)
            SELECT :tenant, 40000000 + k, 'bank ' || k, 'bank ' || k, 'domain', 20000001 + k % 500, now(), now()
              FROM generate_series(0, :banks) k
            """,
            """
            INSERT INTO bank_grant (tenant_id, bank_id, agent_id, owner_id, permission)
            SELECT :tenant, 40000000 + k, 10000000 + 7 * k + g, 20000001 + (7 * k + g) % 500, 'read'
              FROM generate_series(0, :banks) k, generate_series(1, 3) g
            """,
            """
            INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id, contributors, derived_from,
                                created_at, updated_at, change)
            SELECT :tenant, 40000000, gen_random_uuid(), CASE WHEN i % 2 = 0 THEN 'memory ' || i END,
                   CASE WHEN i % 2 = 0 THEN 'memory ' || i END, repeat('text ', 40), ARRAY['tag ' || i % 10], 10000000 + i,
                   ARRAY[10000000 + i], '{}', now() - i * INTERVAL '1 second', now(), pg_current_xact_id()
              FROM generate_series(:from, :size) i
            """,
            """
            INSERT INTO memory_use (tenant_id, bank_id, memory_id, finder_id, times, last_at, revision)
            SELECT m.tenant_id, m.bank_id, m.id, m.author_id, 1, now(), 1
              FROM memory m WHERE m.tenant_id = :tenant AND m.author_id % 2 = 0
            """,
            // Agent 500, owned by ann, has conversations with 4,900 others; domain 1 has 3,000 zones.
            """
            INSERT INTO conversation (tenant_id, id, low_id, high_id, last_seq, last_at)
            SELECT :tenant, 50000000 + i, 10000500, 10000500 + i, 3, now() - i * INTERVAL '1 minute'
              FROM generate_series(1, :talks) i
             UNION ALL
            SELECT :tenant, 60000000 + i, NULL, NULL, 3, now() - i * INTERVAL '1 minute' FROM generate_series(1, :zones) i
            """,
            """
            INSERT INTO zone (tenant_id, id, domain_id, name, name_key, conversation_id, created_at)
            SELECT :tenant, 70000000 + i, 30000001, CASE i WHEN 1 THEN 'main' ELSE 'zone ' || i END,
                   CASE i WHEN 1 THEN 'main' ELSE 'zone ' || i END, 60000000 + i, now()
              FROM generate_series(1, :zones) i
            """,
            """
            INSERT INTO message (tenant_id, conversation_id, seq, id, speaker_id, content, chain, created_at)
            SELECT st.tenant_id, st.id, n, gen_random_uuid(), COALESCE(st.high_id, 10000500), 'text', '{}',
                   st.last_at - (3 - n) * INTERVAL '1 second'
              FROM conversation st, generate_series(1, 3) n
             WHERE st.tenant_id = :tenant AND n <= st.last_seq
            """,
            """
            INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq, last_seq)
            SELECT st.tenant_id, party.id, st.id, 20000001, 0, st.last_seq
              FROM conversation st, LATERAL (SELECT 10000500 AS id UNION ALL SELECT st.high_id) party
             WHERE st.tenant_id = :tenant AND st.high_id IS NOT NULL
             UNION ALL
            SELECT :tenant, 10000003 + 300 * m, 60000000 + i, 20000001 + (3 + 300 * m) % 500, 0, NULL
              FROM generate_series(1, :zones) i, generate_series(1, 30) m
            """,
            """
            INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at)
            SELECT :tenant, substr(md5(:tenant || '-' || j), 1, 12), '', 20000001 + j % 500, 'key', '{*}', now()
              FROM generate_series(1, 900) j
            """,
            """
            INSERT INTO audit (tenant_id, row_id, at, credential, user_name, user_key, tool, target_kind, result, request_id)
            SELECT :tenant, gen_random_uuid(), now() - i * INTERVAL '1 second', 'key', 'user 1', 'user 1', 'AP_Create', 'agent',
                   'done', 'r'
              FROM generate_series(:from, :size) i
            """,
            """
            INSERT INTO webhook_endpoint (tenant_id, id, url, events, created_at, updated_at, secret)
            SELECT :tenant, CAST(md5('endpoint ' || :tenant || ' ' || i) AS uuid), 'https://example.com/' || i, '{*}', now(), now(), ''
              FROM generate_series(1, :banks / 100 + 1) i
            """,
            """
            INSERT INTO event (tenant_id, id, type, created_at, data, seq)
            SELECT :tenant, CAST(md5('event ' || :tenant || ' ' || i) AS uuid), 'agent.deployment.created', now(), '{}', i
              FROM generate_series(1, :zones) i
            """,
            """
            INSERT INTO event_feed (tenant_id, last_seq) VALUES (:tenant, 3000)
            """,
            """
            INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, sequence, state, created_at)
            SELECT :tenant, CAST(md5('delivery ' || :tenant || ' ' || i) AS uuid), CAST(md5('endpoint ' || :tenant || ' 1') AS uuid),
                   CAST(md5('event ' || :tenant || ' ' || i) AS uuid), 'agent.deployment.created', i, 'delivered', now()
              FROM generate_series(1, :zones) i
            """,
            """
            INSERT INTO task (tenant_id, id, domain_id, title, description, state, holder_id, lease_until, creator_id, created_at,
                              updated_at)
            SELECT :tenant, CAST(md5('task ' || :tenant || ' ' || i) AS uuid), 30000001 + i % 2, 'task ' || i, 'd',
                   CASE i % 100 WHEN 1 THEN 'open' WHEN 2 THEN 'doing' ELSE 'done' END, CASE i % 100 WHEN 2 THEN 10000500 END,
                   CASE i % 100 WHEN 2 THEN now() + INTERVAL '1 day' END, 20000001, now() - i * INTERVAL '1 second', now()
              FROM generate_series(:from, :size) i
            """,
            """
            INSERT INTO task_change (tenant_id, task_id, revision, at, by_id, what)
            SELECT :tenant, CAST(md5('task ' || :tenant || ' ' || i) AS uuid), 1, now(), 20000001, 'created'
              FROM generate_series(:from, :size) i
            """,
            // As many of each topic as a stream reads at once, with the others.
            """
            INSERT INTO change_log (xid, tenant_id, topic, action, thing, place, other)
            (SELECT pg_current_xact_id(), :tenant, 'messages', 'said', id, conversation_id, seq FROM message WHERE tenant_id = :tenant LIMIT 200)
             UNION ALL
            (SELECT pg_current_xact_id(), :tenant, 'messages', 'said', m.id, m.conversation_id, m.seq
               FROM message m JOIN conversation st ON st.tenant_id = m.tenant_id AND st.id = m.conversation_id
              WHERE m.tenant_id = :tenant AND st.low_id IS NULL
              LIMIT 200)
             UNION ALL
            (SELECT pg_current_xact_id(), :tenant, 'deliveries', 'delivered', id, CAST(NULL AS bigint), CAST(NULL AS bigint) FROM webhook_delivery WHERE tenant_id = :tenant LIMIT 100)
            """,
            """
            INSERT INTO change_log (xid, tenant_id, topic, action, thing, place)
            (SELECT pg_current_xact_id(), :tenant, 'memories', 'stored', id, bank_id FROM memory WHERE tenant_id = :tenant LIMIT 200)
             UNION ALL
            (SELECT pg_current_xact_id(), :tenant, 'presence', 'logged_on', CAST(NULL AS uuid), id FROM agent WHERE tenant_id = :tenant LIMIT 200)
            """,
            """
            INSERT INTO change_log (xid, tenant_id, topic, action, thing, moment)
            SELECT pg_current_xact_id(), :tenant, 'audit', 'noted', row_id, at FROM audit WHERE tenant_id = :tenant LIMIT 90
            """);

    /** How much is filled in: what {@link #fill} adds to a tenant that has some of it already. */
    private record Size(int from, int to, int banks, int talks, int zones) {}

    private LargeTenant() {}

    /** Fills the tenant without triggers and foreign keys, which the data satisfies. */
    static void fill(Db db, long tenant, int size) {
        fill(db, tenant, new Size(1, size, 2_000, 4_900, 3_000));
    }

    /** Fills in a few of each, which later are among those of {@link #fill}. */
    static void begin(Db db, long tenant) {
        fill(db, tenant, new Size(495, 510, 9, 10, 10));
    }

    private static void fill(Db db, long tenant, Size size) {
        db.transaction(() -> {
            db.sql("SET LOCAL session_replication_role = replica").run();
            FILL.forEach(statement -> db.sql(statement + " ON CONFLICT DO NOTHING")
                    .set("tenant", tenant)
                    .set("from", size.from())
                    .set("size", size.to())
                    .set("banks", size.banks())
                    .set("talks", size.talks())
                    .set("zones", size.zones())
                    .quiet()
                    .counting(EnumSet.allOf(Scope.class))
                    .run());
            return true;
        });
    }
}
