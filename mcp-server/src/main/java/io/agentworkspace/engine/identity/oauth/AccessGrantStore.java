package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.DirectoryStore;
import io.agentworkspace.engine.identity.credentials.DirectoryStore.Kind;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.keys.KeyRow;
import io.agentworkspace.engine.identity.signin.ClientAssertions;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Caller;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What users gave programs access to. Each grant is an API key that is bound to an agent: the current access token is its secret,
 * so it is checked, limited, audited and revoked like every other key.
 */
final class AccessGrantStore {
    private static final Duration KEPT = Duration.ofDays(1);

    /** The maximum number of refresh tokens of one grant that are not used. A further one ends the oldest. */
    private static final int MOST_REFRESH_TOKENS = 10;

    private static final String INSERT = """
            WITH bound AS (UPDATE api_key SET resource = :resource WHERE tenant_id = :tenant AND id = :key)
            INSERT INTO oauth_grant (tenant_id, key_id, client_id, redirect_uri, challenge, ends_at, keyed, proves)
            VALUES (:tenant, :key, :client, :redirect, :challenge, CAST(:ends AS timestamptz), :keyed, :proves)
            """;

    private static final String INSERT_CODE = DirectoryStore.expiringEntryOf(Kind.SECRET) + """
            INSERT INTO oauth_secret (tenant_id, hash, key_id, kind, expires_at, proof_key)
            VALUES (:tenant, :hash, :key, 'code', :expires, CAST(:proof_key AS text))
            """;

    private static final String INSERT_REFRESH = DirectoryStore.expiringEntryOf(Kind.SECRET) + """
            WITH superfluous AS (SELECT hash FROM oauth_secret
                                  WHERE tenant_id = :tenant AND key_id = :key AND kind = 'refresh' AND used_at IS NULL
                                  ORDER BY expires_at DESC, hash
                                 OFFSET :others
                                    FOR UPDATE SKIP LOCKED),
                 ended AS (DELETE FROM oauth_secret WHERE tenant_id = :tenant AND hash IN (SELECT hash FROM superfluous))
            INSERT INTO oauth_secret (tenant_id, hash, key_id, kind, expires_at, token_hash, token_until, proof_key)
            VALUES (:tenant, :hash, :key, 'refresh', :expires, :token, :until, CAST(:proof_key AS text))
            """;

    /** Locks a code or a refresh token. */
    private static final String TAKE = """
            SELECT s.tenant_id, s.key_id, s.kind, s.used_at, s.expires_at, g.client_id, g.redirect_uri, g.challenge, g.ends_at,
                   s.proof_key, g.proves, k.capabilities, COALESCE(k.resource, '/mcp') AS resource,
                   k.revoked_at IS NULL AND a.destroyed_at IS NULL
                   AND EXISTS (SELECT 1 FROM app_user u
                                WHERE u.tenant_id = :tenant AND u.id = k.user_id AND u.removed_at IS NULL)
                   AND NOT EXISTS (SELECT 1 FROM api_key up
                                    WHERE up.tenant_id = :tenant AND up.id = ANY (k.ancestors)
                                      AND (up.revoked_at IS NOT NULL OR up.expires_at <= :now)) AS alive
              FROM oauth_secret s
              JOIN oauth_grant g ON g.tenant_id = :tenant AND g.key_id = s.key_id
              JOIN api_key k ON k.tenant_id = :tenant AND k.id = s.key_id
              JOIN agent a ON a.tenant_id = :tenant AND a.id = k.agent_id
             WHERE s.tenant_id = :tenant AND s.hash = :hash
               FOR UPDATE OF s
            """;

    /** Notes the first use: how long a retired token still works counts from there. */
    private static final String USE =
            "UPDATE oauth_secret SET used_at = COALESCE(used_at, :now) WHERE tenant_id = :tenant AND hash = :hash";

    /** Makes a token the only secret of a key. */
    private static final String SET_SECRET = """
            UPDATE api_key
               SET secret_hash = :secret, previous_hash = NULL, previous_until = NULL, expires_at = :expires,
                   proof_key = CAST(:proof_key AS text)
             WHERE tenant_id = :tenant AND id = :key
            """;

