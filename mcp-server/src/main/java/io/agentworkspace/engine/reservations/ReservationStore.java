package io.agentworkspace.engine.reservations;

import io.agentworkspace.engine.changes.ChangeStore;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.messages.NoticeStore;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.task.Reservation;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.tasks.ReservationRow;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reservations of paths in a domain. All of a call's paths are reserved, or none. A lease ends by the clock of the database. */
public final class ReservationStore {
    /** The maximum number of reservations of a domain at a time. */
    private static final int MAX_OPEN = 2_000;

    private static final int PORTION = 50;

    /** Only one transaction at a time reserves paths of a domain. */
    private static final String LOCK =
            "SELECT 1 AS one FROM domain WHERE tenant_id = :tenant AND id = :domain FOR NO KEY UPDATE";

    private static final String READ_OTHERS =
            SqlTemplate.of("""
            SELECT {record} AS record
              FROM reservation r
             WHERE r.tenant_id = :tenant AND r.domain_id = :domain AND r.holder_id <> :me
               AND r.lease_until > clock_timestamp()
               AND (r.repository = :repository OR r.repository = '' OR :repository = '')
             ORDER BY r.path, r.id
            """).with("record", ReservationRow.RECORD).sql();

    private static final String INSERT = """
            INSERT INTO reservation (tenant_id, id, domain_id, repository, path, holder_id, reason, lease_until, created_at)
            SELECT :tenant, gen_random_uuid(), :domain, :repository, p, :me, CAST(:reason AS text),
                   date_trunc('milliseconds', clock_timestamp()) + CAST(:lease AS interval), :now
              FROM unnest(CAST(:paths AS text[])) p
            ON CONFLICT (tenant_id, domain_id, holder_id, repository, path) DO UPDATE
               SET lease_until = greatest(reservation.lease_until, excluded.lease_until), reason = COALESCE(excluded.reason, reservation.reason)
            """;

    private static final String READ_OWN =
            SqlTemplate.of("""
            SELECT {record} AS record
              FROM reservation r
             WHERE r.tenant_id = :tenant AND r.domain_id = :domain AND r.holder_id = :me
               AND r.lease_until > clock_timestamp()
             ORDER BY r.repository, r.path
            """).with("record", ReservationRow.RECORD).sql();

    private static final String DELETE = """
            DELETE FROM reservation r
             WHERE r.tenant_id = :tenant AND r.domain_id = :domain AND r.holder_id = :me
               AND (CAST(:repository AS text) IS NULL OR r.repository = :repository)
               AND (CAST(:paths AS text[]) IS NULL OR r.path = ANY(CAST(:paths AS text[])))
            RETURNING r.path, r.lease_until > clock_timestamp() AS held
            """;

    /** Deletes those that have ended, and returns what to say of it, and who says it. */
    private static final String END = """
            WITH gone AS (
                DELETE FROM reservation r
                 USING (SELECT tenant_id, id FROM reservation
                         WHERE lease_until <= statement_timestamp()
                         ORDER BY lease_until LIMIT :portion FOR UPDATE SKIP LOCKED) old
                 WHERE r.tenant_id = old.tenant_id AND r.id = old.id
             RETURNING r.tenant_id, r.domain_id, r.holder_id, r.path)
            SELECT gone.tenant_id, gone.domain_id, gone.holder_id, string_agg(gone.path, ', ' ORDER BY gone.path) AS paths,
                   count(*) AS n
              FROM gone
             GROUP BY gone.tenant_id, gone.domain_id, gone.holder_id
             ORDER BY gone.tenant_id, gone.domain_id, gone.holder_id
            """;

    private final Db db;
    private final NoticeStore notices;

    public ReservationStore(Db db) {
        this.db = db;
        this.notices = new NoticeStore(db);
    }

    /** Paths of a repository of a domain; the repository is empty if the domain has only one. */
    record Wanted(
            long domain,
            String repository,
            List<Glob> paths,
            @Nullable String reason,
            long seconds) {}

    /**
     * Reserves all paths, and returns all that the speaker then holds in the domain. What it already holds is extended.
     *
     * @throws Problem {@code conflict} if somebody else holds a path that overlaps; then none is reserved
     */
    List<Reservation> reserve(Call call, Wanted wanted) {
        db.sql(call, LOCK).set("domain", wanted.domain()).one(_ -> true);
        var others = db.sql(call, READ_OTHERS)
                .set("domain", wanted.domain())
                .set("me", me(call))
                .set("repository", wanted.repository())
                .list(row -> Objects.requireNonNull(row.json("record", Reservation.class)));
        if (others.size() >= MAX_OPEN) {
            throw Problem.conflict(
                    "%,d paths of the domain are reserved, which is the maximum: release some with TK_Release"
                            .formatted(MAX_OPEN));
        }
        requireFree(wanted, others);
        db.sql(call, INSERT)
                .set("domain", wanted.domain())
                .set("repository", wanted.repository())
                .set("paths", wanted.paths().stream().map(Glob::text).distinct().toList())
                .set("me", me(call))
                .set("reason", wanted.reason())
                .set("lease", wanted.seconds() + " seconds")
                .run();
        call.changed(List.of());
        return own(call, wanted.domain());
    }

