package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.DirectoryStore;
import io.agentworkspace.engine.identity.credentials.DirectoryStore.Kind;
import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.change.Audience;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Toolset;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes of keys inside a transaction: creates, changes, rotates, revokes and deletes them. */
public final class KeyChangeStore {
    /** The maximum number of a tenant's keys in use. */
    static final int MAX_IN_USE = 1_000;
    /** The maximum number of a tenant's listed keys, including ended ones. */
    static final int MAX_LISTED = 10_000;
    /** The maximum number of keys in use of one member or viewer, so that its programs leave room for others. */
    static final int MAX_IN_USE_OF_USER = 200;

    static final int MAX_LISTED_OF_USER = 2_000;
    /** The maximum number of children of one key in use. */
    static final int MAX_CHILDREN = 100;
    /** The maximum number of keys above one. */
    static final int MAX_DEPTH = 3;

    /** Whether the caller's own key is known to others, so that the caller may be one of them. */
    private static final String BY_A_KNOWN_KEY = """
            EXISTS (SELECT 1 FROM api_key c
                     WHERE c.tenant_id = :tenant AND c.id = CAST(:own AS text) AND c.known_to_others)
            """;

    private static final String RECORD = SqlTemplate.of("""
            SELECT k.user_id, {key_json} AS record
              FROM api_key k
              {key_joins}
             WHERE k.tenant_id = :tenant AND k.id = :id
            """)
            .with("key_json", KeyRow.JSON)
            .with("key_joins", KeyRow.JOINS)
            .sql();

    private static final String LOCK = SqlTemplate.of("""
            WITH u AS (SELECT id
                         FROM app_user
                        WHERE tenant_id = :tenant
                          AND id IN (:caller, (SELECT user_id FROM api_key WHERE tenant_id = :tenant AND id = :id))
                        ORDER BY id
                          FOR SHARE),
                 people AS (SELECT count(*) AS users FROM u)
            SELECT k.id
              FROM people, api_key k
             WHERE people.users > 0 AND k.tenant_id = :tenant AND k.id = :id AND {managed}
               FOR UPDATE OF k;
            {hold_issuer};
            SELECT c.role AS caller_role, c.removed_at AS caller_removed_at, k.id, u.role, k.revision, k.revoked_at,
                   EXISTS (SELECT 1 FROM oauth_grant g WHERE g.tenant_id = :tenant AND g.key_id = k.id) AS granted,
                   {chain} AS chain, {issuer}
              FROM app_user c, api_key k
              JOIN app_user u ON u.tenant_id = :tenant AND u.id = k.user_id
             WHERE c.tenant_id = :tenant AND c.id = :caller AND k.tenant_id = :tenant AND k.id = :id
            """)
            .with("managed", KeyRow.managed("k"))
            .with("hold_issuer", IssuerCredentialQueries.HOLD)
            .with("chain", KeyRow.CHAIN)
            .with("issuer", IssuerCredentialQueries.COLUMNS)
            .sql();

    private static final String COUNT_IN_USE = SqlTemplate.of("""
            SELECT u.id
              FROM tenant_plan t JOIN app_user u ON u.tenant_id = :tenant AND u.id IN (:caller, :user)
             WHERE t.tenant_id = :tenant
             ORDER BY u.id
               FOR NO KEY UPDATE OF t FOR SHARE OF u;
            {hold_issuer};
            SELECT c.role AS caller_role, c.removed_at AS caller_removed_at, u.role, totals.*, {issuer}
              FROM app_user c, app_user u,
                   (SELECT count(*) AS listed, count(*) FILTER (WHERE in_use) AS in_use,
                           count(*) FILTER (WHERE user_id = :user) AS own_listed,
                           count(*) FILTER (WHERE user_id = :user AND in_use) AS own_in_use,
                           count(*) FILTER (WHERE in_use AND parent_id = CAST(:parent AS text)) AS children,
                           COALESCE(max(cardinality(ancestors)) FILTER (WHERE id = CAST(:parent AS text)), 0) AS depth
                      FROM (SELECT k.*, {in_use} AS in_use FROM api_key k WHERE k.tenant_id = :tenant) k) totals
             WHERE c.tenant_id = :tenant AND c.id = :caller AND u.tenant_id = :tenant AND u.id = :user
            """)
            .with("hold_issuer", IssuerCredentialQueries.HOLD)
            .with("issuer", IssuerCredentialQueries.COLUMNS)
            .with("in_use", KeyRow.IN_USE)
            .sql();

