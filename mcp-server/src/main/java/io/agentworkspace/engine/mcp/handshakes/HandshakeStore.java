package io.agentworkspace.engine.mcp.handshakes;

import io.agentworkspace.engine.identity.credentials.ClientName;
import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.identity.keys.KeyRow;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.mcp.handshakes.HandshakeNote.Holder;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the handshakes of MCP clients. They are collected in memory and written every second, so they cost requests no
 * round trip. A crash loses up to a second of them. Only as many are kept for each holder as are shown.
 */
public final class HandshakeStore {
    /** The number of handshakes kept for each holder. */
    static final int LATEST = 20;

    /** The number of kept handshakes by clients that only named the key. They never displace those of the key itself. */
    private static final int LATEST_UNPROVEN = 10;

    private static final Duration KEPT = Duration.ofDays(30);
    private static final Logger LOG = LoggerFactory.getLogger(HandshakeStore.class);
    private static final int MOST_PROVEN = 1_000;
    private static final int MOST_UNPROVEN = 100;
    private static final int BATCH = 1_000;

    /** How many characters the texts of the handshakes of one holder may have together until they are written: of each 512. */
    private static final int LENGTH = 10 * 1_024;

    /** Separate maps, so that clients with made-up keys cannot use up the room of valid ones. */
    private final Map<Holder, Map<UUID, HandshakeNote>> proven = new ConcurrentHashMap<>();

    private final Map<Holder, Map<UUID, HandshakeNote>> unproven = new ConcurrentHashMap<>();
    private final AtomicLong lost = new AtomicLong();
    private static final String OLD = Db.oldRows("handshake", "tenant_id, id", "at < :until ORDER BY at");

    private final Db db;

    public HandshakeStore(Db db) {
        this.db = db;
    }

    /** Collects a handshake, which the next {@link #flush} writes. */
    public void note(Holder holder, HandshakeNote note) {
        if (holder.isProven()) {
            note(proven, MOST_PROVEN, holder, note);
        } else {
            note(unproven, MOST_UNPROVEN, holder, note);
        }
    }

    private void note(Map<Holder, Map<UUID, HandshakeNote>> notes, int most, Holder holder, HandshakeNote note) {
        if (notes.size() >= most && !notes.containsKey(holder)) {
            lost.incrementAndGet();
            return;
        }
        notes.compute(holder, (_, entry) -> {
            var latest = entry == null ? new LinkedHashMap<UUID, HandshakeNote>() : entry;
            latest.merge(note.id(), note, HandshakeNote::and);
            while (latest.size() > LATEST || latest.size() > 1 && length(latest) > LENGTH) {
                latest.remove(latest.keySet().iterator().next());
            }
            return latest;
        });
    }

    private static int length(Map<UUID, HandshakeNote> notes) {
        return notes.values().stream().mapToInt(HandshakeNote::length).sum();
    }

    /** Writes the collected handshakes. Those that could not be written are collected again. */
    public synchronized void flush() {
        flush(proven);
        flush(unproven);
        var missing = lost.getAndSet(0);
        if (missing > 0) {
            LOG.warn("{} handshakes were not recorded: too many came at once", missing);
        }
    }

    /** Returns the number of handshakes that are not yet written. */
    int waiting() {
        return Stream.of(proven, unproven)
                .flatMap(notes -> notes.values().stream())
                .mapToInt(Map::size)
                .sum();
    }

    /** @param place its place in one flush; it orders handshakes of the same time */
    private record Noted(int place, Holder holder, HandshakeNote note) {}

    private void flush(Map<Holder, Map<UUID, HandshakeNote>> notes) {
        var taken = new ArrayList<Noted>();
        for (var holder : List.copyOf(notes.keySet())) {
            var latest = notes.remove(holder);
            if (latest != null) {
                latest.values().forEach(note -> taken.add(new Noted(taken.size(), holder, note)));
            }
        }
        for (var i = 0; i < taken.size(); i += BATCH) {
            try {
                write(taken.subList(i, Math.min(i + BATCH, taken.size())));
            } catch (RuntimeException e) {
                taken.subList(i, taken.size()).forEach(noted -> note(noted.holder(), noted.note()));
                throw e;
            }
        }
    }

    private record Touched(long tenant, String holder) {}