    /** Lets a key work only with the tokens that came with refresh tokens: nothing has the hash of a hash. */
    private static final String RENEW = """
            UPDATE api_key
               SET secret_hash = sha256(secret_hash), previous_hash = NULL, previous_until = NULL,
                   expires_at = greatest(expires_at, :expires)
             WHERE tenant_id = :tenant AND id = :key
            """;

    /** Whether the client of a code or a token must sign; no row if it has no such code or token. */
    private static final String IS_KEYED = """
            SELECT g.keyed
              FROM oauth_grant g
             WHERE g.tenant_id = :tenant AND g.client_id = :client
               AND g.key_id IN (SELECT s.key_id FROM oauth_secret s WHERE s.tenant_id = :tenant AND s.hash = :hash
                                UNION ALL
                                SELECT CAST(:key AS text))
            """;

    private static final String HAS_ALLOWED = """
            SELECT 1 AS one
              FROM oauth_grant g
              JOIN api_key k ON k.tenant_id = g.tenant_id AND k.id = g.key_id
             WHERE g.tenant_id = :tenant AND g.client_id = :client AND k.user_id = :user
             LIMIT 1
            """;

    private static final String REVOKE =
            "UPDATE api_key SET revoked_at = :now WHERE tenant_id = :tenant AND id = :key AND revoked_at IS NULL";

    /** Whether a client has the key: it was given to it, or made from its own key. */
    private static final String IS_OF = """
            SELECT EXISTS (SELECT 1 FROM oauth_grant g
                            WHERE g.tenant_id = :tenant AND g.key_id = :key AND g.client_id = :client)
                   OR EXISTS (SELECT 1 FROM api_key k
                               WHERE k.tenant_id = :tenant AND k.id = :key AND k.parent_id = :client) AS found
            """;

    private static final String HAS_AGENT =
            "SELECT 1 AS one FROM agent WHERE tenant_id = :tenant AND name_key = :key AND destroyed_at IS NULL";

    private static final String USE_ASSERTION = """
            INSERT INTO oauth_assertion (tenant_id, hash, expires_at)
            VALUES (:tenant, :hash, :expires)
            ON CONFLICT DO NOTHING
            """;

    private static final String INSERT_CHILD = SqlTemplate.of("""
            SELECT present_user(:tenant, k.user_id) FROM api_key k WHERE k.tenant_id = :tenant AND k.id = :parent FOR NO KEY UPDATE;
            INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, environment, capabilities, toolset,
                                 confirm_destructive, agent_id, parent_id, ancestors, expires_at, created_at, known_to_others, resource, proof_key)
            SELECT p.tenant_id, :id, :secret, p.user_id, left(p.name, 70) || ', by client credentials', p.environment,
                   :capabilities, COALESCE(CAST(:toolset AS text[]), p.toolset), p.confirm_destructive, p.agent_id, p.id, p.ancestors || p.id, :expires, :now,
                   p.known_to_others, :resource, CAST(:proof_key AS text)
              FROM api_key p
             WHERE p.tenant_id = :tenant AND p.id = :parent
               AND (SELECT count(*) FROM api_key k
                     WHERE k.tenant_id = :tenant AND k.parent_id = :parent AND {in_use}) < :most;
            {entry}
            """)
            .with("in_use", KeyRow.IN_USE)
            .with("entry", DirectoryStore.entryOfStoredKey())
            .sql();

    /** Grants whose last secret has expired a while ago; their keys end with them. */
    private static final String ENDED = Db.deletingOld("api_key", """
            DELETE FROM api_key
             WHERE tenant_id = :tenant
               AND id IN (SELECT g.key_id
                            FROM oauth_grant g
                            JOIN api_key k ON k.tenant_id = :tenant AND k.id = g.key_id
                           WHERE g.tenant_id = :tenant AND k.expires_at <= :until
                             AND NOT EXISTS (SELECT 1 FROM oauth_secret s
                                              WHERE s.tenant_id = :tenant AND s.key_id = g.key_id AND s.expires_at > :until)
                           LIMIT :portion)
               AND expires_at <= :until
            """);

    private static final String TENANTS_WITH_ENDED = """
            SELECT DISTINCT k.tenant_id
              FROM oauth_grant g
              JOIN api_key k ON k.tenant_id = g.tenant_id AND k.id = g.key_id
             WHERE k.expires_at <= :until
            """;

