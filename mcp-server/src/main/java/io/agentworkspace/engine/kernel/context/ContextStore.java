package io.agentworkspace.engine.kernel.context;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.AccessVersion;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Precondition;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The named contexts of each principal: what is selected, and the agent that the principal is logged on as. */
public final class ContextStore {
    /** How long an agent stays online after the last command of a context that is logged on as it. */
    public static final Duration ONLINE = Duration.ofMinutes(15);

    /**
     * The context: selected things that are no longer visible are left out. Each thing is a look-up by its key, whatever number of rows PostgreSQL
     * expects: a plan that was made when the tables were empty must be good when they are full. If the caller's own user is gone,
     * everything is left out. A credential that is bound to an agent is always logged on as it.
     */
    private static final String READ = SqlTemplate.of("""
            SELECT w.id AS caller_id, w.role AS caller_role, u.id AS user_id, u.name AS user_name,
                   s.id AS self_id, s.name AS self_name, a.id AS agent_id, a.name AS agent_name,
                   d.id AS domain_id, d.name AS domain_name, z.id AS zone_id, z.name AS zone_name,
                   {version} AS version, {selection}, {unread} AS unread, {limits}
              FROM (VALUES (1)) one (row)
              LEFT JOIN app_user w ON w.tenant_id = :tenant AND w.id = :caller AND w.removed_at IS NULL
              LEFT JOIN app_user u
                     ON w.id IS NOT NULL AND u.tenant_id = :tenant AND u.removed_at IS NULL
                    AND u.id = CASE WHEN CAST(:acting AS text) IS NULL THEN w.id
                                    WHEN strpos(:acting, '@') > 0 THEN (SELECT f.id FROM user_of_email(:tenant, :acting) f (id)
                                                                          WHERE :for_others OR f.id = w.id)
                                    ELSE (SELECT x.id FROM app_user x
                                           WHERE x.tenant_id = :tenant AND x.name_key = :acting AND x.removed_at IS NULL) END
              LEFT JOIN context c ON c.tenant_id = :tenant AND c.principal = :principal AND c.name = :context
              LEFT JOIN LATERAL (SELECT *
                                   FROM agent x
                                  WHERE x.tenant_id = :tenant AND x.id = COALESCE(CAST(:bound AS bigint), c.self_id)
                                 OFFSET 0) s ON s.destroyed_at IS NULL AND (s.owner_id = u.id OR :admin)
              LEFT JOIN LATERAL (SELECT * FROM agent x WHERE x.tenant_id = :tenant AND x.id = c.agent_id OFFSET 0) a ON {visible_agent}
              LEFT JOIN LATERAL (SELECT * FROM domain x WHERE x.tenant_id = :tenant AND x.id = c.domain_id OFFSET 0) d ON {visible_domain}
              LEFT JOIN LATERAL (SELECT * FROM zone x WHERE x.tenant_id = :tenant AND x.id = c.zone_id OFFSET 0) z ON z.domain_id = d.id
            """)
            .with("visible_agent", Visibility.agent("a", "u.id"))
            .with("visible_domain", Visibility.domain("d", "u.id"))
            .with("version", AccessVersion.READ)
            .with("selection", Selection.COLUMNS)
            .with("unread", Unread.of("COALESCE(s.id, u.id)"))
            .with("limits", Db.LIMITS)
            .sql();

    /** What a context that was kept depends on. */
    private static final String CHECK = SqlTemplate.of("""
            SELECT {version} AS version, {selection}, {unread} AS unread
              FROM (VALUES (1)) one (row)
              LEFT JOIN context c ON c.tenant_id = :tenant AND c.principal = :principal AND c.name = :context
            """)
            .with("version", AccessVersion.READ)
            .with("selection", Selection.COLUMNS)
            .with("unread", Unread.of(":speaker"))
            .sql();

    /** The same in a transaction, whose time limits it sets. */
    private static final String CHECK_FIRST = CHECK.replaceFirst("SELECT", "SELECT " + Db.LIMITS + ",");

    /** How long an unused context is kept. */
    private static final Duration KEPT = Duration.ofDays(90);

    private static final String SAVE = """
            INSERT INTO context (tenant_id, principal, name, self_id, agent_id, domain_id, zone_id, used_at)
            VALUES (:tenant, :principal, :context, :self, :agent, :domain, :zone, :now)
            ON CONFLICT (tenant_id, principal, name) DO UPDATE
               SET self_id = CASE WHEN :self_changed THEN excluded.self_id ELSE context.self_id END,
                   agent_id = CASE WHEN :agent_changed THEN excluded.agent_id ELSE context.agent_id END,
                   domain_id = CASE WHEN :place_changed THEN excluded.domain_id ELSE context.domain_id END,
                   zone_id = CASE WHEN :place_changed THEN excluded.zone_id ELSE context.zone_id END,
                   used_at = excluded.used_at
            """;

    private static final String OLD = Db.oldRows("context", "tenant_id, principal, name", "used_at <= :until");

    private final Db db;

    public ContextStore(Db db) {
        this.db = db;
    }

    /**
     * The rows that a context selects, whether or not they can still be seen.
     *
     * @param self the agent that it is logged on as; a bound credential ignores it
     */
    record Selection(
            @Nullable Long self,
            @Nullable Long agent,
            @Nullable Long domain,
            @Nullable Long zone) {
        static final String COLUMNS =
                "c.self_id AS stored_self, c.agent_id AS stored_agent, c.domain_id AS stored_domain, c.zone_id AS stored_zone";

        static Selection read(Call call, Row row) throws SQLException {
            return new Selection(
                    call.caller().boundAgent() == null ? row.numberOrNull("stored_self") : null,
                    row.numberOrNull("stored_agent"),
                    row.numberOrNull("stored_domain"),
                    row.numberOrNull("stored_zone"));
        }
    }