    private void write(List<Noted> batch) {
        var rows = batch.stream().map(HandshakeStore::row).toList();
        var touched = db.sql("""
                WITH n AS (
                    SELECT * FROM jsonb_to_recordset(CAST(:rows AS jsonb))
                                  n (tenant bigint, "user" bigint, key_id text, id uuid, place int, source uuid, again boolean,
                                     at timestamptz, times bigint, era text, method text, client_name text,
                                     client_version text, protocol_version text, user_agent text, toolset text, status int,
                                     code int, flaw text, note text)),
                k AS MATERIALIZED (
                    SELECT tenant_id, id, user_id FROM api_key
                     WHERE (tenant_id, id) IN (SELECT d.tenant_id, d.id FROM n JOIN directory d ON d.kind = 'key' AND d.id = n.key_id)
                     ORDER BY tenant_id, id FOR KEY SHARE),
                u AS MATERIALIZED (
                    SELECT tenant_id, id FROM app_user
                     WHERE (tenant_id, id) IN (SELECT tenant, "user" FROM n WHERE key_id IS NULL)
                     ORDER BY tenant_id, id FOR KEY SHARE),
                r AS (
                    SELECT COALESCE(k.tenant_id, u.tenant_id) AS tenant_id, COALESCE(k.user_id, u.id) AS user_id,
                           COALESCE('key:' || k.id, 'user:' || u.id) AS holder, n.*
                      FROM n
                      LEFT JOIN k ON k.id = n.key_id AND k.tenant_id = COALESCE(n.tenant, k.tenant_id)
                      LEFT JOIN u ON n.key_id IS NULL AND u.tenant_id = n.tenant AND u.id = n."user"
                     WHERE k.id IS NOT NULL OR u.id IS NOT NULL),
                written AS (
                    INSERT INTO handshake AS h (tenant_id, id, place, holder, user_id, key_id, proven, source, at, times, era,
                                                method, client_name, client_version, protocol_version, user_agent, toolset,
                                                status, code, flaw, note)
                    SELECT r.tenant_id, r.id, r.place, r.holder, r.user_id, r.key_id, r.tenant IS NOT NULL, r.source, r.at, r.times,
                           r.era, r.method, r.client_name, r.client_version, r.protocol_version, r.user_agent, r.toolset,
                           r.status, r.code, r.flaw, r.note
                      FROM r
                     WHERE NOT r.again
                        OR (SELECT e.flaw IS NULL FROM handshake e
                             WHERE e.tenant_id = r.tenant_id AND e.holder = r.holder AND e.source = r.source
                               AND e.at > r.at - CAST(:while AS interval)
                             ORDER BY e.at DESC
                             LIMIT 1) IS NOT TRUE
                     ORDER BY r.tenant_id, r.id
                    ON CONFLICT (tenant_id, id) DO UPDATE
                       SET at = greatest(h.at, excluded.at), times = h.times + excluded.times
                    RETURNING h.tenant_id, h.holder, h.id),
                signal AS (
                    SELECT announce(tenant_id, jsonb_agg(jsonb_build_object('topic', 'handshakes', 'action', 'met', 'thing', id)))
                      FROM written
                     GROUP BY tenant_id)
                SELECT DISTINCT tenant_id, holder FROM written WHERE (SELECT count(*) FROM signal) > 0
                """)
                .set("rows", Json.text(rows))
                .set("while", HandshakeNote.WHILE.toString())
                .list(row -> row.as(Touched.class));
        prune(touched);
    }

    private static Map<String, @Nullable Object> row(Noted noted) {
        var note = noted.note();
        var client = note.client().readable();
        var refusal = note.refusal();
        var row = new LinkedHashMap<String, @Nullable Object>();
        row.put("tenant", noted.holder().tenant());
        row.put("user", noted.holder().user());
        row.put("key_id", noted.holder().key());
        row.put("id", note.id());
        row.put("place", noted.place());
        row.put("source", note.source());
        row.put("again", note.again());
        row.put("at", note.at().toString()); // As text, to keep microseconds.
        row.put("times", note.times());
        row.put("era", client.era());
        row.put("method", client.method());
        row.put("client_name", client.name());
        row.put("client_version", client.version());
        row.put("protocol_version", client.protocolVersion());
        row.put("user_agent", client.userAgent());
        row.put("toolset", client.toolset());
        row.put("status", note.status());
        row.put("code", refusal == null ? null : refusal.code());
        row.put("flaw", refusal == null ? null : refusal.flaw());
        row.put("note", refusal == null ? null : ClientName.readable(refusal.note(), 300));
        return row;
    }

