package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what an agent is told when its session starts, and when its conversation is summarised. */
final class HookQueries {
    private static final int MOST = 10;

    /** The most characters of a memory's text. */
    private static final int CHARACTERS = 700;

    /** The pinned memories of banks that the agent was granted, or that its owner has. */
    private static final String PINNED = SqlTemplate.of("""
            {subject}
            , own AS (
                SELECT g.bank_id AS id FROM bank_grant g WHERE g.tenant_id = :tenant AND g.agent_id = :bound
                UNION
                SELECT x.id FROM bank x WHERE x.tenant_id = :tenant AND x.owner_id = :user)
            SELECT b.name AS bank, m.name, left(m.text, :characters) AS text, author.name AS author, m.created_at
              FROM own
              CROSS JOIN s
              CROSS JOIN LATERAL (SELECT * FROM bank x WHERE x.tenant_id = :tenant AND x.id = own.id OFFSET 0) b
              CROSS JOIN {permit}
              CROSS JOIN LATERAL (SELECT * FROM memory m
                                   WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND m.pinned AND m.deleted_at IS NULL
                                     AND {current}
                                   ORDER BY m.created_at DESC, m.id
                                   LIMIT :most) m
              CROSS JOIN LATERAL (SELECT * FROM party x WHERE x.tenant_id = :tenant AND x.id = m.author_id OFFSET 0) author
             WHERE b.deleted_at IS NULL AND permit.permission <> 'none'
             ORDER BY m.created_at DESC, m.id
             LIMIT :most
            """)
            .with("subject", BankPermissionRow.SUBJECT)
            .with("permit", BankPermissionRow.PERMIT)
            .with("current", MemoryVisibility.current("m", "b"))
            .sql();

    /** The domains in which the agent takes part. */
    private static final String ROOMS = """
            SELECT d.name
              FROM membership p
              CROSS JOIN LATERAL (SELECT * FROM domain x WHERE x.tenant_id = :tenant AND x.id = p.domain_id OFFSET 0) d
             WHERE p.tenant_id = :tenant AND p.agent_id = :bound AND p.state = 'member'
             ORDER BY d.name_key
             LIMIT :most
            """;

    /** What the agent holds, and what is ready for it; at most {@link #MOST_TASKS} are counted. */
    private static final String TASKS = """
            SELECT (SELECT count(*) FROM task t
                     WHERE t.tenant_id = :tenant AND t.holder_id = :bound AND t.lease_until > clock_timestamp()) AS own,
                   (SELECT count(*)
                      FROM (SELECT 1
                              FROM membership p
                              CROSS JOIN LATERAL ((SELECT 1 FROM task t
                                                    WHERE t.tenant_id = :tenant AND t.domain_id = p.domain_id
                                                      AND t.state = 'open' AND t.unmet = 0 AND t.assignee_id IS NULL
                                                    ORDER BY t.created_at, t.id
                                                    LIMIT :tasks)
                                                  UNION ALL
                                                  (SELECT 1 FROM task t
                                                    WHERE t.tenant_id = :tenant AND t.domain_id = p.domain_id
                                                      AND t.state = 'open' AND t.unmet = 0 AND t.assignee_id = p.agent_id
                                                    ORDER BY t.created_at, t.id
                                                    LIMIT :tasks)) ready
                             WHERE p.tenant_id = :tenant AND p.agent_id = :bound AND p.state = 'member'
                             LIMIT :tasks) counted) AS ready
            """;

    private static final long MOST_TASKS = 100;

    private final Db db;

    HookQueries(Db db) {
        this.db = db;
    }

    /** A memory as an agent is told it. */
    record Recalled(String bank, @Nullable String name, String text, String author, Instant createdAt) {}

    /** Returns the newest pinned memories. */
    List<Recalled> pinned(HookSession session, Instant now) {
        return bound(db.sql(PINNED), session)
                .set("now", now)
                .set("characters", CHARACTERS)
                .list(HookQueries::recalled);
    }

    List<String> rooms(HookSession session) {
        return bound(db.sql(ROOMS), session).list(row -> row.text("name"));
    }

    /** Returns a sentence on the tasks of the agent; an empty text if it has none to do. */
    String tasks(HookSession session) {
        return bound(db.sql(TASKS), session)
                .set("tasks", MOST_TASKS)
                .one(row -> tasks(row.number("own"), row.number("ready")))
                .orElse("");
    }

    private static String tasks(long own, long ready) {
        if (own == 0 && ready == 0) {
            return "";
        }
        return "You hold %s; %s%d %s ready. TK_List shows them, and TK_Claim takes one."
                .formatted(
                        own == 1 ? "1 task" : own + " tasks",
                        ready == MOST_TASKS ? "at least " : "",
                        ready,
                        ready == 1 ? "is" : "are");
    }

    private static Recalled recalled(Row row) throws SQLException {
        return row.as(Recalled.class);
    }

    private static Statement bound(Statement statement, HookSession session) {
        var caller = session.caller();
        return statement
                .set("tenant", caller.tenant())
                .set("user", caller.user())
                .set("admin", caller.isAdmin())
                .set("self", session.agent())
                .set("bound", session.agent())
                .set("most", MOST);
    }
}