    private static final String INSERT = recorded(DirectoryStore.entryOf(Kind.KEY)
            + SqlTemplate.of("""
            SELECT present_user(:tenant, :user);
            INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, environment, capabilities, toolset,
                                 confirm_destructive, agent_id, parent_id, ancestors, expires_at, created_at, known_to_others)
            SELECT t.tenant_id, :id, :hash, :user, :name, :environment, :capabilities, CAST(:toolset AS text[]), :confirm,
                   :agent, :parent,
                   COALESCE((SELECT p.ancestors || p.id FROM api_key p
                              WHERE p.tenant_id = :tenant AND p.id = CAST(:parent AS text)), '{}'),
                   :expires, :now, :user <> :caller OR {by_a_known_key}
              FROM tenant_plan t
             WHERE t.tenant_id = :tenant
            """).with("by_a_known_key", BY_A_KNOWN_KEY).sql());

    private static final String UPDATE = recorded("""
            UPDATE api_key
               SET name = COALESCE(:name, name), environment = COALESCE(:environment, environment),
                   capabilities = COALESCE(CAST(:capabilities AS text[]), capabilities),
                   toolset = COALESCE(CAST(:toolset AS text[]), toolset),
                   confirm_destructive = COALESCE(:confirm, confirm_destructive),
                   expires_at = COALESCE(CAST(:expires AS timestamptz), expires_at),
                   agent_id = COALESCE(CAST(:agent AS bigint), agent_id),
                   revision = revision + 1
             WHERE tenant_id = :tenant AND id = :id
               AND (name, environment, capabilities, toolset, confirm_destructive, expires_at, agent_id)
                   IS DISTINCT FROM
                   (COALESCE(:name, name), COALESCE(:environment, environment),
                    COALESCE(CAST(:capabilities AS text[]), capabilities),
                    COALESCE(CAST(:toolset AS text[]), toolset), COALESCE(:confirm, confirm_destructive),
                    COALESCE(CAST(:expires AS timestamptz), expires_at), COALESCE(CAST(:agent AS bigint), agent_id))
            """);

    private static final String ROTATE =
            recorded(SqlTemplate.of("""
            WITH ended AS (UPDATE api_key c
                              SET expires_at = least(c.expires_at, CAST(:until AS timestamptz)),
                                  revision = c.revision + 1
                             FROM agent a
                            WHERE c.tenant_id = :tenant AND CAST(:id AS text) = ANY(c.ancestors) AND c.revoked_at IS NULL
                              AND a.tenant_id = :tenant AND a.id = c.agent_id AND a.parent_id IS NOT NULL),
                 withdrawn AS (DELETE FROM invitation i
                                USING api_key c
                                WHERE i.tenant_id = :tenant AND c.tenant_id = :tenant AND c.id = i.key_id
                                  AND CAST(:id AS text) = ANY(c.id || c.ancestors)),
                 kept AS (UPDATE key_seen SET previous_used_at = used_at, previous_client = client
                           WHERE tenant_id = :tenant AND key_id = :id)
            UPDATE api_key
               SET previous_hash = CASE WHEN :overlaps THEN secret_hash END,
                   previous_until = CASE WHEN :overlaps THEN CAST(:until AS timestamptz) END,
                   secret_hash = :hash, rotated_at = :now, known_to_others = user_id <> :caller OR {by_a_known_key}, revision = revision + 1
             WHERE tenant_id = :tenant AND id = :id
            """).with("by_a_known_key", BY_A_KNOWN_KEY).sql());

    private static final String REVOKE = recorded("""
            UPDATE api_key SET revoked_at = :now, revision = revision + 1
             WHERE tenant_id = :tenant AND id = :id AND revoked_at IS NULL
            """);

