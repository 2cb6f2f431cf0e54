package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.access.Access;
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
import io.agentworkspace.engine.workspace.guard.GuardStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes of domains. */
public final class DomainStore {
    /** The record of a domain {@code d} as JSON, for use with {@link #JOINS}. */
    static final String RECORD = """
            jsonb_build_object('name', d.name, 'description', d.description, 'profile', d.profile, 'access', d.access,
                               'owner', o.name, 'host', h.name, 'worktrees', CASE WHEN d.separate_worktrees THEN 'separate' END, 'revision', d.revision,
                               'created_at', d.created_at, 'updated_at', d.updated_at)
            """;

    /** The joins that {@link #RECORD} needs. */
    static final String JOINS = Visibility.owner("d") + """
            LEFT JOIN LATERAL (SELECT x.name FROM agent x
                                WHERE x.tenant_id = :tenant AND x.id = d.host_id OFFSET 0) h ON true
            """;

    private static final String INSERT = SqlTemplate.of("""
            WITH ids AS MATERIALIZED (SELECT nextval('entity_id') AS conversation, nextval('entity_id') AS zone),
                 d AS (INSERT INTO domain (tenant_id, name, name_key, description, profile, access, owner_id,
                                           host_id, created_at, updated_at)
                       VALUES (:tenant, :name, :key, :description, :profile, :access, present_user(:tenant, :user), :host, :now, :now)
                       ON CONFLICT (tenant_id, name_key) DO NOTHING
                       RETURNING *),
                 st AS (INSERT INTO conversation (tenant_id, id)
                        SELECT home.tenant_id, ids.conversation FROM tenant_plan home CROSS JOIN ids CROSS JOIN d WHERE home.tenant_id = :tenant
                        RETURNING *),
                 z AS (INSERT INTO zone (tenant_id, id, domain_id, name, name_key, conversation_id, created_at)
                       SELECT home.tenant_id, ids.zone, d.id, :main, :main, st.id, d.created_at
                         FROM tenant_plan home CROSS JOIN ids CROSS JOIN d CROSS JOIN st
                        WHERE home.tenant_id = :tenant),
                 hosts AS (SELECT a.* FROM d JOIN agent a ON a.tenant_id = :tenant AND a.id = d.host_id),
                 joined AS (INSERT INTO membership (tenant_id, domain_id, agent_id, owner_id, state, since)
                            SELECT home.tenant_id, d.id, hosts.id, hosts.owner_id, 'member', d.created_at
                              FROM tenant_plan home CROSS JOIN d CROSS JOIN hosts
                             WHERE home.tenant_id = :tenant),
                 listener AS (INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq)
                           SELECT home.tenant_id, hosts.id, st.id, hosts.owner_id, 0
                             FROM tenant_plan home CROSS JOIN st CROSS JOIN hosts
                            WHERE home.tenant_id = :tenant)
            SELECT d.id, {domain_json} AS record FROM d {join_owner}
            """)
            .with("domain_json", RECORD)
            .with("join_owner", JOINS)
            .sql();

    private static final String READ_RECORD = SqlTemplate.of(
                    "SELECT {domain_json} AS record FROM domain d {join_owner} WHERE d.tenant_id = :tenant AND d.id = :id")
            .with("domain_json", RECORD)
            .with("join_owner", JOINS)
            .sql();

    private static final String VISIBLE_NAMES =
            SqlTemplate.of("""
            SELECT d.name
              FROM domain d
             WHERE d.tenant_id = :tenant AND {visible_domain}
             ORDER BY d.name_key
             LIMIT 2000
            """).with("visible_domain", Visibility.domain("d")).sql();

