package io.agentworkspace.engine.memory.search.index;

import io.agentworkspace.engine.kernel.db.Db;
import java.time.Instant;
import java.util.List;

/** Which banks were searched lately, on any replica. */
public final class SearchedBankStore {
    private static final String OLD = Db.oldRows("bank_search", "tenant_id, bank_id", "searched_at < :until");

    private final Db db;

    public SearchedBankStore(Db db) {
        this.db = db;
    }

    /** A bank of a tenant. */
    public record SearchedBank(long tenant, long bank) {}

    /** Records searches. A bank's row is written at most once an hour. */
    public void record(List<SearchedBank> banks, Instant now) {
        if (banks.isEmpty()) {
            return;
        }
        db.sql("""
                INSERT INTO bank_search AS latest (tenant_id, bank_id, searched_at)
                SELECT b.tenant_id, b.id, :now
                  FROM unnest(CAST(:tenants AS bigint[]), CAST(:banks AS bigint[])) s (tenant_id, bank_id)
                  JOIN bank b ON b.tenant_id = s.tenant_id AND b.id = s.bank_id
                 ORDER BY b.tenant_id, b.id
                ON CONFLICT (tenant_id, bank_id) DO UPDATE
                   SET searched_at = excluded.searched_at
                 WHERE latest.searched_at < excluded.searched_at - interval '1 hour'
                """)
                .set("tenants", banks.stream().map(SearchedBank::tenant).toList())
                .set("banks", banks.stream().map(SearchedBank::bank).toList())
                .set("now", now)
                .run();
    }

    /** Returns the banks of all tenants that were searched since then, the latest first. */
    public List<SearchedBank> since(Instant since, int most) {
        return db.sql("""
                SELECT s.tenant_id, s.bank_id
                  FROM bank_search s
                 WHERE s.searched_at >= :since
                 ORDER BY s.searched_at DESC
                 LIMIT :most
                """).set("since", since).set("most", most).list(row -> row.as(SearchedBank.class));
    }

    void forget(Instant until) {
        db.deleteOld(OLD, until);
    }
}