    /**
     * Returns a change followed by the resulting record. The record needs a separate statement, since the change
     * itself sees the old state.
     */
    private static String recorded(String change) {
        return change + ";\n" + RECORD;
    }

    private final Db db;

    public KeyChangeStore(Db db) {
        this.db = db;
    }

    /**
     * A key that the transaction has locked.
     *
     * @param revoked whether the key itself was revoked, not one above it
     * @param above the permissions of the keys above it, null if there are none
     */
    public record LockedKey(
            String id,
            Role role,
            long revision,
            boolean revoked,
            Grant grant,
            @Nullable Grant above) {}

    private static void checkCaller(Call call, Row row) throws SQLException {
        if (row.instantOrNull("caller_removed_at") != null) {
            throw Problem.unauthenticated("the credential's user no longer exists");
        }
        ContextStore.checkRole(call, Role.of(row.text("caller_role")));
    }

    /**
     * A locked key, and what the caller can grant.
     *
     * @param isAccess whether it is what a program was granted (OAuth)
     * @param powers throws {@code unauthenticated} if the caller's credential has just ended
     */
    record KeyAndGrant(LockedKey key, boolean isAccess, Supplier<Grant> powers) {}

    /**
     * Returns the key with this id, locked, if the caller may manage it. Until the transaction ends, the roles of its
     * user and the caller do not change, and the caller's credential does not end.
     *
     * @throws Problem {@code not_found}; {@code not_permitted} if the caller has just lost its role
     */
    KeyAndGrant lock(Call call, String id) {
        // Locks the users first, like the code that changes or removes them. The data is read in a separate
        // statement: read with the locks, it would still show the old state after a wait.
        var statement = db.sql(call, LOCK);
        return IssuerCredentialQueries.bind(KeyRow.managing(statement, call), call)
                .set("id", id)
                .last(row -> {
                    checkCaller(call, row);
                    var issuer = IssuerCredentialQueries.read(row);
                    return new KeyAndGrant(lockedKey(row), row.flag("granted"), () -> issuer.powers(call));
                })
                .orElseThrow(() -> missing(id));
    }

    public static LockedKey lockedKey(Row row) throws SQLException {
        var chain = row.jsonList("chain", Grant.class);
        var above = chain.subList(1, chain.size());
        return new LockedKey(
                row.text("id"),
                Role.of(row.text("role")),
                row.number("revision"),
                row.instantOrNull("revoked_at") != null,
                Grant.of(chain),
                above.isEmpty() ? null : Grant.of(above));
    }

    static Problem missing(String id) {
        return Problem.notFound("key", Name.shortened(id), List.of());
    }

    /**
     * Makes sure that the owners can manage keys without this one: with another that only they know, or by signing
     * in.
     *
     * @throws Problem {@code conflict}
     */
    void keepOwners(Call call, LockedKey key) {
        db.sql(call, """
                SELECT 1 FROM tenant_plan WHERE tenant_id = :tenant FOR NO KEY UPDATE;
                WITH owner AS (SELECT id FROM app_user
                                WHERE tenant_id = :tenant AND role = 'owner' AND removed_at IS NULL),
                     way AS (SELECT k.id FROM api_key k JOIN owner o ON o.id = k.user_id
                              WHERE k.tenant_id = :tenant AND k.revoked_at IS NULL
                                AND (k.expires_at IS NULL OR k.expires_at > :now)
                                AND k.agent_id IS NULL AND k.parent_id IS NULL AND k.capabilities && '{*,key:write}'
                                AND (k.toolset IS NULL OR (k.toolset && '{all,default,work,key}' OR k.toolset <@ '{discovery}')
                                     AND NOT k.toolset && '{readonly}')
                              UNION ALL
                             SELECT NULL FROM browser_session s JOIN owner o ON o.id = s.user_id
                              WHERE s.tenant_id = :tenant AND s.key_id IS NULL AND s.expires_at > :now
                              UNION ALL
                             SELECT NULL FROM external_identity i JOIN owner o ON o.id = i.user_id
                              WHERE i.tenant_id = :tenant)
                SELECT COALESCE(bool_or(id = :id), false) AND count(*) = 1 AS last FROM way
                """)
                .set("id", key.id())
                .last(row -> row.flag("last"))
                .filter(last -> last)
                .ifPresent(_ -> {
                    throw Problem.conflict(
                            "it is the last key by which an owner can manage keys: make another key first, with AK_Create");
                });
    }