    private static void requireFree(Wanted wanted, List<Reservation> others) {
        var taken = others.stream()
                .filter(other -> wanted.paths().stream().anyMatch(Glob.of("path", other.path())::overlaps))
                .toList();
        if (taken.isEmpty()) {
            return;
        }
        var first = taken.getFirst();
        var paths = taken.stream()
                .filter(other -> other.holder().equals(first.holder()))
                .map(Reservation::path)
                .toList();
        var refusal = Problem.conflict(
                        "'%s' works on %s until %s%s: nothing was reserved; wait with AP_Wait, ask with AP_Chat, or reserve other paths"
                                .formatted(
                                        first.holder(),
                                        String.join(", ", paths),
                                        first.leaseUntil(),
                                        first.reason() == null ? "" : " (%s)".formatted(first.reason())))
                .with("holder", first.holder())
                .with("paths", paths)
                .with("until", first.leaseUntil());
        throw first.reason() == null ? refusal : refusal.with("reason", first.reason());
    }

    /** Returns what the speaker holds in the domain. */
    List<Reservation> own(Call call, long domain) {
        return db.sql(call, READ_OWN)
                .set("domain", domain)
                .set("me", me(call))
                .list(row -> Objects.requireNonNull(row.json("record", Reservation.class)));
    }

    private static long me(Call call) {
        return call.context().speaker().id();
    }

    /** Ends reservations of the speaker, and tells the domain. Returns the paths. */
    List<String> release(Call call, long domain, @Nullable String repository, @Nullable List<String> paths) {
        record Released(String path, boolean held) {}
        var released = db
                .sql(call, DELETE)
                .set("domain", domain)
                .set("me", me(call))
                .set("repository", repository)
                .set("paths", paths)
                .list(row -> new Released(row.text("path"), row.flag("held")))
                .stream()
                .filter(Released::held)
                .map(Released::path)
                .sorted()
                .toList();
        call.changed(List.of());
        if (!released.isEmpty()) {
            notices.inMain(call.caller().tenant(), domain, me(call), line(released.size(), released), call.now())
                    .ifPresent(call::changed);
        }
        return released;
    }

    private static String line(long count, List<String> paths) {
        var shown = String.join(", ", paths.subList(0, Math.min(10, paths.size())));
        return "Free again: %s%s".formatted(shown, count > 10 ? ", … (%d paths)".formatted(count) : "");
    }

    private record Ended(long tenant, long domain, long holder, String paths, long count) {}

    /** Deletes reservations whose lease has ended, and tells their domains. */
    public void end(Clock clock) {
        List<Ended> ended;
        do {
            ended = endSome(clock.instant());
        } while (ended.stream().mapToLong(Ended::count).sum() == PORTION);
    }

    private List<Ended> endSome(Instant at) {
        return db.transaction(() -> {
            var ended = db.sql(END)
                    .quiet()
                    .set("portion", PORTION)
                    .list(row -> new Ended(
                            row.number("tenant_id"),
                            row.number("domain_id"),
                            row.number("holder_id"),
                            row.text("paths"),
                            row.number("n")));
            for (var one : ended) {
                var text = line(one.count(), List.of(one.paths().split(", ")));
                notices.inMain(one.tenant(), one.domain(), one.holder(), text + " (the lease has ended)", at)
                        .ifPresent(told -> new ChangeStore(db).write(one.tenant(), List.of(told)));
            }
            return ended;
        });
    }

    private static final String READ_TAKEN = SqlTemplate.of("""
            SELECT {record} AS record, d.name AS domain
              FROM membership m
              JOIN reservation r ON r.tenant_id = m.tenant_id AND r.domain_id = m.domain_id
              JOIN domain d ON d.tenant_id = m.tenant_id AND d.id = m.domain_id
             WHERE m.tenant_id = :tenant AND m.agent_id = :agent AND m.state = 'member'
               AND r.holder_id <> :agent AND r.lease_until > clock_timestamp()
             ORDER BY r.lease_until DESC, r.id
             LIMIT {most}
            """)
            .with("record", ReservationRow.RECORD)
            .with("most", MAX_OPEN)
            .sql();

    /** A reservation of somebody else in a domain of an agent. */
    public record Taken(Reservation reservation, String domain) {}

    /** Returns a reservation of somebody else, in a domain of the agent, that one of the paths matches. */
    public Optional<Taken> findTaken(long tenant, long agent, List<String> paths) {
        return db
                .sql(READ_TAKEN)
                .quiet()
                .set("tenant", tenant)
                .set("agent", agent)
                .list(row ->
                        new Taken(Objects.requireNonNull(row.json("record", Reservation.class)), row.text("domain")))
                .stream()
                .filter(taken -> paths.stream()
                        .anyMatch(Glob.of("path", taken.reservation().path())::matches))
                .findFirst();
    }
}
