package io.agentworkspace.engine.integrations.upstreams.accounts;

import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals.Signal;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Stores users' accounts at servers, who the engine is there as a client, and connections that are under way. */
public final class AccountStore {
    /** The signal that a user has connected another account at a server, or ended it. */
    static final String CHANGED = "upstream-account";

    private static final String EXPIRED = Db.oldRows("upstream_connection", "tenant_id, id", "expires_at <= :until");

    private final Db db;
    private final Vault vault;

    public AccountStore(Db db, Vault vault) {
        this.db = db;
        this.vault = vault;
    }

    /** Whose account it is, and where. */
    record Key(long tenant, String upstream, long user) {
        static Key of(Target target, long user) {
            return new Key(target.tenant(), target.name(), user);
        }
    }

    /** Returns the context that a user's tokens are encrypted for: who writes another address into the row cannot open them. */
    public static String place(long tenant, String upstream, long user, String url) {
        return "upstream-account/%d/%s/%d/%s".formatted(tenant, upstream, user, url);
    }

    /** Returns the context that the client of an issuer is encrypted for. */
    public static String place(long tenant, String upstream, String issuer) {
        return "upstream-client/%d/%s/%s".formatted(tenant, upstream, issuer);
    }

    private static String place(Key key, String url) {
        return place(key.tenant(), key.upstream(), key.user(), url);
    }

    private static String place(Registered registered) {
        return place(registered.tenant(), registered.upstream(), registered.issuer());
    }

    private String sealed(String place, Object secret) {
        return vault.seal(place, Json.text(secret).getBytes(StandardCharsets.UTF_8));
    }

    private <T> T opened(String place, String sealed, Class<T> type) {
        return Json.readValue(new String(vault.open(place, sealed), StandardCharsets.UTF_8), type);
    }

    // ------------------------------------------------------------ accounts

    /**
     * An account.
     *
     * @param version changes with its tokens
     * @param renewAt when its token has to be renewed; null if nobody knows
     */
    record Account(Grant grant, long version, @Nullable Instant renewAt, Instant renewedAt, Instant connectedAt) {}

    /** Returns the user's account, unless it is for another address than the server has now. */
    Optional<Account> find(Target target, long user) {
        var key = Key.of(target, user);
        return db.sql("""
                SELECT a.tokens, a.version, a.renew_at, a.renewed_at, a.connected_at
                  FROM upstream_account a
                 WHERE a.tenant_id = :tenant AND a.upstream = :upstream AND a.user_id = :user AND a.url = :url
                """)
                .set("tenant", key.tenant())
                .set("upstream", key.upstream())
                .set("user", key.user())
                .set("url", target.url().toString())
                .one(row -> new Account(
                        opened(place(key, target.url().toString()), row.text("tokens"), Grant.class),
                        row.number("version"),
                        row.instantOrNull("renew_at"),
                        Objects.requireNonNull(row.instantOrNull("renewed_at")),
                        Objects.requireNonNull(row.instantOrNull("connected_at"))));
    }

    /**
     * Takes the renewal of an account's token, which one replica does at a time, by the clock of the database.
     *
     * @return the lease, which ends after that time; empty if it is another's
     */
    Optional<Instant> claim(Key key, long version, Duration lease) {
        return db.sql("""
                UPDATE upstream_account
                   SET renewing_until = now() + CAST(:lease AS interval)
                 WHERE tenant_id = :tenant AND upstream = :upstream AND user_id = :user AND version = :version
                   AND (renewing_until IS NULL OR renewing_until <= now())
                RETURNING renewing_until
                """)
                .set("tenant", key.tenant())
                .set("upstream", key.upstream())
                .set("user", key.user())
                .set("version", version)
                .set("lease", lease.toString())
                .one(row -> Objects.requireNonNull(row.instantOrNull("renewing_until")));
    }

    /** Gives a renewal up, so that the next caller tries again. It does nothing if the lease is another's by now. */
    void release(Key key, long version, Instant lease) {
        db.sql("""
                UPDATE upstream_account
                   SET renewing_until = NULL
                 WHERE tenant_id = :tenant AND upstream = :upstream AND user_id = :user AND version = :version
                   AND renewing_until = :lease
                """)
                .set("tenant", key.tenant())
                .set("upstream", key.upstream())
                .set("user", key.user())
                .set("version", version)
                .set("lease", lease)
                .run();
    }