    /**
     * The result of the check that there is room for a new key.
     *
     * @param role the role of the acting user, who will own the key
     * @param powers throws {@code unauthenticated} if the caller's credential has just ended
     */
    record Room(Role role, Supplier<Grant> powers) {}

    /**
     * Makes sure that the acting user may have one more key: the tenant has room and, for a member or viewer, so does
     * the user. Until the transaction ends, no other key is created, neither role changes, and the caller's
     * credential does not end.
     *
     * @param parent the parent of the new key
     * @throws Problem {@code conflict}; {@code not_permitted} if the caller has just lost its role
     */
    Room makeRoom(Call call, @Nullable String parent) {
        var statement = db.sql(call, COUNT_IN_USE);
        return IssuerCredentialQueries.bind(statement, call)
                .set("parent", parent)
                .last(row -> {
                    checkCaller(call, row);
                    var role = Role.of(row.text("role"));
                    checkRoom(row, parent != null);
                    checkShare(role, row);
                    var issuer = IssuerCredentialQueries.read(row);
                    return new Room(role, () -> issuer.powers(call));
                })
                .orElseThrow();
    }

    private static void checkRoom(Row row, boolean child) throws SQLException {
        refuse(row.number("in_use") >= MAX_IN_USE, "%,d keys are in use: revoke those that nobody needs", MAX_IN_USE);
        refuse(row.number("listed") >= MAX_LISTED, "%,d keys are listed: delete those that have ended", MAX_LISTED);
        refuse(row.number("children") >= MAX_CHILDREN, "your key has %,d children: revoke some", MAX_CHILDREN);
        refuse(
                child && row.number("depth") >= MAX_DEPTH,
                "there are %d keys above yours: it can have no children",
                MAX_DEPTH);
    }

    /** Checks the user's own limits. Admins have none, since they can revoke keys to make room. */
    private static void checkShare(Role role, Row row) throws SQLException {
        if (!role.isAtLeast(Role.ADMIN)) {
            refuse(
                    row.number("own_in_use") >= MAX_IN_USE_OF_USER,
                    "%,d keys of this user, who is no admin, are in use: revoke those that nobody needs",
                    MAX_IN_USE_OF_USER);
            refuse(
                    row.number("own_listed") >= MAX_LISTED_OF_USER,
                    "%,d keys of this user, who is no admin, are listed: delete those that have ended",
                    MAX_LISTED_OF_USER);
        }
    }

    private static void refuse(boolean full, String note, int limit) {
        if (full) {
            throw Problem.conflict(note.formatted(limit) + "; more are not allowed");
        }
    }

    /** A new key of the acting user. */
    record KeyDraft(
            String name,
            @Nullable String environment,
            Grant grant,
            @Nullable Long agent,
            @Nullable String parent) {}

    Key insert(Call call, ApiKey key, KeyDraft draft) {
        return db.sql(call, INSERT)
                .set("id", key.id())
                .set("own", call.caller().credential().key())
                .set("hash", key.secretHash())
                .set("name", draft.name())
                .set("environment", draft.environment())
                .set("capabilities", draft.grant().capabilities())
                .set("toolset", draft.grant().toolset().words())
                .set("confirm", draft.grant().confirmDestructive())
                .set("agent", draft.agent())
                .set("parent", draft.parent())
                .set("expires", draft.grant().expiresAt())
                .last(row -> key(call, row))
                .orElseThrow();
    }

    /** The changes to make; null leaves a field as it is. */
    record KeyChange(
            @Nullable String name,
            @Nullable String environment,
            @Nullable Set<String> capabilities,
            @Nullable Toolset toolset,
            @Nullable Boolean confirmDestructive,
            @Nullable Instant expiresAt,
            @Nullable Long agent) {}