    private static final String OLD_ASSERTIONS =
            Db.oldRows("oauth_assertion", "tenant_id, hash", "expires_at <= :until");
    private static final String OLD = Db.oldRows("oauth_secret", "tenant_id, hash", "expires_at <= :until");

    private final Db db;
    private final DirectoryStore directory;

    public AccessGrantStore(Db db) {
        this.db = db;
        this.directory = new DirectoryStore(db);
    }

    /**
     * A code or a refresh token that the transaction has locked.
     *
     * @param usedAt when it was first used; null if it was not
     * @param ends when the credential of the user who gave access ends; null for never
     * @param resource the path of the MCP endpoint that the access is for
     * @param alive whether the key can still be used, apart from the end of its access token
     * @param proofKey the thumbprint of the key that a code, or the access token of a refresh token, is bound to; null for none
     * @param proves whether the client gets only tokens that are bound to a key
     */
    record Taken(
            long tenant,
            String key,
            String kind,
            @Nullable Instant usedAt,
            Instant expires,
            String client,
            String redirectUri,
            String challenge,
            @Nullable Instant ends,
            Collection<String> capabilities,
            String resource,
            boolean alive,
            @Nullable String proofKey,
            boolean proves) {}

    /** Stores what a user decided, and the code for it. */
    void insert(Caller caller, String key, AuthorizationRequest request, String code, Instant expires) {
        insert(caller, key, request.client(), request.resource(), request.redirectUri(), request.challenge());
        db.sql(INSERT_CODE)
                .set("tenant", caller.tenant())
                .set("entry", DirectoryStore.id(Sha256.of(code)))
                .set("hash", Sha256.of(code))
                .set("key", key)
                .set("expires", expires)
                .set("proof_key", request.proofKey())
                .run();
    }

    private void insert(
            Caller caller, String key, OAuthClient client, String resource, String redirectUri, String challenge) {
        db.sql(INSERT)
                .set("tenant", caller.tenant())
                .set("key", key)
                .set("client", client.id())
                .set("resource", resource)
                .set("redirect", redirectUri)
                .set("challenge", challenge)
                .set("ends", caller.credential().expiresAt())
                .set("keyed", client.mustSign())
                .set("proves", client.proves())
                .run();
    }

    /** Returns whether the client of a code or a token must prove who it is with its key; empty if it has no such code or token. */
    Optional<Boolean> isKeyed(String client, String secret, @Nullable String key) {
        var hash = Sha256.of(secret);
        return directory
                .find(Kind.SECRET, DirectoryStore.id(hash))
                .or(() -> Optional.ofNullable(key).flatMap(id -> directory.find(Kind.KEY, id)))
                .flatMap(tenant -> db.sql(IS_KEYED)
                        .set("tenant", tenant)
                        .set("client", client)
                        .set("hash", hash)
                        .set("key", key)
                        .one(row -> row.flag("keyed")));
    }

    /** Returns whether the user has given the client access before. */
    boolean hasAllowed(Caller caller, String client) {
        return db.sql(HAS_ALLOWED)
                .set("tenant", caller.tenant())
                .set("client", client)
                .set("user", caller.user())
                .one(_ -> true)
                .orElse(false);
    }

    /** Returns whether this is the first use of an assertion. A second use at the same time waits for the first. */
    boolean useAssertion(long tenant, String id, Instant expires) {
        return db.sql(USE_ASSERTION)
                        .set("tenant", tenant)
                        .set("hash", Sha256.of(id))
                        .set("expires", expires)
                        .run()
                == 1;
    }

    /** Uses up what a client signed to prove who it is. */
    void use(ClientAssertions.Proof signed, String client, long tenant) {
        if (!useAssertion(tenant, "client\n%s\n%s".formatted(client, signed.id()), signed.expires())) {
            throw OAuthError.client("client_assertion was used before (jti): sign another one");
        }
    }

    /**
     * Makes a new key the access of a client, without a code or a refresh token.
     *
     * @param proofKey the thumbprint of the key that it is bound to; null for none
     */
    void insertAsserted(
            Caller caller,
            ApiKey token,
            OAuthClient client,
            String resource,
            Instant expires,
            @Nullable String proofKey) {
        insert(caller, token.id(), client, resource, "", "");
        db.sql(SET_SECRET)
                .set("secret", token.secretHash())
                .set("expires", expires)
                .set("proof_key", proofKey)
                .set("tenant", caller.tenant())
                .set("key", token.id())
                .run();
    }