    private static final String UPDATE = SqlTemplate.of("""
            UPDATE domain
               SET name = :name, name_key = :key, description = :description,
                   profile = COALESCE(:profile, profile), access = COALESCE(:access, access),
                   separate_worktrees = COALESCE(:separate, separate_worktrees),
                   revision = revision + 1, updated_at = :now
             WHERE tenant_id = :tenant AND id = :id
               AND (name, description, profile, access, separate_worktrees)
                   IS DISTINCT FROM
                   (:name, :description, COALESCE(:profile, profile), COALESCE(:access, access),
                    COALESCE(:separate, separate_worktrees));
            SELECT {domain_json} AS record FROM domain d {join_owner} WHERE d.tenant_id = :tenant AND d.id = :id
            """)
            .with("domain_json", RECORD)
            .with("join_owner", JOINS)
            .sql();

    private static final String FIND =
            SqlTemplate.of("""
            SELECT d.id, d.name, d.owner_id, d.host_id, d.access, d.revision,
                   (SELECT o.name FROM app_user o WHERE o.tenant_id = :tenant AND o.id = d.owner_id) AS owner_name
              FROM domain d
             WHERE d.tenant_id = :tenant AND d.name_key = :key AND {visible_domain}
            """).with("visible_domain", Visibility.domain("d")).sql();

    private static final String LOCK = FIND + "FOR UPDATE OF d";

    private static final String KEEP = FIND + "FOR SHARE OF d";

    private final Db db;

    public DomainStore(Db db) {
        this.db = db;
    }

    /**
     * A domain that the transaction has locked, with what determines who may change it.
     */
    public record LockedDomain(
            long id,
            String name,
            long owner,
            String ownerName,
            @Nullable Long host,
            Access access,
            long revision) {
        Ref ref() {
            return new Ref(id, name);
        }

        /** Returns it as it was before the call changed it. */
        Change.Resource resource() {
            return new Change.Resource(name, access, owner);
        }

        /** Returns the change of its list of zones. */
        List<Change> zonesChanged() {
            return List.of(Change.access(), Change.list(ChangeTopic.RESOURCES, Audience.of(access, owner)));
        }

        /** Returns whether it is public, so that an agent becomes a member at once. */
        public boolean open() {
            return access == Access.PUBLIC;
        }

        /** Returns whether the caller may change and destroy it, as its owner or an admin. */
        public boolean isOwnedBy(Call call) {
            return owner == call.context().user().id() || call.caller().isAdmin();
        }

        /** Returns whether the caller runs the domain, as its owner, an admin, or logged on as its host. */
        public boolean isRunBy(Call call) {
            return isOwnedBy(call) || isHostedBy(call);
        }

        /** Returns whether the caller is logged on as its host. */
        public boolean isHostedBy(Call call) {
            var self = call.context().self();
            return self != null && host != null && self.id() == host;
        }
    }

    /** A domain's descriptive fields. */
    record DomainFields(
            Name name,
            String description,
            @Nullable String profile,
            @Nullable Access access,
            @Nullable Worktrees worktrees) {}

    /**
     * Creates the domain with its zone {@code main}. The host, if there is one, is its first member.
     *
     * @throws Problem {@code already_exists}
     */
    Domain insert(Call call, DomainFields words, @Nullable Long host) {
        var domain = db.sql(call, INSERT)
                .sameAccess(host == null) // Nothing has selected it yet, but a host can make its owner see more.
                .set("name", words.name())
                .set("key", words.name().key())
                .set("description", words.description())
                .set("profile", words.profile())
                .set("access", (words.access() == null ? Access.PRIVATE : words.access()).word())
                .set("host", host)
                .set("main", ZoneStore.MAIN)
                .one(row -> {
                    call.changed(host == null ? List.of() : List.of(Change.presence(host, "joined", row.number("id"))));
                    return record(row);
                })
                .orElseThrow(() -> Problem.alreadyExists(
                        "domain", words.name().text(), "choose another name, or change that domain with DM_Update"));
        call.created(Scope.DOMAINS, 1);
        var owner = call.context().user().id();
        call.changed(
                Change.resource(ChangeTopic.DOMAIN, null, new Change.Resource(domain.name(), domain.access(), owner)));
        return domain;
    }

    /** Returns the domain of this name, locked, if the acting user may see it. */
    LockedDomain lock(Call call, Name name) {
        return find(call, name, LOCK).orElseThrow(() -> missing(call, name));
    }

