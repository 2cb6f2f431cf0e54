package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.changes.ChangeStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.workspace.messages.NoticeStore;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Renews the leases of tasks and reservations while their holders work, and reminds holders five minutes before a lease ends. Leases
 * end by the clock of the database.
 */
public final class LeaseStore {
    private static final int PORTION = 50;

    /** A lease is written at most once a minute; a short one each quarter of it. */
    private static final String RENEW = """
            WITH renewed AS (
                UPDATE task
                   SET lease_until = date_trunc('milliseconds', clock_timestamp()) + lease, reminded = false
                 WHERE tenant_id = :tenant AND holder_id = :holder AND lease_until > clock_timestamp()
                   AND lease_until < clock_timestamp() + lease - least(INTERVAL '1 minute', lease / 4))
            UPDATE reservation
               SET lease_until = date_trunc('milliseconds', clock_timestamp()) + lease, reminded = false
             WHERE tenant_id = :tenant AND holder_id = :holder AND lease_until > clock_timestamp()
               AND lease_until < clock_timestamp() + lease - least(INTERVAL '1 minute', lease / 4)
            """;

    private static final String REMIND_OF_TASKS = """
            WITH soon AS (
                SELECT tenant_id, id FROM task
                 WHERE holder_id IS NOT NULL AND NOT reminded AND lease > INTERVAL '5 minutes'
                   AND lease_until > statement_timestamp() AND lease_until <= statement_timestamp() + INTERVAL '5 minutes'
                 ORDER BY lease_until
                 LIMIT :portion
                   FOR NO KEY UPDATE SKIP LOCKED),
            t AS (
                UPDATE task t SET reminded = true FROM soon
                 WHERE t.tenant_id = soon.tenant_id AND t.id = soon.id
             RETURNING t.tenant_id, t.domain_id, t.holder_id, t.lease_until, t.creator_id, t.title)
            SELECT t.tenant_id, t.holder_id, t.lease_until, d.name AS domain, 1 AS count, t.title AS subject,
                   CASE WHEN d.owner_id = t.holder_id THEN t.creator_id ELSE d.owner_id END AS speaker_id
              FROM t JOIN domain d ON d.tenant_id = t.tenant_id AND d.id = t.domain_id
            """;

    private static final String REMIND_OF_RESERVATIONS = """
            WITH soon AS (
                SELECT tenant_id, id FROM reservation
                 WHERE NOT reminded AND lease > INTERVAL '5 minutes'
                   AND lease_until > statement_timestamp() AND lease_until <= statement_timestamp() + INTERVAL '5 minutes'
                 ORDER BY lease_until
                 LIMIT :portion
                   FOR NO KEY UPDATE SKIP LOCKED),
            r AS (
                UPDATE reservation r SET reminded = true FROM soon
                 WHERE r.tenant_id = soon.tenant_id AND r.id = soon.id
             RETURNING r.tenant_id, r.domain_id, r.holder_id, r.lease_until, r.path)
            SELECT r.tenant_id, r.holder_id, min(r.lease_until) AS lease_until, d.name AS domain, count(*) AS count,
                   min(r.path) AS subject, d.owner_id AS speaker_id
              FROM r JOIN domain d ON d.tenant_id = r.tenant_id AND d.id = r.domain_id
             GROUP BY r.tenant_id, r.holder_id, d.id, d.name, d.owner_id
            """;

    private final Db db;
    private final Clock clock;
    private final NoticeStore notices;
    private final ChangeStore changes;

    public LeaseStore(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
        this.notices = new NoticeStore(db);
        this.changes = new ChangeStore(db);
    }

    /** Renews what a party holds, each for as long as its lease was. */
    public void renew(long tenant, long holder) {
        db.transaction(() -> db.sql(RENEW)
                .quiet()
                .set("tenant", tenant)
                .set("holder", holder)
                .run());
    }

    private record Ending(
            long tenant, long holder, long speaker, String domain, String subject, long count, Instant at) {
        String task() {
            return "The lease of your task '%s' in the domain '%s' ends at %s: TK_Update with its fence and lease_seconds extends it"
                    .formatted(subject, domain, at);
        }

        String reservation() {
            return "Your reservation of %s%s in the domain '%s' ends at %s: TK_Reserve with the same paths extends it"
                    .formatted(subject, count > 1 ? " and %d more".formatted(count - 1) : "", domain, at);
        }
    }

    /** Reminds the holders of leases that end within five minutes. */
    public void remind() {
        remind(REMIND_OF_TASKS, Ending::task);
        remind(REMIND_OF_RESERVATIONS, Ending::reservation);
    }

    private void remind(String statement, Function<Ending, String> text) {
        var at = clock.instant();
        db.transaction(() -> {
            var ending = db.sql(statement)
                    .quiet()
                    .set("portion", PORTION)
                    .list(row -> new Ending(
                            row.number("tenant_id"),
                            row.number("holder_id"),
                            row.number("speaker_id"),
                            row.text("domain"),
                            row.text("subject"),
                            row.number("count"),
                            Objects.requireNonNull(row.instantOrNull("lease_until"))));
            for (var one : ending) {
                notices.direct(one.tenant(), one.speaker(), one.holder(), text.apply(one), at)
                        .ifPresent(change -> changes.write(one.tenant(), List.of(change)));
            }
            return ending.size();
        });
    }
}