    Optional<Taken> take(String secret, Instant now) {
        var hash = Sha256.of(secret);
        return directory
                .find(Kind.SECRET, DirectoryStore.id(hash))
                .flatMap(tenant -> db.sql(TAKE)
                        .set("tenant", tenant)
                        .set("hash", hash)
                        .set("now", now)
                        .one(AccessGrantStore::taken));
    }

    private static Taken taken(Row row) throws SQLException {
        return new Taken(
                row.number("tenant_id"),
                row.text("key_id"),
                row.text("kind"),
                row.instantOrNull("used_at"),
                Objects.requireNonNull(row.instantOrNull("expires_at")),
                row.text("client_id"),
                row.text("redirect_uri"),
                row.text("challenge"),
                row.instantOrNull("ends_at"),
                row.texts("capabilities"),
                row.text("resource"),
                row.flag("alive"),
                row.textOrNull("proof_key"),
                row.flag("proves"));
    }

    /**
     * A new access token, and the refresh token that comes with it.
     *
     * @param proofKey the thumbprint of the key that they are bound to; null for none
     */
    record Renewal(
            ApiKey token,
            Instant expires,
            String refresh,
            Instant refreshExpires,
            @Nullable String proofKey) {}

    /** Uses up the secret, and with it the access token that came with it. */
    void renew(Taken taken, String used, Renewal renewal, Instant now) {
        db.sql(USE)
                .set("now", now)
                .set("tenant", taken.tenant())
                .set("hash", Sha256.of(used))
                .run();
        db.sql(INSERT_REFRESH)
                .set("tenant", taken.tenant())
                .set("entry", DirectoryStore.id(Sha256.of(renewal.refresh())))
                .set("hash", Sha256.of(renewal.refresh()))
                .set("key", taken.key())
                .set("expires", renewal.refreshExpires())
                .set("token", renewal.token().secretHash())
                .set("until", renewal.expires())
                .set("proof_key", renewal.proofKey())
                .set("others", MOST_REFRESH_TOKENS - 1)
                .run();
        db.sql(RENEW)
                .set("expires", renewal.expires())
                .set("tenant", taken.tenant())
                .set("key", taken.key())
                .run();
    }

    /** Ends a grant, on every replica within a second. */
    void revoke(long tenant, String key, Instant now) {
        db.sql(REVOKE).set("now", now).set("tenant", tenant).set("key", key).run();
    }

    /** Returns whether a key belongs to a client. */
    boolean isOf(long tenant, String key, String client) {
        return db.sql(IS_OF)
                .set("tenant", tenant)
                .set("key", key)
                .set("client", client)
                .one(row -> row.flag("found"))
                .orElse(false);
    }

    /** Returns whether the tenant has an agent of this name. */
    boolean hasAgent(long tenant, Name agent) {
        return db.sql(HAS_AGENT)
                .set("tenant", tenant)
                .set("key", agent.key())
                .one(_ -> true)
                .orElse(false);
    }

    /**
     * A token that is a child of a key.
     *
     * @param proofKey the thumbprint of the key that it is bound to; null for none
     */
    record Child(
            ApiKey token,
            Collection<String> capabilities,
            String resource,
            Instant expires,
            @Nullable String proofKey) {}

    /** Creates a child of a key for a while, and returns whether there was room for it. */
    boolean insertChild(Caller parent, Child child, int most, Instant now) {
        var toolset = ProtectedResource.toolset(child.resource());
        return db.sql(INSERT_CHILD)
                .set("tenant", parent.tenant())
                .set("parent", parent.credential().key())
                .set("id", child.token().id())
                .set("secret", child.token().secretHash())
                .set("capabilities", child.capabilities())
                .set("toolset", toolset.isEmpty() ? null : toolset)
                .set("resource", child.resource())
                .set("proof_key", child.proofKey())
                .set("expires", child.expires())
                .set("now", now)
                .set("most", most)
                .last(row -> row.text("id"))
                .isPresent();
    }

    /** Deletes expired secrets, and the keys of grants that can no longer be renewed. */
    public void purge(Instant now) {
        var until = now.minus(KEPT);
        db.deleteOld(TENANTS_WITH_ENDED, ENDED, until);
        db.deleteOld(OLD, until);
        db.deleteOld(OLD_ASSERTIONS, until);
    }
}
