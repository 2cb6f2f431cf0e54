package io.agentworkspace.engine.oauth;

import io.agentworkspace.engine.credentials.ApiKey;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.keys.KeyRow;
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
public final class GrantStore {
    private static final Duration KEPT = Duration.ofDays(1);

    private static final String INSERT = """
            INSERT INTO oauth_grant (tenant_id, key_id, client_id, redirect_uri, challenge, ends_at)
            VALUES (:tenant, :key, :client, :redirect, :challenge, CAST(:ends AS timestamptz))
            """;

    private static final String INSERT_SECRET = """
            INSERT INTO oauth_secret (tenant_id, hash, key_id, kind, expires_at)
            VALUES (:tenant, :hash, :key, :kind, :expires)
            """;

    /** Locks a code or a refresh token, whose hash determines the tenant. */
    private static final String TAKE = """
            SELECT s.tenant_id, s.key_id, s.kind, s.used_at, s.expires_at, g.client_id, g.redirect_uri, g.challenge, g.ends_at,
                   k.capabilities, a.name AS agent,
                   k.revoked_at IS NULL AND a.destroyed_at IS NULL
                   AND EXISTS (SELECT 1 FROM app_user u
                                WHERE u.tenant_id = k.tenant_id AND u.id = k.user_id AND u.removed_at IS NULL)
                   AND NOT EXISTS (SELECT 1 FROM api_key up
                                    WHERE up.tenant_id = k.tenant_id AND up.id = ANY (k.ancestors)
                                      AND (up.revoked_at IS NOT NULL OR up.expires_at <= :now)) AS alive
              FROM oauth_secret s
              JOIN oauth_grant g ON g.tenant_id = s.tenant_id AND g.key_id = s.key_id
              JOIN api_key k ON k.tenant_id = s.tenant_id AND k.id = s.key_id
              JOIN agent a ON a.tenant_id = k.tenant_id AND a.id = k.agent_id
             WHERE s.hash = :hash
               FOR UPDATE OF s
            """;

    private static final String USE =
            "UPDATE oauth_secret SET used_at = :now WHERE tenant_id = :tenant AND hash = :hash";