    /** Returns the domain of this name, protected from changes until the transaction ends. */
    public LockedDomain read(Call call, Name name) {
        return find(call, name, KEEP).orElseThrow(() -> missing(call, name));
    }

    private Optional<LockedDomain> find(Call call, Name name, String statement) {
        return db.sql(call, statement).set("key", name.key()).one(row -> row.as(LockedDomain.class));
    }

    /** Returns the refusal for an unknown domain, with similar names that the acting user may see. */
    public Problem missing(Call call, Name name) {
        var names = db.sql(call, VISIBLE_NAMES).list(row -> row.text("name"));
        return Problem.notFound("domain", name.text(), Near.nearest(name.text(), names, 3));
    }

    /** Replaces name and description, and the others if given. Raises the revision if that changes anything. */
    Domain update(Call call, LockedDomain current, DomainFields words) {
        try {
            var domain = db.sql(call, UPDATE)
                    .sameAccess(words.name().text().equals(current.name())
                            && (words.access() == null || words.access() == current.access()))
                    .set("id", current.id())
                    .set("name", words.name())
                    .set("key", words.name().key())
                    .set("description", words.description())
                    .set("profile", words.profile())
                    .set(
                            "access",
                            words.access() == null ? null : words.access().word())
                    .set(
                            "separate",
                            words.worktrees() == null ? null : (Boolean) (words.worktrees() == Worktrees.SEPARATE))
                    .last(DomainStore::record)
                    .orElseThrow();
            var after = new Change.Resource(domain.name(), domain.access(), current.owner());
            call.changed(
                    domain.revision() == current.revision()
                            ? List.of()
                            : Change.resource(ChangeTopic.DOMAIN, current.resource(), after));
            return domain;
        } catch (SqlFailure e) {
            throw Db.isTaken(e) ? Problem.alreadyExists("domain", words.name().text()) : e;
        }
    }

    /** Returns the current record, inside a transaction. */
    Domain record(Call call, LockedDomain domain) {
        return db.sql(call, READ_RECORD)
                .set("id", domain.id())
                .one(DomainStore::record)
                .orElseThrow();
    }

    /** Sets how far agents may go in the zones of the domain without a person. */
    GuardStore.Changed guard(Call call, LockedDomain domain, GuardLimits guard) {
        call.changed(Change.resource(ChangeTopic.DOMAIN, domain.resource(), domain.resource()));
        return new GuardStore(db).ofDomain(call, domain.id(), guard);
    }

    /** Deletes the domain with its zones, their conversations and messages, and all memberships. */
    void destroy(Call call, LockedDomain current) {
        db.sql(call, """
                WITH closed AS (DELETE FROM zone WHERE tenant_id = :tenant AND domain_id = :id RETURNING conversation_id),
                     silent AS (DELETE FROM conversation
                                 WHERE tenant_id = :tenant AND id IN (SELECT conversation_id FROM closed)),
                     parted AS (DELETE FROM membership WHERE tenant_id = :tenant AND domain_id = :id RETURNING agent_id),
                     dropped AS (DELETE FROM task WHERE tenant_id = :tenant AND domain_id = :id RETURNING state),
                     destroyed AS (DELETE FROM domain WHERE tenant_id = :tenant AND id = :id)
                SELECT ARRAY(SELECT agent_id FROM parted) AS agents,
                       (SELECT count(*) FROM dropped WHERE state NOT IN ('done', 'cancelled')) AS tasks
                """).set("id", current.id()).one(row -> {
            row.numbers("agents").forEach(agent -> call.changed(Change.presence(agent, "left", current.id())));
            call.ended(Scope.TASKS, row.number("tasks"));
            return true;
        });
        call.ended(Scope.DOMAINS, 1);
        call.changed(Change.resource(ChangeTopic.DOMAIN, current.resource(), null));
    }

    private static Domain record(Row row) throws SQLException {
        return Objects.requireNonNull(row.json("record", Domain.class));
    }
}