    private void prune(List<Touched> touched) {
        db.sql("""
                DELETE FROM handshake
                 WHERE (tenant_id, id) IN
                       (SELECT tenant_id, id
                          FROM (SELECT tenant_id, id, proven,
                                       row_number() OVER (PARTITION BY tenant_id, holder, proven
                                                              ORDER BY at DESC, place DESC) AS newer
                                  FROM handshake
                                 WHERE (tenant_id, holder) IN (SELECT * FROM unnest(CAST(:tenants AS bigint[]), CAST(:holders AS text[])))) h
                         WHERE newer > CASE WHEN proven THEN :latest ELSE :unproven END)
                """)
                .set("tenants", touched.stream().map(Touched::tenant).toList())
                .set("holders", touched.stream().map(Touched::holder).toList())
                .set("latest", LATEST)
                .set("unproven", LATEST_UNPROVEN)
                .run();
    }

    /** A stored handshake. */
    record StoredHandshake(
            Instant at,
            long times,
            boolean proven,
            String era,
            @Nullable String method,
            @Nullable String clientName,
            @Nullable String clientVersion,
            @Nullable String protocolVersion,
            @Nullable String userAgent,
            @Nullable String toolset,
            int status,
            @Nullable Integer code,
            @Nullable String flaw,
            @Nullable String note) {}

    /**
     * @param chain the grants of a key and of the keys above it
     * @param rotatedAt when the key got its present secret
     */
    record Latest(String user, List<Grant> chain, @Nullable Instant rotatedAt, List<StoredHandshake> handshakes) {}

    private static final String ROWS = """
            (SELECT jsonb_agg(to_jsonb(h) ORDER BY h.at DESC, h.place DESC)
               FROM (SELECT * FROM handshake
                      WHERE tenant_id = :tenant AND holder = :holder AND at > CAST(:now AS timestamptz) - CAST(:kept AS interval)
                      ORDER BY at DESC, place DESC
                      LIMIT :latest) h) AS rows
            """;

    private static final String READ_OF_KEY = SqlTemplate.of("""
            SELECT o.name AS user_name, k.rotated_at, {chain} AS chain, {rows}
              FROM api_key k
              JOIN app_user o ON o.tenant_id = k.tenant_id AND o.id = k.user_id
             WHERE k.tenant_id = :tenant AND k.id = :id AND (k.id = CAST(:key AS text) OR {managed})
            """)
            .with("chain", KeyRow.CHAIN)
            .with("rows", ROWS)
            .with("managed", KeyRow.managed("k"))
            .sql();

    private static final String READ_OF_USER = "SELECT " + ROWS;

    /** Returns the handshakes of a key that the caller may manage or authenticates with. Empty if there is no such key. */
    Optional<Latest> ofKey(Caller caller, String key, Instant now) {
        return reading(READ_OF_KEY, caller, "key:" + key, now)
                .set("id", key)
                .one(row -> new Latest(
                        row.text("user_name"),
                        row.jsonList("chain", Grant.class),
                        row.instantOrNull("rotated_at"),
                        row.jsonList("rows", StoredHandshake.class)));
    }

    /** Returns the handshakes of the caller without a key. */
    Latest ofUser(Caller caller, Instant now) {
        return reading(READ_OF_USER, caller, "user:" + caller.user(), now)
                .one(row -> new Latest(caller.userName(), List.of(), null, row.jsonList("rows", StoredHandshake.class)))
                .orElseThrow();
    }

    private Statement reading(String sql, Caller caller, String holder, Instant now) {
        return db.sql(sql)
                .set("tenant", caller.tenant())
                .set("holder", holder)
                .set("key", caller.credential().key())
                .set("narrow", caller.isConfined())
                .set("admin", caller.isAdmin())
                .set("caller", caller.user())
                .set("now", now)
                .set("kept", KEPT.toString())
                .set("latest", LATEST);
    }

    /** Deletes handshakes older than the retention period. */
    public void purge(Instant now) {
        db.deleteOld(OLD, now.minus(KEPT));
    }
}
