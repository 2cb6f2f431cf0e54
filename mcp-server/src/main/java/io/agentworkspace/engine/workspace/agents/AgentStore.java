package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.identity.keys.BindableAgent;
import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.SilencedStore;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.change.Audience;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.workspace.guard.GuardLimits;
import io.agentworkspace.engine.workspace.guard.GuardQueries;
import io.agentworkspace.engine.workspace.guard.GuardStore;
import io.agentworkspace.engine.workspace.messages.MessageRow;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes agents and rosters. */
public final class AgentStore {
    /** How long replaced values are kept. */
    static final Duration KEPT = Duration.ofDays(30);

    /** How many users one change names: a notification has at most 8,000 bytes. */
    private static final int NOTIFIED = 100;

    /** The replaced values of this many changes of an agent are kept. */
    private static final int KEPT_CHANGES = 200;

    /** The columns that {@link #held} needs of an agent {@code a}. */
    public static final String HELD = """
            a.id, a.name, a.owner_id, a.access, a.revision, a.parent_id,
            (SELECT o.name FROM app_user o WHERE o.tenant_id = :tenant AND o.id = a.owner_id) AS owner_name
            """;

    private static final String BY_ID = " FROM agent a WHERE a.tenant_id = :tenant AND a.id = :id\n";

    private static final String READ = "SELECT " + AgentRow.COLUMNS + BY_ID;

    /** Saves the context, then reads the agent's record and the number of unread messages of the speaker {@code :party}. */
    private static final String SAVE_AND_READ =
            ContextStore.saveAnd(SqlTemplate.of("SELECT {agent}, {unread} AS unread\n")
                            .with("agent", AgentRow.COLUMNS)
                            .with("unread", MessageRow.UNREAD)
                            .sql()
                    + BY_ID);

    private static final String INSERT =
            SqlTemplate.of("""
            WITH a AS (INSERT INTO agent (tenant_id, name, name_key, description, profile, access, owner_id,
                                          created_at, updated_at, parent_id)
                       VALUES (:tenant, :name, :key, :description, :profile, :access, present_user(:tenant, :user), :now, :now,
                               CAST(:parent AS bigint))
                       ON CONFLICT (tenant_id, name_key) WHERE destroyed_at IS NULL DO NOTHING
                       RETURNING *)
            SELECT {agent} FROM a
            """).with("agent", AgentRow.COLUMNS).sql();

    /** The names on the acting user's roster, and those next to the given one in alphabetical order: reading all names takes too long. */
    private static final String VISIBLE_NAMES = SqlTemplate.of("""
            SELECT DISTINCT a.name
              FROM LATERAL ({before} UNION ALL {after} UNION ALL {rostered}) a
             WHERE {visible_agent}
            """)
            .with("before", neighbours("<", "DESC"))
            .with("after", neighbours(">", "ASC"))
            .with("rostered", """
            (SELECT w.*
               FROM roster r JOIN agent w ON w.tenant_id = :tenant AND w.id = r.agent_id
              WHERE r.tenant_id = :tenant AND r.user_id = :user
              LIMIT 1000)
            """)
            .with("visible_agent", Visibility.agent("a"))
            .sql();

    private static String neighbours(String side, String order) {
        return SqlTemplate.of("""
                (SELECT w.*
                   FROM agent w
                  WHERE w.tenant_id = :tenant AND w.destroyed_at IS NULL AND w.name_key {side} CAST(:key AS text)
                  ORDER BY w.name_key {order}
                  LIMIT 1000)
                """).with("side", side).with("order", order).sql();
    }

