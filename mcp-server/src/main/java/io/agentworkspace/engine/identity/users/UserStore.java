package io.agentworkspace.engine.identity.users;

import io.agentworkspace.engine.kernel.access.SilencedStore;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.change.Audience;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.event.EventData;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The users of a tenant: lists, creates, changes and removes them. What a removed user owned passes to an heir. */
final class UserStore {
    private static final String RECORD =
            "jsonb_build_object('name', u.name, 'role', u.role, 'revision', u.revision, 'created_at', u.created_at)";

    private static final String LIST =
            SqlTemplate.of("""
            WITH page AS (
                SELECT * FROM app_user u
                 WHERE u.tenant_id = :tenant AND u.removed_at IS NULL AND u.name_key > :after
                 ORDER BY u.name_key
                 LIMIT :limit + 1),
              owned AS MATERIALIZED ( -- Once for all: an index of all agents of the tenant costs the same while there are few.
                SELECT a.owner_id, count(*) AS agents
                  FROM agent a
                 WHERE a.tenant_id = :tenant AND a.owner_id = ANY(ARRAY(SELECT u.id FROM page u)) AND a.destroyed_at IS NULL
                 GROUP BY a.owner_id),
              ended AS MATERIALIZED (
                SELECT ARRAY(SELECT k.id FROM api_key k
                              WHERE k.tenant_id = :tenant AND (k.revoked_at IS NOT NULL OR k.expires_at <= :now)) AS ids)
            SELECT (SELECT jsonb_agg(jsonb_build_object(
                               'user', {user_json},
                               'agents', COALESCE((SELECT o.agents FROM owned o WHERE o.owner_id = u.id), 0),
                               'domains', (SELECT count(*) FROM domain d
                                            WHERE d.tenant_id = :tenant AND d.owner_id = u.id),
                               'banks', (SELECT count(*) FROM bank b
                                          WHERE b.tenant_id = :tenant AND b.owner_id = u.id),
                               'keys', (SELECT count(*) FROM api_key k, ended
                                         WHERE k.tenant_id = :tenant AND k.user_id = u.id AND k.revoked_at IS NULL
                                           AND (k.expires_at IS NULL OR k.expires_at > :now) AND NOT k.ancestors && ended.ids))
                            ORDER BY u.name_key)
                      FROM page u) AS rows
            """).with("user_json", RECORD).sql();

    private static final String INSERT =
            SqlTemplate.of("""
            WITH ids AS MATERIALIZED (SELECT nextval('entity_id') AS id),
                 w AS (SELECT role FROM app_user
                        WHERE tenant_id = :tenant AND id = :caller AND removed_at IS NULL
                          FOR SHARE),
                 u AS (INSERT INTO app_user (tenant_id, id, name, name_key, role, created_at)
                       SELECT home.tenant_id, ids.id, :name, :key, :role, CAST(:now AS timestamptz)
                         FROM tenant_plan home CROSS JOIN ids CROSS JOIN w
                        WHERE home.tenant_id = :tenant
                       ON CONFLICT DO NOTHING
                       RETURNING *)
            SELECT w.role AS caller_role, CASE WHEN u.id IS NOT NULL THEN {user_json} END AS record
              FROM w LEFT JOIN u ON true
            """).with("user_json", RECORD).sql();

    private static final String UPDATE =
            SqlTemplate.of("""
            WITH k AS (UPDATE api_key
                          SET revoked_at = CASE WHEN known_to_others THEN CAST(:now AS timestamptz) END,
                              previous_hash = NULL, previous_until = NULL, revision = revision + 1
                        WHERE :rises AND tenant_id = :tenant AND user_id = :id AND revoked_at IS NULL
                          AND (known_to_others OR previous_hash IS NOT NULL)
                    RETURNING known_to_others),
                 u AS (UPDATE app_user u
                          SET name = COALESCE(:name, u.name), name_key = COALESCE(:key, u.name_key), role = :role,
                              revision = u.revision + 1
                        WHERE u.tenant_id = :tenant AND u.id = :id
                    RETURNING u.*)
            SELECT {user_json} AS record, (SELECT count(*) FROM k WHERE k.known_to_others) AS keys FROM u
            """).with("user_json", RECORD).sql();

