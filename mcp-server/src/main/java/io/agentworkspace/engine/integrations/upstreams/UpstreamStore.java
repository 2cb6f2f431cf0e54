package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.UpstreamRow.OfferRow;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamCredential;
import io.agentworkspace.engine.kernel.access.UpstreamOffers;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Writes upstream servers and their tools, and reads what is needed to call them. */
public final class UpstreamStore {
    /** The maximum number of servers of a tenant. */
    static final int MOST = 50;

    private static final String LOCK = SqlTemplate.of("""
            SELECT {upstream_json} || {offers_json} AS record
              FROM upstream u
             WHERE u.tenant_id = :tenant AND u.name = :name
               FOR UPDATE
            """)
            .with("upstream_json", UpstreamRow.JSON)
            .with("offers_json", UpstreamRow.OFFERS)
            .sql();

    private static final String WRITE_TOOLS = upsert("upstream_tool", "tool", "w.item");
    private static final String WRITE_CONTENT = upsert("upstream_content", "kind, item", "w.kind, w.item");

    private static String upsert(String table, String key, String values) {
        return SqlTemplate.of("""
                INSERT INTO {table} (tenant_id, upstream, {key}, name, definition, digest, approved, approved_digest,
                                     approved_at, state, reason)
                SELECT u.tenant_id, u.name, {values}, w.name, w.definition, w.digest, w.approved, w.approved_digest,
                       w.approved_at, w.state, w.reason
                  FROM upstream u
                 CROSS JOIN jsonb_to_recordset(CAST(:rows AS jsonb))
                       AS w (kind text, item text, name text, definition jsonb, digest text, approved jsonb,
                             approved_digest text, approved_at timestamptz, state text, reason text)
                 WHERE u.tenant_id = :tenant AND u.name = :upstream
                ON CONFLICT (tenant_id, upstream, {key}) DO UPDATE
                   SET definition = excluded.definition, digest = excluded.digest, approved = excluded.approved,
                       approved_digest = excluded.approved_digest, approved_at = excluded.approved_at,
                       state = excluded.state, reason = excluded.reason
                """)
                .with("table", table)
                .with("key", key)
                .with("values", values)
                .sql();
    }

    private static final String USABLE =
            SqlTemplate.of("""
            SELECT jsonb_build_object('kind', t.kind, 'upstream', t.upstream, 'item', t.item, 'name', t.name,
                                      'approved', t.approved, 'approved_digest', t.approved_digest) AS record
              FROM {offers}
             WHERE t.tenant_id = :tenant AND t.state = 'approved'
             ORDER BY t.name
            """).with("offers", UpstreamOffers.ALL).sql();

    private final Db db;
    private final Vault vault;

    public UpstreamStore(Db db, Vault vault) {
        this.db = db;
        this.vault = vault;
    }

    /** Returns the context that a server's secret is encrypted for. */
    public static String place(long tenant, String name) {
        return "upstream/%d/%s".formatted(tenant, name);
    }

    /** Encrypts a secret for the database. Do not call this inside a transaction, which could still be rolled back. */
    String seal(long tenant, String name, String secret) {
        return vault.seal(place(tenant, name), secret.getBytes(StandardCharsets.UTF_8));
    }

    String opened(long tenant, String name, @Nullable String sealed) {
        return sealed == null ? "" : new String(vault.open(place(tenant, name), sealed), StandardCharsets.UTF_8);
    }

    /** Returns the tenants that have servers. */
    Set<Long> tenants() {
        return new HashSet<>(db.sql("SELECT DISTINCT tenant_id FROM upstream").list(row -> row.number(1)));
    }

    /** A server as it is connected to. */
    record Connected(
            String name,
            String url,
            UpstreamCredential credential,
            @Nullable String secret,
            int timeoutMs,
            @Nullable String era,
            Instant createdAt,
            long revision) {
        /** Returns whether a record still leads to this server, with this credential. */
        boolean isConnectedLike(UpstreamRow row) {
            return createdAt.equals(row.createdAt()) && url.equals(row.url()) && credential.equals(row.credential());
        }
    }

    /** Something that is approved. */
    record Usable(
            OfferKind kind, String upstream, String item, String name, ObjectNode approved, String approvedDigest) {
        Definition definition() {
            return new Definition(kind, approved);
        }
    }

    List<Connected> connected(long tenant) {
        return db.sql("""
                SELECT jsonb_build_object('name', u.name, 'url', u.url, 'credential', u.credential, 'secret', u.secret,
                                          'timeout_ms', u.timeout_ms, 'era', u.era, 'created_at', u.created_at,
                                          'revision', u.revision) AS record
                  FROM upstream u
                 WHERE u.tenant_id = :tenant
                 ORDER BY u.name
                """)
                .set("tenant", tenant)
                .list(row -> Objects.requireNonNull(row.json("record", Connected.class)));
    }