    /**
     * A context as it was read.
     *
     * @param version of what decides access, as it was read or before
     */
    record StoredContext(Context context, UUID version, Selection selection) {}

    /**
     * Reads the context into the call. In a transaction only the claim of an idempotency key comes before it.
     *
     * @throws Problem {@code unauthenticated}, {@code not_permitted}, or {@code not_found} for a user to act for
     */
    StoredContext read(Call call) {
        return db.limited(db.sql(call, READ))
                .one(row -> new StoredContext(context(call, row), row.uuid("version"), Selection.read(call, row)))
                .orElseThrow();
    }

    /** Returns whether what a context depends on is still so. */
    @FunctionalInterface
    interface Current {
        boolean is(UUID version, Selection selection);
    }

    /**
     * Has the call's next statement check what its context depends on, and count what waits for its speaker.
     *
     * @throws IllegalStateException if the call has no context
     */
    void checkWithNext(Call call, Current current) {
        var statement = db.inTransaction() ? db.limited(db.sql(call, CHECK_FIRST)) : db.sql(call, CHECK);
        Precondition.set(statement.set("speaker", call.context().speaker().id()), row -> {
            call.unread(row.number("unread"));
            return current.is(row.uuid("version"), Selection.read(call, row));
        });
    }

    private static Context context(Call call, Row row) throws SQLException {
        var role = row.textOrNull("caller_role");
        if (role != null) {
            checkRole(call, Role.of(role));
        }
        var user = row.ref("user");
        if (user == null) {
            var acting = call.actingFor();
            throw acting == null || row.numberOrNull("caller_id") == null
                    ? Problem.unauthenticated("the credential's user no longer exists")
                    : nobody(call, acting);
        }
        var self = row.ref("self");
        if (self == null && call.caller().boundAgent() != null) {
            throw Problem.unauthenticated("the credential's agent no longer exists");
        }
        var context = new Context(
                call.contextName(),
                user,
                self,
                row.ref("agent"),
                row.ref("domain"),
                row.ref("zone"),
                row.number("unread"));
        call.load(context);
        return context;
    }

    /**
     * Returns the refusal for an unknown user to act for. A caller that may not act for others gets the same response
     * for every address, whether or not somebody has it.
     */
    private static Problem nobody(Call call, UserHandle acting) {
        return call.caller().obstacleToOthers().map(Problem::notPermitted).orElseGet(() -> missing(acting, List.of()));
    }

    /**
     * Checks the caller's role, since a replica may cache a lost role for up to a second.
     *
     * @param now the caller's current role
     * @throws Problem {@code not_permitted} if that is lower than the cached one
     */
    public static void checkRole(Call call, Role now) {
        if (!now.isAtLeast(call.caller().role())) {
            throw Problem.notPermitted(
                    "your role has just become '%s': call again for what that allows; an admin can change it with US_Update"
                            .formatted(now.word()));
        }
    }

    /** Stores only what the call has changed in its context, so that concurrent commands can change the rest. */
    public void save(Call call) {
        saving(call, SAVE).run();
    }

    /**
     * Stores the context and, in the same round trip, runs another statement, which sees what was stored.
     *
     * @param statement a result of {@link #saveAnd}
     */
    public Statement saving(Call call, String statement) {
        var before = call.loadedContext();
        var context = call.context();
        Stream.of(Optional.ofNullable(context.self()), Optional.ofNullable(before.self()))
                .flatMap(Optional::stream)
                .forEach(self -> call.changed(Change.presence(self.id(), "seen", null)));
        return db.sql(call, statement)
                .set("agent", id(context.agent()))
                .set("domain", id(context.domain()))
                .set("zone", id(context.zone()))
                .set("self_changed", call.caller().boundAgent() != null || differ(before.self(), context.self()))
                .set("agent_changed", differ(before.agent(), context.agent()))
                .set(
                        "place_changed",
                        differ(before.domain(), context.domain()) || differ(before.zone(), context.zone()));
    }

    /**
     * Returns a statement for {@link #saving}, to be composed once: the storing of the context, and then the other
     * statement.
     */
    public static String saveAnd(String then) {
        return SAVE + ";\n" + then;
    }

    /** Returns whether the agent with this alias is online: a look-up for each, never a set of all tenants' contexts. */
    public static String online(String alias) {
        return SqlTemplate.of("""
                COALESCE((SELECT true FROM context at
                           WHERE at.tenant_id = :tenant AND at.self_id = {agent}.id
                             AND at.used_at > CAST(:now AS timestamptz) - {minutes} * INTERVAL '1 minute'
                           LIMIT 1), false)""")
                .with("agent", alias)
                .with("minutes", ONLINE.toMinutes())
                .sql();
    }

    private static boolean differ(Context.@Nullable Ref one, Context.@Nullable Ref other) {
        return !Objects.equals(id(one), id(other));
    }

    private static @Nullable Long id(Context.@Nullable Ref ref) {
        return ref == null ? null : (Long) ref.id();
    }

    /** Deletes contexts that have not been used for long. */
    public void purge(Instant now) {
        db.deleteOld(OLD, now.minus(KEPT));
    }

    /**
     * Returns the refusal for an unknown user. No address gets suggestions, so that nobody learns of others by
     * guessing.
     */
    public static Problem missing(UserHandle handle, List<String> near) {
        return handle.isAddress()
                ? new Problem(
                        Failure.NOT_FOUND,
                        "'%s' is not the verified e-mail address of exactly one user who has signed in here; give the user's name, which US_List shows"
                                .formatted(handle.text()))
                : Problem.notFound("user", handle.text(), near);
    }
}