    private static final String READ = SqlTemplate.of(
                    "SELECT {user_json} AS record FROM app_user u WHERE u.tenant_id = :tenant AND u.id = :id")
            .with("user_json", RECORD)
            .sql();

    private static final String LOCK = SqlTemplate.of("""
            SELECT id, name, role, revision, {removed} AS is_user, {heir} AS is_heir
              FROM app_user
             WHERE tenant_id = :tenant AND removed_at IS NULL
               AND (id = :caller OR role = 'owner' OR {removed} OR {heir})
             ORDER BY id
               FOR UPDATE
            """)
            .with("removed", called(":key"))
            .with("heir", called(":heir"))
            .sql();

    private final Db db;

    public UserStore(Db db) {
        this.db = db;
    }

    /** A user, with the number of things that it owns. */
    record UserSummary(User user, long agents, long domains, long banks, long keys) {}

    /** Returns a page of users. */
    ListSlice<UserSummary> list(Call call, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = Cursor.readName(call.service(), page);
        return db.sql(call, LIST)
                .set("after", after)
                .set("limit", limit)
                .one(row -> ListSlice.of(
                        call,
                        row.jsonList("rows", UserSummary.class),
                        limit,
                        last -> Cursor.ofName(
                                call.service(), Name.key(last.user().name()))))
                .orElseThrow();
    }

    /**
     * Creates a user. The caller's role cannot change until the transaction ends.
     *
     * @throws Problem {@code already_exists}; {@code unauthenticated} if the caller was removed in the meantime,
     *     {@code not_permitted} if it has just lost its role
     */
    User insert(Call call, Name name, Role role) {
        return db.sql(call, INSERT)
                .set("name", name)
                .set("key", name.key())
                .set("role", role.word())
                .one(row -> {
                    ContextStore.checkRole(call, Role.of(row.text("caller_role")));
                    return Optional.ofNullable(row.json("record", User.class));
                })
                .orElseThrow(() -> Problem.unauthenticated("the credential's user no longer exists"))
                .orElseThrow(() -> Problem.alreadyExists(
                        "user", name.text(), "choose another name, or change that user with US_Update"));
    }

    /** A user that the transaction has locked. */
    record LockedUser(long id, String name, Role role, long revision) {}

    /**
     * The users that a change concerns. They are locked in one order with the caller and all owners, so that neither
     * the last owner nor an heir can disappear unnoticed.
     *
     * @param user the user to change
     * @param heir empty if none is named, or none has that name
     * @param owners how many owners the tenant has
     */
    record LockedUsers(LockedUser user, Optional<LockedUser> heir, long owners) {
        boolean isLastOwner() {
            return user.role() == Role.OWNER && owners == 1;
        }
    }

    /**
     * @param heir a name, or null for the caller
     * @throws Problem {@code not_found} if there is no such user, {@code unauthenticated} if the caller was
     *     removed in the meantime, {@code not_permitted} if the caller has just lost its role
     */
    LockedUsers lock(Call call, UserHandle user, @Nullable UserHandle heir) {
        var rows = db.sql(call, LOCK)
                .set("key", user.key())
                .set("heir", heir == null ? null : heir.key())
                .list(row -> new Candidate(person(row), row.flag("is_user"), row.flag("is_heir")));
        var caller = find(rows, row -> row.person().id() == call.caller().user())
                .orElseThrow(() -> Problem.unauthenticated("the credential's user no longer exists"));
        ContextStore.checkRole(call, caller.role());
        return new LockedUsers(
                find(rows, Candidate::isUser).orElseThrow(() -> missing(call, user)),
                heir == null ? Optional.of(caller) : find(rows, Candidate::isHeir),
                rows.stream().filter(row -> row.person().role() == Role.OWNER).count());
    }

