package io.agentworkspace.engine.workspace.chat;

import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;

/** Finds the users to whom an agent may write: its owner, who shares a domain with it, and admins of the tenant. */
final class RecipientQueries {
    private static final int NEAR = 3;

    /** Whether the agent that speaks may write to the user {@code u}. */
    private static final String MAY_BE_WRITTEN_TO = """
            (u.id = :user
             OR u.role IN ('admin', 'owner')
             OR EXISTS (SELECT 1
                          FROM membership mine
                          JOIN domain d ON d.tenant_id = :tenant AND d.id = mine.domain_id
                         WHERE mine.tenant_id = :tenant AND mine.agent_id = :self AND mine.state = 'member'
                           AND (d.owner_id = u.id
                                OR EXISTS (SELECT 1 FROM membership theirs
                                            WHERE theirs.tenant_id = :tenant AND theirs.owner_id = u.id
                                              AND theirs.domain_id = mine.domain_id AND theirs.state = 'member'))))
            """;

    /** It keeps the user from being removed until the transaction ends. */
    private static final String READ =
            SqlTemplate.of("""
            SELECT u.id, u.name
              FROM app_user u
             WHERE u.tenant_id = :tenant AND u.name_key = :key AND u.removed_at IS NULL AND {may_be_written_to}
               FOR SHARE OF u
            """).with("may_be_written_to", MAY_BE_WRITTEN_TO).sql();

    /** The names next to the given one in alphabetical order: reading all takes too long. */
    private static final String NEAR_NAMES = SqlTemplate.of("""
            SELECT u.name
              FROM LATERAL ({before} UNION ALL {after}) u
             WHERE {may_be_written_to}
            """)
            .with("before", neighbours("<", "DESC"))
            .with("after", neighbours(">", "ASC"))
            .with("may_be_written_to", MAY_BE_WRITTEN_TO)
            .sql();

    private final Db db;

    RecipientQueries(Db db) {
        this.db = db;
    }

    private static String neighbours(String side, String order) {
        return SqlTemplate.of("""
                (SELECT x.*
                   FROM app_user x
                  WHERE x.tenant_id = :tenant AND x.removed_at IS NULL AND x.name_key {side} CAST(:key AS text)
                  ORDER BY x.name_key {order}
                  LIMIT 200)
                """).with("side", side).with("order", order).sql();
    }

    /** @throws Problem {@code not_found} if the agent may not write to such a user */
    Ref read(Call call, UserHandle user) {
        return db.sql(call, READ)
                .set("key", user.key())
                .one(row -> row.as(Ref.class))
                .orElseThrow(() -> missing(call, user));
    }

    private Problem missing(Call call, UserHandle user) {
        var names = db.sql(call, NEAR_NAMES).set("key", user.key()).list(row -> row.text("name"));
        return ContextStore.missing(user, Near.nearest(user.text(), names, NEAR));
    }
}
