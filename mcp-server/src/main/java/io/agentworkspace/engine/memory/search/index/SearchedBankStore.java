package io.agentworkspace.engine.memory.search.index;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

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
        var byTenant = banks.stream().collect(Collectors.groupingBy(SearchedBank::tenant));
        TenantTurns.take(byTenant.keySet(), tenant -> {
            record(tenant, Objects.requireNonNull(byTenant.get(tenant)), now);
            return false;
        });
    }

    private void record(long tenant, List<SearchedBank> banks, Instant now) {
        db.sql("""
                INSERT INTO bank_search AS latest (tenant_id, bank_id, searched_at)
                SELECT b.tenant_id, b.id, :now
                  FROM bank b
                 WHERE b.tenant_id = :tenant AND b.id = ANY(CAST(:banks AS bigint[]))
                 ORDER BY b.id
                ON CONFLICT (tenant_id, bank_id) DO UPDATE
                   SET searched_at = excluded.searched_at
                 WHERE excluded.searched_at - latest.searched_at > interval '1 hour'
                """)
                .set("tenant", tenant)
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
