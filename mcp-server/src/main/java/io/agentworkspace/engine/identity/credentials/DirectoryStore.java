package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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

    private final Db db;

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
}