    private static final String UPDATE = SqlTemplate.of("""
            WITH old AS (SELECT * FROM agent WHERE tenant_id = :tenant AND id = :id),
                 new AS (UPDATE agent
                            SET name = COALESCE(:name, name), name_key = COALESCE(:key, name_key),
                                description = COALESCE(:description, description),
                                profile = COALESCE(:profile, profile), access = COALESCE(:access, access),
                                revision = revision + 1, updated_at = :now
                          WHERE tenant_id = :tenant AND id = :id
                            AND (name, description, profile, access)
                                IS DISTINCT FROM
                                (COALESCE(:name, name), COALESCE(:description, description),
                                 COALESCE(:profile, profile), COALESCE(:access, access))
                        RETURNING *),
                 kept AS (INSERT INTO agent_revision (tenant_id, agent_id, revision, name, description, profile, access,
                                                      editor_id, stored_at, replaced_at)
                          SELECT home.tenant_id, old.id, old.revision, old.name, old.description, old.profile, old.access,
                                 COALESCE(:self, :caller), old.updated_at, new.updated_at
                            FROM tenant_plan home CROSS JOIN old CROSS JOIN new
                           WHERE home.tenant_id = :tenant),
                 trimmed AS (DELETE FROM agent_revision r
                              USING new
                              WHERE r.tenant_id = :tenant AND r.agent_id = new.id AND r.revision < new.revision - {kept_changes}),
                 a AS (SELECT * FROM new
                       UNION ALL
                       SELECT * FROM old WHERE NOT EXISTS (SELECT 1 FROM new))
            SELECT {agent},
                   array_remove(ARRAY[CASE WHEN a.name <> old.name THEN 'name' END,
                                      CASE WHEN a.description <> old.description THEN 'description' END,
                                      CASE WHEN a.profile IS DISTINCT FROM old.profile THEN 'profile' END,
                                      CASE WHEN a.access <> old.access THEN 'access' END], NULL) AS changed
              FROM old, a
            """)
            .with("agent", AgentRow.COLUMNS)
            .with("kept_changes", KEPT_CHANGES)
            .sql();

    private static final String OLD_REVISIONS =
            Db.oldRows("agent_revision", "tenant_id, agent_id, revision", "replaced_at <= :until");

    private static final String FIND = SqlTemplate.of("""
            SELECT {agent}
              FROM agent a
             WHERE a.tenant_id = :tenant AND a.name_key = :key AND {visible_agent}
            """)
            .with("agent", HELD)
            .with("visible_agent", Visibility.agent("a"))
            .sql();

    private static final String LOCK = FIND + "FOR UPDATE OF a";

    private static final String KEEP = FIND + "FOR SHARE OF a";

    private static final String SUB_AGENTS =
            SqlTemplate.of("""
            SELECT {agent}
              FROM agent a
             WHERE a.tenant_id = :tenant AND a.parent_id = :parent AND a.destroyed_at IS NULL
             ORDER BY a.id
               FOR UPDATE OF a
            """).with("agent", HELD).sql();

    private static final String ADD_TO_ROSTER = rostered("""
            INSERT INTO roster (tenant_id, user_id, agent_id, added_at)
            VALUES (:tenant, :user, :agent, :now)
            ON CONFLICT DO NOTHING
            RETURNING 1
            """);

    private static final String REMOVE_FROM_ROSTER = rostered("""
            DELETE FROM roster WHERE tenant_id = :tenant AND user_id = :user AND agent_id = :agent
            RETURNING 1
            """);

    /** Changes the roster, then returns whether that changed anything, and the agent. */
    private static String rostered(String change) {
        return SqlTemplate.of("""
                WITH changed AS ({change})
                SELECT EXISTS (SELECT 1 FROM changed) AS changed, {agent}
                  FROM agent a
                 WHERE a.tenant_id = :tenant AND a.id = :agent
                """)
                .with("change", change)
                .with("agent", AgentRow.COLUMNS)
                .sql();
    }

    private final Db db;
    private final ContextStore stored;

    public AgentStore(Db db) {
        this.db = db;
        this.stored = new ContextStore(db);
    }

    /** An agent that the transaction has locked, with what determines who may change it. */
    public record LockedAgent(
            long id,
            String name,
            long owner,
            String ownerName,
            Access access,
            long revision,
            @Nullable Long parent) implements BindableAgent {
        @Override
        public AccessCheck missing(Call call) {
            return AgentAccess.missing(call, this);
        }

        public Ref ref() {
            return new Ref(id, name);
        }

        /** Returns it as it was before the call changed it. */
        public Change.Resource resource() {
            return new Change.Resource(name, access, owner);
        }
    }

    /** The changes to an agent; null leaves a value unchanged. */
    record AgentChange(
            @Nullable Name name,
            @Nullable String description,
            @Nullable String profile,
            @Nullable Access access) {}

    /**
     * Creates the agent and puts it on its owner's roster.
     *
     * @throws Problem {@code already_exists}
     */
    Agent insert(
            Call call, Name name, @Nullable Long parent, String description, @Nullable String profile, Access access) {
        var agent = db.sql(call, INSERT)
                .sameAccess() // Nothing has selected it yet.
                .set("name", name)
                .set("key", name.key())
                .set("description", description)
                .set("profile", profile)
                .set("access", access.word())
                .set("parent", parent)
                .one(row -> {
                    var id = row.number("id");
                    list(call, id);
                    call.changed(Change.presence(id, "created", null));
                    return row.as(Agent.class);
                })
                .orElseThrow(() -> Problem.alreadyExists(
                        "agent", name.text(), "choose another name, or change that agent with AP_Update"));
        call.created(Scope.AGENTS, 1);
        var owner = call.context().user().id();
        call.changed(Change.resource(ChangeTopic.AGENT, null, new Change.Resource(name.text(), access, owner)));
        return agent;
    }