    /** Of the key: its user, the agent that it is bound to, and how many keys below it are not bound to an agent. */
    private static final String BINDING = """
            SELECT k.user_id, u.name AS user_name, k.agent_id, a.name AS agent,
                   (SELECT count(*) FROM api_key c
                     WHERE c.tenant_id = :tenant AND k.id = ANY (c.ancestors) AND c.revoked_at IS NULL
                       AND (c.expires_at IS NULL OR c.expires_at > :now) AND c.agent_id IS DISTINCT FROM :agent) AS below
              FROM api_key k
              JOIN app_user u ON u.tenant_id = :tenant AND u.id = k.user_id
              LEFT JOIN agent a ON a.tenant_id = :tenant AND a.id = k.agent_id
             WHERE k.tenant_id = :tenant AND k.id = :id
            """;

    /**
     * Returns the id of the agent that the key is to be bound to: one of its user, if the key is bound to none. Keys below it must be bound to
     * this agent too, since a child never has more than its parent.
     */
    Long bindable(Call call, LockedKey key, BindableAgent agent) {
        return db.sql(call, BINDING)
                .set("id", key.id())
                .set("agent", agent.id())
                .one(row -> {
                    if (row.number("user_id") != agent.owner()) {
                        throw Problem.invalid(
                                "agent",
                                "must be an agent of the key's user, %s; %s belongs to %s"
                                        .formatted(row.text("user_name"), agent.name(), agent.ownerName()));
                    }
                    var bound = row.numberOrNull("agent_id");
                    if (bound != null && bound != agent.id()) {
                        throw Problem.conflict(
                                "the key is bound to '%s' for good: create another one for '%s' with AK_Create"
                                        .formatted(row.text("agent"), agent.name()));
                    }
                    if (row.number("below") > 0) {
                        throw Problem.conflict(
                                "keys below it are not bound to '%s' (%d of them): revoke them first, with AK_Revoke"
                                        .formatted(agent.name(), row.number("below")));
                    }
                    return agent.id();
                })
                .orElseThrow(() -> missing(key.id()));
    }

    /** Sets the fields of the change. Raises the revision if any differs from the current value. */
    Key update(Call call, LockedKey key, KeyChange change) {
        return db.sql(call, UPDATE)
                .set("id", key.id())
                .set("name", change.name())
                .set("environment", change.environment())
                .set("capabilities", change.capabilities())
                .set(
                        "toolset",
                        change.toolset() == null ? null : change.toolset().words())
                .set("confirm", change.confirmDestructive())
                .set("expires", change.expiresAt())
                .set("agent", change.agent())
                .last(row -> {
                    call.changed(Change.list(ChangeTopic.TOOLS, Audience.of(row.number("user_id"))));
                    return key(call, row);
                })
                .orElseThrow();
    }

    /** Gives the key a new secret. The old one works for the overlap, and its last use is kept. */
    Key rotate(Call call, ApiKey key, Duration overlap) {
        return db.sql(call, ROTATE)
                .set("id", key.id())
                .set("own", call.caller().credential().key())
                .set("hash", key.secretHash())
                .set("overlaps", overlap.isPositive())
                .set("until", call.now().plus(overlap))
                .last(row -> key(call, row))
                .orElseThrow();
    }

    /**
     * Revokes the key and those below it, on every replica within a second. A key that is revoked already stays
     * unchanged.
     */
    Key revoke(Call call, LockedKey key) {
        return db.sql(call, REVOKE)
                .set("id", key.id())
                .last(row -> key(call, row))
                .orElseThrow();
    }

    /** Deletes the key and those below it. */
    void delete(Call call, LockedKey key) {
        db.sql(call, "DELETE FROM api_key WHERE tenant_id = :tenant AND id = :id")
                .set("id", key.id())
                .run();
    }

    private static Key key(Call call, Row row) throws SQLException {
        return Objects.requireNonNull(row.json("record", KeyRow.class)).key(call.now());
    }
}