    private static final String RENEW = """
            UPDATE api_key
               SET secret_hash = :secret, previous_hash = NULL, previous_until = NULL, expires_at = :expires
             WHERE tenant_id = :tenant AND id = :key
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

    private static final String INSERT_CHILD =
            SqlTemplate.of("""
            SELECT id FROM api_key WHERE tenant_id = :tenant AND id = :parent FOR NO KEY UPDATE;
            INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, environment, capabilities, toolset,
                                 confirm_destructive, agent_id, parent_id, ancestors, expires_at, created_at, known_to_others)
            SELECT p.tenant_id, :id, :secret, p.user_id, left(p.name, 70) || ', by client credentials', p.environment,
                   :capabilities, p.toolset, p.confirm_destructive, p.agent_id, p.id, p.ancestors || p.id, :expires, :now,
                   p.known_to_others
              FROM api_key p
             WHERE p.tenant_id = :tenant AND p.id = :parent
               AND (SELECT count(*) FROM api_key k
                     WHERE k.tenant_id = :tenant AND k.parent_id = :parent AND {in_use}) < :most
            RETURNING id
            """).with("in_use", KeyRow.IN_USE).sql();

    /** Grants whose last secret has expired a while ago; their keys end with them. */
    private static final String ENDED = """
            DELETE FROM api_key k
             USING oauth_grant g
             WHERE g.tenant_id = k.tenant_id AND g.key_id = k.id AND k.expires_at <= :until
               AND NOT EXISTS (SELECT 1 FROM oauth_secret s
                                WHERE s.tenant_id = k.tenant_id AND s.key_id = k.id AND s.expires_at > :until)
            """;

    private static final String OLD_ASSERTIONS = Db.oldRows("oauth_assertion", "expires_at <= :until");
    private static final String OLD = Db.oldRows("oauth_secret", "expires_at <= :until");

    private final Db db;

    public GrantStore(Db db) {
        this.db = db;
    }

    /**
     * A code or a refresh token that the transaction has locked.
     *
     * @param ends when the credential of the user who gave access ends; null for never
     * @param alive whether the key can still be used, apart from the end of its access token
     */
    record Taken(
            long tenant,
            String key,
            String kind,
            boolean used,
            Instant expires,
            String client,
            String redirectUri,
            String challenge,
            @Nullable Instant ends,
            Collection<String> capabilities,
            String agent,
            boolean alive) {}

    /** Stores what a user decided, and the code for it. */
    void insert(Caller caller, String key, AuthorizationRequest request, String code, Instant expires) {
        insert(caller, key, request.client().id(), request.redirectUri(), request.challenge());
        insertSecret(caller.tenant(), key, code, "code", expires);
    }

    private void insert(Caller caller, String key, String client, String redirectUri, String challenge) {
        db.sql(INSERT)
                .set("tenant", caller.tenant())
                .set("key", key)
                .set("client", client)
                .set("redirect", redirectUri)
                .set("challenge", challenge)
                .set("ends", caller.credential().expiresAt())
                .run();
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

    /** Makes a new key the access of a client, without a code or a refresh token. */
    void insertAsserted(Caller caller, ApiKey token, OAuthClient client, Instant expires) {
        insert(caller, token.id(), client.id(), "", "");
        renew(caller.tenant(), token, expires);
    }

    private void insertSecret(long tenant, String key, String secret, String kind, Instant expires) {
        db.sql(INSERT_SECRET)
                .set("tenant", tenant)
                .set("hash", Sha256.of(secret))
                .set("key", key)
                .set("kind", kind)
                .set("expires", expires)
                .run();
    }

    Optional<Taken> take(String secret, Instant now) {
        return db.sql(TAKE).set("hash", Sha256.of(secret)).set("now", now).one(GrantStore::taken);
    }

    private static Taken taken(Row row) throws SQLException {
        return new Taken(
                row.number("tenant_id"),
                row.text("key_id"),
                row.text("kind"),
                row.instantOrNull("used_at") != null,
                Objects.requireNonNull(row.instantOrNull("expires_at")),
                row.text("client_id"),
                row.text("redirect_uri"),
                row.text("challenge"),
                row.instantOrNull("ends_at"),
                row.texts("capabilities"),
                row.text("agent"),
                row.flag("alive"));
    }

    /** Uses up the secret: the key gets a new access token, and there is a new refresh token. */
    void renew(
            Taken taken,
            String used,
            ApiKey token,
            Instant expires,
            String refresh,
            Instant refreshExpires,
            Instant now) {
        db.sql(USE)
                .set("now", now)
                .set("tenant", taken.tenant())
                .set("hash", Sha256.of(used))
                .run();
        renew(taken.tenant(), token, expires);
        insertSecret(taken.tenant(), taken.key(), refresh, "refresh", refreshExpires);
    }

    private void renew(long tenant, ApiKey token, Instant expires) {
        db.sql(RENEW)
                .set("secret", token.secretHash())
                .set("expires", expires)
                .set("tenant", tenant)
                .set("key", token.id())
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

    /** Creates a child of a key for a while, and returns whether there was room for it. */
    boolean insertChild(
            Caller parent, ApiKey token, Collection<String> capabilities, int most, Instant expires, Instant now) {
        return db.sql(INSERT_CHILD)
                .set("tenant", parent.tenant())
                .set("parent", parent.credential().key())
                .set("id", token.id())
                .set("secret", token.secretHash())
                .set("capabilities", capabilities)
                .set("expires", expires)
                .set("now", now)
                .set("most", most)
                .last(row -> row.text("id"))
                .isPresent();
    }

    /** Deletes expired secrets, and the keys of grants that can no longer be renewed. */
    public void purge(Instant now) {
        var until = now.minus(KEPT);
        db.sql(ENDED).set("until", until).run();
        db.deleteOld(OLD, until);
        db.deleteOld(OLD_ASSERTIONS, until);
    }
}