    private void list(Call call, long agent) {
        db.sql(
                        call,
                        "INSERT INTO roster (tenant_id, user_id, agent_id, added_at) VALUES (:tenant, :user, :agent, :now)")
                .sameAccess()
                .set("agent", agent)
                .runLate();
    }

    /** Locks the agent with this name, if the acting user may see it. */
    public LockedAgent lock(Call call, Name name) {
        return find(call, name, LOCK).orElseThrow(() -> missing(call, name));
    }

    /** Reads the agent with this name, and protects it from being destroyed until the transaction ends. */
    public LockedAgent read(Call call, Name name) {
        return find(call, name, KEEP).orElseThrow(() -> missing(call, name));
    }

    /** Does the same; empty if there is no such agent that the acting user may see. */
    public Optional<LockedAgent> find(Call call, Name name) {
        return find(call, name, KEEP);
    }

    private Optional<LockedAgent> find(Call call, Name name, String statement) {
        return db.sql(call, statement).set("key", name.key()).one(AgentStore::agent);
    }

    public static LockedAgent agent(Row row) throws SQLException {
        return row.as(LockedAgent.class);
    }

    /** Returns the sub-agents of an agent, locked. */
    List<LockedAgent> subAgents(Call call, LockedAgent parent) {
        return db.sql(call, SUB_AGENTS).set("parent", parent.id()).list(AgentStore::agent);
    }

    /** Returns the refusal for an unknown agent, with similar names that the acting user may see. */
    public Problem missing(Call call, Name name) {
        var names = db.sql(call, VISIBLE_NAMES).set("key", name.key()).list(row -> row.text("name"));
        return Problem.notFound("agent", name.text(), Near.nearest(name.text(), names, 3));
    }

    /** An agent after a change, and the fields that the change altered. */
    record Updated(Agent agent, List<String> changed) {}

    /**
     * Sets the fields of the change. If any of them differs from the current value, it raises the revision and keeps
     * what it replaced.
     */
    Updated update(Call call, LockedAgent agent, AgentChange change) {
        try {
            var updated = db.sql(call, UPDATE)
                    .sameAccess((change.name() == null || change.name().text().equals(agent.name()))
                            && (change.access() == null || change.access() == agent.access()))
                    .set("id", agent.id())
                    .set("name", change.name())
                    .set("key", change.name() == null ? null : change.name().key())
                    .set("description", change.description())
                    .set("profile", change.profile())
                    .set(
                            "access",
                            change.access() == null ? null : change.access().word())
                    .one(row -> new Updated(row.as(Agent.class), row.texts("changed")))
                    .orElseThrow();
            updated(call, agent, updated);
            return updated;
        } catch (SqlFailure e) {
            if (Db.isTaken(e) && change.name() != null) {
                throw Problem.alreadyExists("agent", change.name().text());
            }
            throw e;
        }
    }

    private static void updated(Call call, LockedAgent before, Updated updated) {
        if (updated.changed().isEmpty()) {
            call.changed(List.of());
            return;
        }
        var agent = updated.agent();
        call.changed(Change.resource(
                ChangeTopic.AGENT,
                before.resource(),
                new Change.Resource(agent.name(), agent.access(), before.owner())));
        call.changed(Change.presence(before.id(), "updated", null));
    }

    /** Sets how far the agent's direct messages may go without a person. */
    GuardStore.Changed guard(Call call, LockedAgent agent, GuardLimits guard, @Nullable Long incident) {
        call.changed(Change.presence(agent.id(), "updated", null));
        return new GuardStore(db).ofAgent(call, agent.id(), guard, incident);
    }

    /** Returns the current record, inside a transaction. */
    public Agent record(Call call, LockedAgent agent) {
        return db.sql(call, READ)
                .set("id", agent.id())
                .one(row -> row.as(Agent.class))
                .orElseThrow();
    }