    /** @throws Problem {@code not_found} */
    Connected connected(long tenant, String name) {
        var all = connected(tenant);
        return all.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> UpstreamQueries.missing(
                        name, all.stream().map(Connected::name).toList()));
    }

    List<Usable> usable(long tenant) {
        return db.sql(USABLE)
                .set("tenant", tenant)
                .list(row -> Objects.requireNonNull(row.json("record", Usable.class)));
    }

    /** A tool that is not approved, or that its server no longer has. */
    record Unusable(
            String upstream,
            String item,
            String name,
            String state,
            @Nullable String reason) {}

    List<Unusable> unusable(long tenant) {
        return db.sql("""
                SELECT jsonb_build_object('upstream', t.upstream, 'item', t.tool, 'name', t.name, 'state', t.state,
                                          'reason', t.reason) AS record
                  FROM upstream_tool t
                 WHERE t.tenant_id = :tenant AND t.state <> 'approved'
                 ORDER BY t.name
                """)
                .set("tenant", tenant)
                .list(row -> Objects.requireNonNull(row.json("record", Unusable.class)));
    }

    private static final String DIGESTS =
            SqlTemplate.of("""
            SELECT t.kind || ' ' || t.item || ' ' || t.digest AS offer
              FROM {offers}
             WHERE t.tenant_id = :tenant AND t.upstream = :upstream AND t.state <> 'gone'
            """).with("offers", UpstreamOffers.ALL).sql();

    /** Returns whether a server's offers are those that are stored. */
    boolean has(long tenant, String upstream, List<Definition> offers) {
        var stored =
                db.sql(DIGESTS).set("tenant", tenant).set("upstream", upstream).list(row -> row.text("offer"));
        return Set.copyOf(stored)
                .equals(offers.stream()
                        .map(offer -> "%s %s %s".formatted(offer.kind().word(), offer.item(), offer.digest()))
                        .collect(Collectors.toSet()));
    }

    /** A new server. */
    record Draft(
            String name,
            String url,
            UpstreamCredential credential,
            @Nullable String secret,
            int timeoutMs,
            @Nullable String era,
            @Nullable String error) {}

    /** @throws Problem {@code already_exists}, or {@code conflict} if the tenant has the maximum number of servers */
    void insert(Call call, Draft draft) {
        try {
            var inserted = db.sql(call, """
                    INSERT INTO upstream (tenant_id, name, url, credential, secret, timeout_ms, era, created_at, updated_at,
                                          refreshed_at, failing_since, last_error, last_error_at)
                    SELECT t.tenant_id, :name, :url, CAST(:credential AS jsonb), :secret, :timeout, :era, :now, :now,
                           CASE WHEN CAST(:error AS text) IS NULL THEN :now END,
                           CASE WHEN CAST(:error AS text) IS NOT NULL THEN :now END, CAST(:error AS text),
                           CASE WHEN CAST(:error AS text) IS NOT NULL THEN :now END
                      FROM tenant_plan t
                     WHERE t.tenant_id = :tenant AND (SELECT count(*) FROM upstream WHERE tenant_id = :tenant) < :most
                    """)
                    .set("name", draft.name())
                    .set("url", draft.url())
                    .set("credential", Json.text(draft.credential()))
                    .set("secret", draft.secret())
                    .set("timeout", draft.timeoutMs())
                    .set("era", draft.era())
                    .set("error", draft.error())
                    .set("most", MOST)
                    .run();
            if (inserted == 0) {
                throw Problem.conflict(
                        "your tenant has %d upstream servers, which is the limit: remove one with UP_Remove"
                                .formatted(MOST));
            }
        } catch (SqlFailure e) {
            throw Db.isTaken(e) ? Problem.alreadyExists("upstream", draft.name()) : e;
        }
    }

    /**
     * Locks the server with this name.
     *
     * @throws Problem {@code not_found}
     */
    UpstreamRow lock(Call call, String name) {
        return locked(call, name).orElseThrow(() -> UpstreamQueries.missing(name, names(call)));
    }

    private Optional<UpstreamRow> locked(Call call, String name) {
        return db.sql(call, LOCK)
                .set("name", name)
                .one(row -> Objects.requireNonNull(row.json("record", UpstreamRow.class)));
    }

    /** Returns the names of the tenant's servers. */
    List<String> names(Call call) {
        return db.sql(call, "SELECT u.name FROM upstream u WHERE u.tenant_id = :tenant ORDER BY u.name")
                .list(row -> row.text("name"));
    }

    /**
     * What to change of a server; null for what stays.
     *
     * @param secret of the new credential, if it has one
     */
    record Change(
            @Nullable String url,
            @Nullable UpstreamCredential credential,
            @Nullable String secret,
            @Nullable Integer timeoutMs) {}

    /** Writes what changed of a server, which ends its connections on every replica, and with them users' accounts at another one. */
    void update(Call call, UpstreamRow upstream, Change change) {
        db.sql(call, """
                WITH ended AS (DELETE FROM upstream_account
                                WHERE tenant_id = :tenant AND upstream = :name
                                  AND (CAST(:credential AS jsonb) IS NOT NULL OR url <> CAST(:url AS text))),
                     stopped AS (DELETE FROM upstream_connection
                                  WHERE tenant_id = :tenant AND upstream = :name
                                    AND (CAST(:credential AS jsonb) IS NOT NULL OR CAST(:url AS text) IS NOT NULL)),
                     forgotten AS (DELETE FROM upstream_client
                                    WHERE tenant_id = :tenant AND upstream = :name
                                      AND (CAST(:credential AS jsonb) IS NOT NULL OR CAST(:url AS text) IS NOT NULL))
                UPDATE upstream
                   SET url = COALESCE(CAST(:url AS text), url),
                       credential = COALESCE(CAST(:credential AS jsonb), credential),
                       secret = CASE WHEN CAST(:credential AS jsonb) IS NULL THEN secret ELSE CAST(:secret AS text) END,
                       timeout_ms = COALESCE(CAST(:timeout AS integer), timeout_ms),
                       updated_at = :now, revision = revision + 1
                 WHERE tenant_id = :tenant AND name = :name
                """)
                .set("name", upstream.name())
                .set("url", change.url())
                .set("credential", change.credential() == null ? null : Json.text(change.credential()))
                .set("secret", change.secret())
                .set("timeout", change.timeoutMs())
                .run();
    }

    /** Notes that a server was reached, or why it was not. A new era ends its connections. */
    void probed(Call call, String name, @Nullable String era, @Nullable String error) {
        db.sql(call, """
                UPDATE upstream
                   SET era = COALESCE(CAST(:era AS text), era),
                       refreshed_at = CASE WHEN CAST(:error AS text) IS NULL THEN :now ELSE refreshed_at END,
                       failing_since = CASE WHEN CAST(:error AS text) IS NOT NULL THEN COALESCE(failing_since, :now) END,
                       last_error = COALESCE(CAST(:error AS text), last_error),
                       last_error_at = CASE WHEN CAST(:error AS text) IS NOT NULL THEN :now ELSE last_error_at END,
                       updated_at = :now, revision = revision + 1
                 WHERE tenant_id = :tenant AND name = :name
                """).set("name", name).set("era", era).set("error", error).run();
    }

    void write(Call call, String upstream, List<OfferRow> offers) {
        var tools = offers.stream().filter(row -> row.kind() == OfferKind.TOOL).toList();
        if (!tools.isEmpty()) {
            db.sql(call, WRITE_TOOLS)
                    .set("upstream", upstream)
                    .set("rows", Json.text(tools))
                    .run();
        }
        var content =
                offers.stream().filter(row -> row.kind() != OfferKind.TOOL).toList();
        if (!content.isEmpty()) {
            db.sql(call, WRITE_CONTENT)
                    .set("upstream", upstream)
                    .set("rows", Json.text(content))
                    .run();
        }
    }

    /** Notes that tools changed, so that every replica reads them again. */
    void touch(Call call, String name) {
        db.sql(call, """
                UPDATE upstream SET updated_at = :now, revision = revision + 1 WHERE tenant_id = :tenant AND name = :name
                """).set("name", name).run();
    }

    void delete(Call call, String name) {
        db.sql(call, "DELETE FROM upstream WHERE tenant_id = :tenant AND name = :name")
                .set("name", name)
                .run();
    }

    /** The health of a server as a replica saw it last. */
    record Health(
            long tenantId,
            String name,
            @Nullable String error,
            @Nullable String errorAt,
            @Nullable String failingSince,
            @Nullable Integer p50Ms,
            @Nullable Integer p99Ms) {}

    void writeHealth(List<Health> seen) {
        db.sql("""
                UPDATE upstream u
                   SET failing_since = h.failing_since, last_error = COALESCE(h.error, u.last_error),
                       last_error_at = COALESCE(h.error_at, u.last_error_at), p50_ms = COALESCE(h.p50_ms, u.p50_ms),
                       p99_ms = COALESCE(h.p99_ms, u.p99_ms)
                  FROM jsonb_to_recordset(CAST(:rows AS jsonb))
                       AS h (tenant_id bigint, name text, error text, error_at timestamptz, failing_since timestamptz,
                             p50_ms integer, p99_ms integer)
                 WHERE u.tenant_id = h.tenant_id AND u.name = h.name
                """).set("rows", Json.text(seen)).run();
    }
}