    /** Returns the condition that the user of a row has a handle's key. */
    private static String called(String key) {
        return SqlTemplate.of("""
                COALESCE(CASE WHEN strpos({key}, '@') > 0 THEN id = (SELECT user_of_email(:tenant, {key})) ELSE name_key = {key} END, false)""").with("key", key).sql();
    }

    private record Candidate(LockedUser person, boolean isUser, boolean isHeir) {}

    private static LockedUser person(Row row) throws SQLException {
        return row.as(LockedUser.class);
    }

    private static Optional<LockedUser> find(List<Candidate> rows, Predicate<Candidate> which) {
        return rows.stream().filter(which).map(Candidate::person).findFirst();
    }

    /** @param keys how many keys of the user were revoked */
    record Updated(User user, long keys) {}

    /**
     * Sets the given fields and raises the revision. A user who may see less also receives fewer messages. If a user
     * becomes an admin or an owner, the keys and old secrets that others may know end.
     */
    Updated update(Call call, LockedUser person, @Nullable Name name, Role role) {
        try {
            var updated = db.sql(call, UPDATE)
                    .set("id", person.id())
                    .set("name", name)
                    .set("key", name == null ? null : name.key())
                    .set("role", role.word())
                    .set("rises", role.isAtLeast(Role.ADMIN) && !person.role().isAtLeast(role))
                    .one(row -> new Updated(record(row), row.number("keys")))
                    .orElseThrow();
            if (person.role().isAtLeast(Role.ADMIN) && !role.isAtLeast(Role.ADMIN)) {
                SilencedStore.silence(db, call, person.id());
            }
            call.changed(Change.list(ChangeTopic.TOOLS, Audience.of(person.id())));
            call.changed(person.role() == role ? List.of() : List.of(Change.access()));
            return updated;
        } catch (SqlFailure e) {
            if (Db.isTaken(e) && name != null) {
                throw Problem.alreadyExists("user", name.text());
            }
            throw e;
        }
    }

    /** Returns the current record. */
    User read(Call call, LockedUser person) {
        return db.sql(call, READ).set("id", person.id()).one(UserStore::record).orElseThrow();
    }

    /** What the heir has taken over: the current records of the agents, and the numbers of other things. */
    record Handed(List<EventData.AgentDeployment> agents, long domains, long banks, long keys) {}