    /** Destroys the agent. Only its name on its messages and memories remains. */
    void destroy(Call call, LockedAgent agent) {
        db.sql(call, """
                WITH rostered AS (DELETE FROM roster WHERE tenant_id = :tenant AND agent_id = :id RETURNING user_id),
                     joined AS (DELETE FROM membership WHERE tenant_id = :tenant AND agent_id = :id RETURNING domain_id),
                     hosted AS (UPDATE domain SET host_id = NULL WHERE tenant_id = :tenant AND host_id = :id RETURNING id),
                     granted AS (DELETE FROM bank_grant WHERE tenant_id = :tenant AND agent_id = :id),
                     loaded AS (DELETE FROM bank_load WHERE tenant_id = :tenant AND agent_id = :id),
                     taught AS (DELETE FROM skill_install WHERE tenant_id = :tenant AND agent_id = :id),
                     forgotten AS (DELETE FROM agent_revision WHERE tenant_id = :tenant AND agent_id = :id),
                     housed AS (DELETE FROM agent_remote WHERE tenant_id = :tenant AND agent_id = :id),
                     keyed AS (UPDATE api_key SET revoked_at = :now
                                WHERE tenant_id = :tenant AND agent_id = :id AND revoked_at IS NULL),
                     questions AS (UPDATE question SET withdrawn_at = :now
                                WHERE tenant_id = :tenant AND asker_id = :id AND answered_at IS NULL AND withdrawn_at IS NULL
                                  AND (expires_at IS NULL OR expires_at > :now)),
                     listening AS (DELETE FROM participant WHERE tenant_id = :tenant AND party_id = :id),
                     destroyed AS (UPDATE agent SET destroyed_at = :now WHERE tenant_id = :tenant AND id = :id)
                SELECT ARRAY(SELECT user_id FROM rostered) AS users, ARRAY(SELECT domain_id FROM joined) AS left_domains,
                       ARRAY(SELECT id FROM hosted) AS hosted
                """).set("id", agent.id()).one(row -> {
            row.numbers("left_domains").forEach(domain -> call.changed(Change.presence(agent.id(), "left", domain)));
            row.numbers("hosted").forEach(domain -> call.changed(Change.numbered(ChangeTopic.DOMAIN, domain)));
            var users = row.numbers("users");
            for (var from = 0; from < users.size(); from += NOTIFIED) {
                var some = users.subList(from, Math.min(from + NOTIFIED, users.size()));
                call.changed(Change.list(ChangeTopic.RESOURCES, new Audience(false, Set.copyOf(some))));
            }
            return true;
        });
        call.ended(Scope.AGENTS, 1);
        call.changed(Change.resource(ChangeTopic.AGENT, agent.resource(), null));
        call.changed(Change.presence(agent.id(), "destroyed", null));
        SilencedStore.silence(db, call, agent.owner());
    }

    /** Deletes revisions that were replaced 30 days ago, and returns their number. */
    public int purge(Instant now) {
        return db.deleteOld(OLD_REVISIONS, now.minus(KEPT));
    }

    /** An agent after it was added to a roster or removed from it, and whether that changed anything. */
    record ListedAgent(Agent agent, boolean changed) {}

    /** Puts the agent on the acting user's roster. */
    ListedAgent addToRoster(Call call, long agent) {
        return changeRoster(call, agent, ADD_TO_ROSTER);
    }

    /** Removes the agent from the acting user's roster. */
    ListedAgent removeFromRoster(Call call, long agent) {
        return changeRoster(call, agent, REMOVE_FROM_ROSTER);
    }

    private ListedAgent changeRoster(Call call, long agent, String statement) {
        var entry = db.sql(call, statement)
                .set("agent", agent)
                .one(row -> new ListedAgent(row.as(Agent.class), row.flag("changed")))
                .orElseThrow();
        var user = Audience.of(call.context().user().id());
        call.changed(entry.changed() ? List.of(Change.access(), Change.list(ChangeTopic.RESOURCES, user)) : List.of());
        return entry;
    }

    /** Records that the call logs off the agent. */
    void left(Call call, long agent) {
        db.sql(call, GuardQueries.LEFT).set("self", agent).runLate();
    }

    /**
     * Saves the call's changes of its context, and reads the agent in that state. The speaker may have changed, so
     * its unread messages are counted.
     */
    Agent saveAndRead(Call call, long agent) {
        return stored.saving(call, SAVE_AND_READ)
                .set("id", agent)
                .set("party", call.context().speaker().id())
                .last(row -> {
                    call.context(call.context().withUnread(row.number("unread")));
                    return row.as(Agent.class);
                })
                .orElseThrow();
    }
}
