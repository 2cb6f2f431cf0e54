package io.agentworkspace.engine.mcp.handshakes;

import io.agentworkspace.engine.identity.credentials.ClientName;
import io.agentworkspace.engine.identity.credentials.DirectoryStore;
import io.agentworkspace.engine.identity.credentials.DirectoryStore.Kind;
import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.identity.keys.KeyRow;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.mcp.handshakes.HandshakeNote.Holder;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
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
    private static final String OLD = Db.oldRows("handshake", "tenant_id, id", "at < :until");

    private final Db db;
    private final DirectoryStore directory;

    public HandshakeStore(Db db) {
        this.db = db;
        this.directory = new DirectoryStore(db);
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
        try {
            flush(proven);
        } finally {
            flush(unproven);
        }
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
        var left = new LinkedHashSet<Noted>();
        for (var holder : List.copyOf(notes.keySet())) {
            var latest = notes.remove(holder);
            if (latest != null) {
                latest.values().forEach(note -> left.add(new Noted(left.size(), holder, note)));
            }
        }
        try {
            var tenants = byTenant(left);
            TenantTurns.take(tenants.keySet(), tenant -> {
                var waiting = Objects.requireNonNull(tenants.get(tenant));
                var batch = next(waiting);
                var holders = write(tenant, batch);
                batch.forEach(left::remove);
                prune(tenant, holders);
                return !waiting.isEmpty();
            });
        } catch (RuntimeException e) {
            left.forEach(noted -> note(noted.holder(), noted.note()));
            throw e;
        }
    }

    /** Keys that clients only named are looked up. Those that do not exist are left out. */
    private Map<Long, Queue<Noted>> byTenant(Collection<Noted> all) {
        var named = all.stream()
                .filter(noted -> !noted.holder().isProven())
                .map(noted -> noted.holder().key())
                .distinct()
                .toList();
        var tenants = named.isEmpty() ? Map.<String, Long>of() : directory.find(Kind.KEY, named);
        var byTenant = new LinkedHashMap<Long, Queue<Noted>>();
        for (var noted : all) {
            var holder = noted.holder();
            var tenant = holder.tenant() == null ? tenants.get(holder.key()) : holder.tenant();
            if (tenant != null) {
                byTenant.computeIfAbsent(tenant, _ -> new ArrayDeque<>()).add(noted);
            }
        }
        return byTenant;
    }

    private static List<Noted> next(Queue<Noted> notes) {
        var batch = new ArrayList<Noted>();
        while (batch.size() < BATCH && !notes.isEmpty()) {
            batch.add(notes.remove());
        }
        return batch;
    }

    /** @return the holders of what was written */
    private List<String> write(long tenant, List<Noted> batch) {
        var rows = batch.stream().map(HandshakeStore::row).toList();
        return db.sql("""
                WITH k AS MATERIALIZED (
                    SELECT id, user_id FROM api_key
                     WHERE tenant_id = :tenant AND id = ANY(CAST(:keys AS text[]))
                     ORDER BY id FOR KEY SHARE),
                u AS MATERIALIZED (
                    SELECT id FROM app_user
                     WHERE tenant_id = :tenant AND id = ANY(CAST(:users AS bigint[]))
                     ORDER BY id FOR KEY SHARE),
                r AS (
                    SELECT COALESCE(k.user_id, u.id) AS user_id, COALESCE('key:' || k.id, 'user:' || u.id) AS holder, n.*
                      FROM jsonb_to_recordset(CAST(:rows AS jsonb))
                           n ("user" bigint, key_id text, proven boolean, id uuid, place int, source uuid, again boolean,
                              at timestamptz, times bigint, era text, method text, client_name text, client_version text,
                              protocol_version text, user_agent text, toolset text, status int, code int, flaw text, note text)
                      LEFT JOIN k ON k.id = n.key_id
                      LEFT JOIN u ON n.key_id IS NULL AND u.id = n."user"
                     WHERE k.id IS NOT NULL OR u.id IS NOT NULL),
                written AS (
                    INSERT INTO handshake AS h (tenant_id, id, place, holder, user_id, key_id, proven, source, at, times, era,
                                                method, client_name, client_version, protocol_version, user_agent, toolset,
                                                status, code, flaw, note)
                    SELECT home.tenant_id, r.id, r.place, r.holder, r.user_id, r.key_id, r.proven, r.source, r.at, r.times, r.era, r.method,
                           r.client_name, r.client_version, r.protocol_version, r.user_agent, r.toolset, r.status, r.code,
                           r.flaw, r.note
                      FROM tenant_plan home CROSS JOIN r
                     WHERE home.tenant_id = :tenant
                       AND (NOT r.again
                            OR (SELECT e.flaw IS NULL FROM handshake e
                                 WHERE e.tenant_id = :tenant AND e.holder = r.holder AND e.source = r.source
                                   AND e.at > r.at - CAST(:while AS interval)
                                 ORDER BY e.at DESC
                                 LIMIT 1) IS NOT TRUE)
                     ORDER BY r.id
                    ON CONFLICT (tenant_id, id) DO UPDATE
                       SET at = greatest(h.at, excluded.at), times = h.times + excluded.times
                    RETURNING h.holder, h.id),
                signal AS (
                    SELECT CAST(announce(:tenant, jsonb_agg(jsonb_build_object('topic', 'handshakes', 'action', 'met', 'thing', id)))
                                AS text)
                      FROM written
                    HAVING count(*) > 0)
                SELECT DISTINCT holder FROM written WHERE (SELECT count(*) FROM signal) > 0
                """)
                .set("tenant", tenant)
                .set("keys", distinct(batch, Holder::key))
                .set("users", distinct(batch, holder -> holder.key() == null ? holder.user() : null))
                .set("rows", Json.text(rows))
                .set("while", HandshakeNote.WHILE.toString())
                .list(row -> row.text("holder"));
    }

    private static <T> List<T> distinct(List<Noted> batch, Function<Holder, @Nullable T> part) {
        return batch.stream()
                .map(noted -> part.apply(noted.holder()))
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }

    private static Map<String, @Nullable Object> row(Noted noted) {
        var note = noted.note();
        var client = note.client().readable();
        var refusal = note.refusal();
        var row = new LinkedHashMap<String, @Nullable Object>();
        row.put("user", noted.holder().user());
        row.put("key_id", noted.holder().key());
        row.put("proven", noted.holder().isProven());
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

    private void prune(long tenant, List<String> holders) {
        db.sql("""
                DELETE FROM handshake
                 WHERE tenant_id = :tenant
                   AND id IN (SELECT id
                                FROM (SELECT id, proven,
                                             row_number() OVER (PARTITION BY holder, proven ORDER BY at DESC, place DESC) AS newer
                                        FROM handshake
                                       WHERE tenant_id = :tenant AND holder = ANY(CAST(:holders AS text[]))) h
                               WHERE newer > CASE WHEN proven THEN :latest ELSE :unproven END)
                """)
                .set("tenant", tenant)
                .set("holders", holders)
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