    /** Stores renewed tokens, unless the account was ended or connected again meanwhile. Returns whether it did. */
    boolean renew(Target target, Key key, long version, Grant grant, @Nullable Instant renewAt, Instant now) {
        var tokens = sealed(target, key.user(), grant);
        return db.sql("""
                        UPDATE upstream_account
                           SET tokens = :tokens, version = version + 1, renew_at = :renew_at, renewed_at = :now,
                               renewing_until = NULL
                         WHERE tenant_id = :tenant AND upstream = :upstream AND user_id = :user AND version = :version
                        """)
                        .set("tenant", key.tenant())
                        .set("upstream", key.upstream())
                        .set("user", key.user())
                        .set("version", version)
                        .set("tokens", tokens)
                        .set("renew_at", renewAt)
                        .set("now", now)
                        .run()
                > 0;
    }

    /** Notes that a token is not accepted any more, so that the next caller renews it. */
    void expire(Key key, long version, Instant now) {
        db.sql("""
                UPDATE upstream_account
                   SET renew_at = :now
                 WHERE tenant_id = :tenant AND upstream = :upstream AND user_id = :user AND version = :version
                """)
                .set("tenant", key.tenant())
                .set("upstream", key.upstream())
                .set("user", key.user())
                .set("version", version)
                .set("now", now)
                .run();
    }

    /**
     * Ends an account whose tokens are worth nothing any more.
     *
     * @param lease of the renewal that found this out: if it is another's by now, so is the account; null if there was none
     * @return whether it did
     */
    boolean end(Key key, long version, @Nullable Instant lease) {
        var isEnded = db.sql("""
                        DELETE FROM upstream_account
                         WHERE tenant_id = :tenant AND upstream = :upstream AND user_id = :user AND version = :version
                           AND (CAST(:lease AS timestamptz) IS NULL OR renewing_until = :lease)
                        """)
                        .set("tenant", key.tenant())
                        .set("upstream", key.upstream())
                        .set("user", key.user())
                        .set("version", version)
                        .set("lease", lease)
                        .run()
                > 0;
        if (isEnded) {
            signal(key);
        }
        return isEnded;
    }

    /** A user's account, without its tokens. */
    record Connected(String url, Instant at) {}

    /** Returns the user's account at a server, whoever may use that now. */
    Optional<Connected> connected(Key key) {
        return db.sql("""
                SELECT a.url, a.connected_at AS at
                  FROM upstream_account a
                 WHERE a.tenant_id = :tenant AND a.upstream = :upstream AND a.user_id = :user
                """)
                .set("tenant", key.tenant())
                .set("upstream", key.upstream())
                .set("user", key.user())
                .one(row -> row.as(Connected.class));
    }

    /** Ends the user's account at a server. Returns its tokens, to be revoked; empty if there is none. */
    Optional<Grant> end(Key key) {
        var ended = db.sql("""
                DELETE FROM upstream_account
                 WHERE tenant_id = :tenant AND upstream = :upstream AND user_id = :user
                RETURNING tokens, url
                """)
                .set("tenant", key.tenant())
                .set("upstream", key.upstream())
                .set("user", key.user())
                .one(row -> opened(place(key, row.text("url")), row.text("tokens"), Grant.class));
        ended.ifPresent(_ -> signal(key));
        return ended;
    }

    /**
     * Stores the account that a user has connected, in place of an earlier one.
     *
     * @param tokens from {@link #sealed(Target, long, Grant)}
     * @return whether the server is still as it was, and the user is still there
     */
    boolean connect(Target target, long user, String tokens, @Nullable Instant renewAt, Instant now) {
        var key = Key.of(target, user);
        var stored = db.sql("""
                        INSERT INTO upstream_account (tenant_id, upstream, user_id, url, tokens, renew_at, renewed_at, connected_at)
                        SELECT p.tenant_id, u.name, p.id, u.url, :tokens, CAST(:renew_at AS timestamptz), :now, :now
                          FROM app_user p
                          JOIN upstream u ON u.tenant_id = :tenant AND u.name = :upstream AND u.url = :url
                                         AND u.created_at = :installed AND u.credential = CAST(:credential AS jsonb)
                         WHERE p.tenant_id = :tenant AND p.id = :user AND p.removed_at IS NULL
                           FOR SHARE OF p, u
                        ON CONFLICT (tenant_id, upstream, user_id) DO UPDATE
                           SET url = excluded.url, tokens = excluded.tokens, renew_at = excluded.renew_at,
                               renewed_at = excluded.renewed_at, connected_at = excluded.connected_at,
                               renewing_until = NULL, version = upstream_account.version + 1
                        """)
                        .set("tenant", key.tenant())
                        .set("upstream", key.upstream())
                        .set("user", key.user())
                        .set("url", target.url().toString())
                        .set("installed", target.installed())
                        .set("credential", Json.text(target.credential()))
                        .set("tokens", tokens)
                        .set("renew_at", renewAt)
                        .set("now", now)
                        .run()
                > 0;
        if (stored) {
            signal(key);
        }
        return stored;
    }