    /** Removes the user. Its keys stop working, and the heir gets what it owns. Its name stays on its messages. */
    Handed remove(Call call, LockedUser person, long heir) {
        // Waits for transactions that invite one of these agents or grant it something, so that the next statement
        // sees the result.
        db.sql(call, "SELECT id FROM agent WHERE tenant_id = :tenant AND owner_id = :gone ORDER BY id FOR UPDATE")
                .set("gone", person.id())
                .list(row -> row.number("id"));
        db.sql(call, """
                INSERT INTO roster (tenant_id, user_id, agent_id, added_at)
                SELECT a.tenant_id, CAST(:heir AS bigint), a.id, CAST(:now AS timestamptz)
                  FROM agent a
                 WHERE a.tenant_id = :tenant AND a.owner_id = :gone AND a.destroyed_at IS NULL
                ON CONFLICT DO NOTHING
                """).set("heir", heir).set("gone", person.id()).run();
        return db.sql(call, """
                WITH a AS (UPDATE agent SET owner_id = :heir, revision = revision + 1, updated_at = :now
                            WHERE tenant_id = :tenant AND owner_id = :gone AND destroyed_at IS NULL
                        RETURNING *),
                     unlisted AS (DELETE FROM roster WHERE tenant_id = :tenant AND user_id = :gone),
                     joined AS (UPDATE membership SET owner_id = :heir
                                 WHERE tenant_id = :tenant AND owner_id = :gone),
                     granted AS (UPDATE bank_grant SET owner_id = :heir
                                  WHERE tenant_id = :tenant AND owner_id = :gone),
                     silent AS (DELETE FROM participant WHERE tenant_id = :tenant AND party_id = :gone),
                     speaking AS (UPDATE participant SET owner_id = :heir
                                   WHERE tenant_id = :tenant AND owner_id = :gone AND party_id <> :gone),
                     d AS (UPDATE domain SET owner_id = :heir, revision = revision + 1, updated_at = :now
                            WHERE tenant_id = :tenant AND owner_id = :gone
                        RETURNING id),
                     b AS (UPDATE bank SET owner_id = :heir, revision = revision + 1, updated_at = :now
                            WHERE tenant_id = :tenant AND owner_id = :gone
                        RETURNING id),
                     k AS (UPDATE api_key SET revoked_at = :now
                            WHERE tenant_id = :tenant AND user_id = :gone AND revoked_at IS NULL
                        RETURNING 1),
                     logged_off AS (DELETE FROM context
                                     WHERE tenant_id = :tenant
                                       AND principal IN (SELECT 'key:' || id FROM api_key
                                                          WHERE tenant_id = :tenant AND user_id = :gone
                                                          UNION ALL
                                                         SELECT 'session:' || id FROM browser_session
                                                          WHERE tenant_id = :tenant AND user_id = :gone)),
                     signed_out AS (DELETE FROM browser_session WHERE tenant_id = :tenant AND user_id = :gone),
                     disconnected AS (DELETE FROM upstream_account WHERE tenant_id = :tenant AND user_id = :gone),
                     unconnected AS (DELETE FROM upstream_connection WHERE tenant_id = :tenant AND user_id = :gone),
                     forgotten AS (UPDATE external_identity SET email = NULL, email_at = 'infinity'
                                    WHERE tenant_id = :tenant AND user_id = :gone),
                     u AS (UPDATE app_user SET removed_at = :now, revision = revision + 1
                            WHERE tenant_id = :tenant AND id = :gone)
                SELECT (SELECT jsonb_agg(jsonb_build_object('agent', a.name, 'access', a.access, 'owner', o.name,
                                                            'revision', a.revision, 'changed', ARRAY['owner'])
                                         ORDER BY a.name_key)
                          FROM a JOIN app_user o ON o.tenant_id = :tenant AND o.id = a.owner_id) AS agents,
                       (SELECT count(*) FROM d) AS domains,
                       (SELECT count(*) FROM b) AS banks, (SELECT count(*) FROM k) AS keys,
                       ARRAY(SELECT id FROM a) AS agent_ids, ARRAY(SELECT id FROM d) AS domain_ids,
                       ARRAY(SELECT id FROM b) AS bank_ids
                """)
                .set("gone", person.id())
                .set("heir", heir)
                .one(row -> {
                    announce(call, row, Set.of(person.id(), heir));
                    return row.as(Handed.class);
                })
                .orElseThrow();
    }

    private static void announce(Call call, Row row, Set<Long> formerAndHeir) throws SQLException {
        call.changed(Change.access());
        row.numbers("agent_ids").forEach(agent -> {
            call.changed(Change.numbered(ChangeTopic.AGENT, agent));
            call.changed(Change.presence(agent, "updated", null));
        });
        row.numbers("domain_ids").forEach(domain -> call.changed(Change.numbered(ChangeTopic.DOMAIN, domain)));
        row.numbers("bank_ids").forEach(bank -> call.changed(Change.numbered(ChangeTopic.BANK, bank)));
        call.changed(Change.list(ChangeTopic.RESOURCES, new Audience(false, formerAndHeir)));
    }

    /** Returns the refusal for an unknown user, with similar names. */
    Problem missing(Call call, UserHandle name) {
        if (name.isAddress()) {
            return ContextStore.missing(name, List.of());
        }
        var names = db.sql(call, """
                SELECT name FROM app_user WHERE tenant_id = :tenant AND removed_at IS NULL ORDER BY name_key LIMIT 2000
                """).list(row -> row.text("name"));
        return ContextStore.missing(name, Near.nearest(name.text(), names, 3));
    }

    private static User record(Row row) throws SQLException {
        return Objects.requireNonNull(row.json("record", User.class));
    }
}
