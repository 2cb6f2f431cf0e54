package io.agentworkspace.engine.mcp.features;

import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.context.ContextQueries;
import io.agentworkspace.engine.kernel.context.Unread;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads what the instructions tell a caller about itself, in one round trip. */
public final class WelcomeQueries {
    private static final String WHO = ContextQueries.ACTOR_WITH_SELF
            + SqlTemplate.of("""
            SELECT a.name AS agent, o.name AS owner, {unread} AS unread
              FROM ctx
              LEFT JOIN agent a ON a.tenant_id = :tenant AND a.id = ctx.self_id
              JOIN app_user o ON o.tenant_id = :tenant AND o.id = COALESCE(a.owner_id, ctx.user_id)
            """)
                    .with("unread", Unread.of("COALESCE(ctx.self_id, ctx.user_id)"))
                    .sql();

    /** The banks that the agent, else the user, may read, by name: first those with a permission, then its owner's. */
    private static final String BANKS = ContextQueries.ACTOR_WITH_SELF
            + BankPermissionRow.SUBJECT
            + SqlTemplate.of("""
            SELECT b.name
              FROM ctx, s, bank b, {permit}
             WHERE b.tenant_id = :tenant AND permit.permission <> 'none' AND {visible_bank}
             ORDER BY array_position(ARRAY['grant', 'owner', 'access'], permit.via), b.name_key
             LIMIT :most
            """)
                    .with("permit", BankPermissionRow.PERMIT)
                    .with("visible_bank", Visibility.bank("b"))
                    .sql();

    /** The zones of the domains that the agent, else an agent of the user, is a member of; the latest spoken in first. */
    private static final String ROOMS = ContextQueries.ACTOR_WITH_SELF + """
            SELECT d.name AS domain, z.name AS zone
              FROM domain d
              JOIN zone z ON z.tenant_id = d.tenant_id AND z.domain_id = d.id
              JOIN conversation t ON t.tenant_id = z.tenant_id AND t.id = z.conversation_id
             WHERE d.tenant_id = :tenant
               AND d.id IN (SELECT m.domain_id
                              FROM ctx, membership m
                             WHERE m.tenant_id = :tenant AND m.state = 'member'
                               AND CASE WHEN ctx.self_id IS NULL THEN m.owner_id = ctx.user_id
                                        ELSE m.agent_id = ctx.self_id END)
             ORDER BY t.last_at DESC NULLS LAST, d.name_key, z.name_key
             LIMIT :most
            """;

    private static final String READ = String.join(";\n", WHO, BANKS, ROOMS);

    private final Db db;

    public WelcomeQueries(Db db) {
        this.db = db;
    }

    /**
     * What the instructions tell a caller.
     *
     * @param agent the agent that it acts as
     * @param owner the owner of the agent, else the user
     * @param unread how many messages wait
     */
    record Welcome(@Nullable String agent, String owner, long unread, List<String> banks, List<Room> rooms) {}

    /** A zone, by the name of its domain and its own. */
    record Room(String domain, String zone) {}

    /**
     * @param most the maximum number of banks, and of rooms
     * @return empty if the user, or the agent that the credential is bound to, is gone
     */
    Optional<Welcome> read(Call call, int most) {
        return db.sql(call, READ).set("most", most).all(results -> {
            var who = results.next(row -> new Welcome(
                    row.textOrNull("agent"), row.text("owner"), row.number("unread"), List.of(), List.of()));
            var banks = results.list(row -> row.text("name"));
            var rooms = results.list(row -> new Room(row.text("domain"), row.text("zone")));
            return who.map(found -> new Welcome(found.agent(), found.owner(), found.unread(), banks, rooms));
        });
    }
}