    /** Encrypts the tokens of an account. Do not call this inside a transaction, which could still be rolled back. */
    String sealed(Target target, long user, Grant grant) {
        return sealed(place(Key.of(target, user), target.url().toString()), grant);
    }

    private void signal(Key key) {
        var signal = new Signal(key.tenant(), CHANGED, List.of(key.upstream()), List.of(key.user()));
        db.sql("SELECT pg_notify('changes', :signal)")
                .set("signal", Json.text(signal))
                .one(_ -> true);
    }

    // ------------------------------------------------------------ clients

    /**
     * Who the engine is at an issuer, for a server.
     *
     * @param redirect the address that it is registered with
     */
    record Registered(long tenant, String upstream, String issuer, String redirect) {}

    /** Returns who the engine is at an issuer, if it has registered there. */
    Optional<ProviderClient> client(Registered registered, Instant now) {
        return db.sql("""
                SELECT c.client
                  FROM upstream_client c
                 WHERE c.tenant_id = :tenant AND c.upstream = :upstream AND c.issuer = :issuer
                   AND c.redirect_uri = :redirect AND (c.expires_at IS NULL OR c.expires_at > :now)
                """)
                .set("tenant", registered.tenant())
                .set("upstream", registered.upstream())
                .set("issuer", registered.issuer())
                .set("redirect", registered.redirect())
                .set("now", now)
                .one(row -> opened(place(registered), row.text("client"), ProviderClient.class));
    }

    /** Stores a registration. */
    void register(Registered registered, ProviderClient client, @Nullable Instant expires, Instant now) {
        var sealed = sealed(place(registered), client);
        db.sql("""
                INSERT INTO upstream_client (tenant_id, upstream, issuer, redirect_uri, client, expires_at, created_at)
                VALUES (:tenant, :upstream, :issuer, :redirect, :client, :expires, :now)
                ON CONFLICT (tenant_id, upstream, issuer) DO UPDATE
                   SET redirect_uri = excluded.redirect_uri, client = excluded.client, expires_at = excluded.expires_at, created_at = excluded.created_at
                """)
                .set("tenant", registered.tenant())
                .set("upstream", registered.upstream())
                .set("issuer", registered.issuer())
                .set("redirect", registered.redirect())
                .set("client", sealed)
                .set("expires", expires)
                .set("now", now)
                .run();
    }

    /** Forgets a registration that its issuer does not know any more. */
    void forgetClient(long tenant, String upstream, String issuer) {
        db.sql("DELETE FROM upstream_client WHERE tenant_id = :tenant AND upstream = :upstream AND issuer = :issuer")
                .set("tenant", tenant)
                .set("upstream", upstream)
                .set("issuer", issuer)
                .run();
    }

    // ------------------------------------------------------------ connections under way

    /** A browser that was sent to an authorization server: from which session, and what is needed when it comes back. */
    record Departure(Key key, String session, Connecting connecting) {}

    private static String place(long tenant, String id) {
        return "upstream-connection/%d/%s".formatted(tenant, id);
    }

    /**
     * Stores a connection that begins, in place of one that the user began before.
     *
     * @param id of which nobody can tell the state
     */
    void begin(String id, Departure departure, Instant expires) {
        var key = departure.key();
        var request = sealed(place(key.tenant(), id), departure.connecting());
        db.sql("""
                WITH earlier AS (DELETE FROM upstream_connection
                                  WHERE tenant_id = :tenant AND upstream = :upstream AND user_id = :user)
                INSERT INTO upstream_connection (tenant_id, id, upstream, user_id, session_id, request, expires_at)
                VALUES (:tenant, :id, :upstream, :user, :session, :request, :expires)
                """)
                .set("tenant", key.tenant())
                .set("id", id)
                .set("upstream", key.upstream())
                .set("user", key.user())
                .set("session", departure.session())
                .set("request", request)
                .set("expires", expires)
                .run();
    }

    /** Takes a connection, which works only once on all replicas. */
    Optional<Departure> take(long tenant, String id, Instant now) {
        return db.sql("""
                WITH taken AS (DELETE FROM upstream_connection WHERE tenant_id = :tenant AND id = :id RETURNING *)
                SELECT upstream, user_id, session_id, request FROM taken WHERE expires_at > :now
                """)
                .set("tenant", tenant)
                .set("id", id)
                .set("now", now)
                .one(row -> new Departure(
                        new Key(tenant, row.text("upstream"), row.number("user_id")),
                        row.text("session_id"),
                        opened(place(tenant, id), row.text("request"), Connecting.class)));
    }

    public void purge(Instant now) {
        db.deleteOld(EXPIRED, now);
    }
}
