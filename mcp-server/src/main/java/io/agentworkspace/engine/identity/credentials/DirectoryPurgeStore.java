package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.kernel.db.Db;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Deletes the entries of the {@linkplain DirectoryStore directory} whose credential has gone or ended. Each replica has one. */
public final class DirectoryPurgeStore {
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

    public DirectoryPurgeStore(Db db) {
        this.db = db;
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
