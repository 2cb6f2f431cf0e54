package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The directory of tenants: it says which one a credential or a code belongs to. Whoever stores one adds its entry in the same
 * round trip. An entry grants nothing, so one that outlives its credential does no harm.
 */
public final class DirectoryStore {
    private static final String ENTRY = """
            INSERT INTO directory (kind, id, tenant_id) VALUES ({kind}, :id, :tenant);
            """;

    private static final String STORED_KEY = """
            INSERT INTO directory (kind, id, tenant_id)
            SELECT 'key', k.id, k.tenant_id FROM api_key k WHERE k.tenant_id = :tenant AND k.id = :id
            RETURNING id
            """;

    private static final String EXPIRING_ENTRY = """
            INSERT INTO directory AS d (kind, id, tenant_id, expires_at)
            VALUES ({kind}, :entry, :tenant, CAST(:expires AS timestamptz))
            ON CONFLICT (kind, id) DO UPDATE SET expires_at = excluded.expires_at
             WHERE d.tenant_id = excluded.tenant_id AND d.expires_at < excluded.expires_at;
            """;

    private static final String EXPIRED = Db.oldRows("directory", "kind, id", "expires_at <= :until");

    private static final String NEXT_KEYS = """
            SELECT id, tenant_id FROM directory WHERE kind = 'key' AND id > :after ORDER BY id LIMIT :portion
            """;

    /** A plain read of many tenants. */
    private static final String EXISTING = """
            SELECT k.id FROM api_key k WHERE k.tenant_id = ANY(CAST(:tenants AS bigint[])) AND k.id = ANY(CAST(:ids AS text[]))
            """;

    private static final String GONE = "DELETE FROM directory WHERE kind = 'key' AND id = ANY(CAST(:ids AS text[]))";

    private static final int PORTION = 1_000;

    /** Of a round: as many keys as replicas can make meanwhile. */
    private static final int PORTIONS = 20;

    /** How long an entry stays after its end: longer than a used code, whose second use is noticed for a day. */
    private static final Duration KEPT = Duration.ofDays(2);

    private final Db db;

    /** Replicas begin at different ids, and a new one not where all began before. */
    private volatile String swept = ApiKey.generate(new SecureRandom()).id();

    /** When the key of an entry was first missing: an entry can be visible shortly before its key, which is on another server. */
    private final Map<String, Instant> missing = new ConcurrentHashMap<>();

    public DirectoryStore(Db db) {
        this.db = db;
    }

    /** What an entry is for. */
    public enum Kind {
        KEY,
        SESSION,
        TOKEN,
        INVITATION,
        SECRET;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static String with(Kind kind, String text) {
        return SqlTemplate.of(text).with("kind", "'" + kind.word() + "'").sql();
    }

    /** Returns the statement that adds an entry for {@code :id} of {@code :tenant}, to be sent before another one. */
    public static String entryOf(Kind kind) {
        return with(kind, ENTRY);
    }

    /** Returns the statement that adds {@code :entry} of {@code :tenant} until {@code :expires}. An existing one is kept longer. */
    public static String expiringEntryOf(Kind kind) {
        return with(kind, EXPIRING_ENTRY);
    }

    /** Returns the statement that adds an entry for {@code :id} of {@code :tenant} if that key was stored, and returns the id. */
    public static String entryOfStoredKey() {
        return STORED_KEY;
    }

    /** Returns the id of an entry that is found by a hash. */
    public static String id(byte[] hash) {
        return HexFormat.of().formatHex(hash);
    }

    /** Returns the tenant of an entry. */
    public Optional<Long> find(Kind kind, String id) {
        return db.sql("SELECT tenant_id FROM directory WHERE kind = :kind AND id = :id")
                .set("kind", kind.word())
                .set("id", id)
                .one(row -> row.number("tenant_id"));
    }

    /** Returns the tenant of an entry, or one that does not exist, so that a look-up takes the same time for every id. */
    public long tenantOrNone(Kind kind, String id) {
        return find(kind, id).orElse(0L);
    }

    /** Returns the tenants of the entries that exist. */
    public Map<String, Long> find(Kind kind, Collection<String> ids) {
        return db
                .sql("SELECT id, tenant_id FROM directory WHERE kind = :kind AND id = ANY(CAST(:ids AS text[]))")
                .set("kind", kind.word())
                .set("ids", ids)
                .list(row -> Map.entry(row.text("id"), row.number("tenant_id")))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Deletes the entries that expired a while ago, and those of keys that no longer exist, of some thousand keys in a round. */
    public void purge(Instant now) {
        db.deleteOld(EXPIRED, now.minus(KEPT));
        missing.values().removeIf(at -> at.isBefore(now.minus(KEPT)));
        var ends = 0;
        for (var portion = 0; portion < PORTIONS && ends < 2; portion++) {
            swept = sweep(swept, now);
            ends += swept.isEmpty() ? 1 : 0;
        }
    }

    private record Entry(String id, long tenant) {}

    /**
     * Deletes the entries of keys that no longer exist, and did not in an earlier round, among the next ones in the order of ids.
     *
     * @return the last id that was looked at, or an empty one at the end
     */
    private String sweep(String after, Instant now) {
        var next = db.sql(NEXT_KEYS)
                .set("after", after)
                .set("portion", PORTION)
                .list(row -> new Entry(row.text("id"), row.number("tenant_id")));
        if (next.isEmpty()) {
            return "";
        }
        var gone = new HashSet<>(next.stream().map(Entry::id).toList());
        db.sql(EXISTING)
                .set("tenants", next.stream().map(Entry::tenant).distinct().toList())
                .set("ids", List.copyOf(gone))
                .list(row -> row.text("id"))
                .forEach(gone::remove);
        gone.removeIf(id -> !missing.computeIfAbsent(id, _ -> now).isBefore(now));
        if (!gone.isEmpty()) {
            db.sql(GONE).set("ids", gone).run();
        }
        return next.getLast().id();
    }
}
