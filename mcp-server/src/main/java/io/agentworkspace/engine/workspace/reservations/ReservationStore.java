package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.kernel.changes.ChangeStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.reservations.PathForm.Letters;
import io.agentworkspace.engine.workspace.reservations.PathNoticeStore.Gone;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reservations of paths in a domain. All of a call's paths are reserved, or none. A lease ends by the clock of the database. */
public final class ReservationStore {
    /** The maximum number of reservations of a domain at a time. */
    private static final int MAX_OPEN = 2_000;

    private static final int PORTION = 50;

    /** How many paths of others a refusal has. */
    private static final int MAX_NAMED = 50;

    /** How many steps it may take to compare the paths of a call with those of others: some tenths of a second. */
    private static final long MOST_STEPS = 20_000_000;

    /** How many it may take while the domain is locked: about a millisecond. */
    private static final long FEW_STEPS = 100_000;

    /** How many are told that a path is free. The others read it in the zone. */
    private static final int MAX_REFUSED = 100;

    /** Only one transaction at a time reserves paths of a domain. */
    private static final String LOCK =
            "SELECT 1 AS one FROM domain WHERE tenant_id = :tenant AND id = :domain FOR NO KEY UPDATE";

    private static final String READ_OTHERS = SqlTemplate.of("""
            SELECT r.id, {record} AS record
              FROM reservation r
              JOIN domain d ON d.tenant_id = r.tenant_id AND d.id = r.domain_id
             WHERE r.tenant_id = :tenant AND r.domain_id = :domain AND r.holder_id <> :me AND {not_of_parent}
               AND r.lease_until > statement_timestamp()
               AND (NOT d.separate_worktrees OR r.worktree = :worktree OR r.worktree = '' OR :worktree = '')
               AND (r.repository = :repository OR r.repository = '' OR :repository = '')
             ORDER BY r.path, r.id
            """)
            .with("record", ReservationRow.RECORD)
            .with("not_of_parent", notOfParent(":me"))
            .sql();

    /** A sub-agent works on what its parent holds. What a sub-agent holds, its parent leaves alone. */
    private static String notOfParent(String agent) {
        return SqlTemplate.of("""
                r.holder_id IS DISTINCT FROM (SELECT x.parent_id FROM agent x WHERE x.tenant_id = :tenant AND x.id = {agent})
                """).with("agent", agent).sql();
    }

    private static final String INSERT = """
            WITH p AS MATERIALIZED (SELECT path, gen_random_uuid() AS id FROM unnest(CAST(:paths AS text[])) path),
            made AS (
            INSERT INTO reservation (tenant_id, id, domain_id, repository, worktree, path, holder_id, reason, lease_until, created_at,
                                     lease)
            SELECT home.tenant_id, p.id, :domain, :repository, :worktree, p.path, :me, CAST(:reason AS text),
                   date_trunc('milliseconds', statement_timestamp()) + CAST(:lease AS interval), :now, CAST(:lease AS interval)
              FROM tenant_plan home CROSS JOIN p
             WHERE home.tenant_id = :tenant
            ON CONFLICT (tenant_id, domain_id, holder_id, repository, worktree, path) DO UPDATE
               SET lease_until = greatest(reservation.lease_until, excluded.lease_until), reason = COALESCE(excluded.reason, reservation.reason),
                   lease = excluded.lease, reminded = false
            RETURNING path, xmax = 0 AS fresh)
            SELECT path, fresh FROM made
            """;

    private static final String READ_OWN =
            SqlTemplate.of("""
            SELECT {record} AS record
              FROM reservation r
             WHERE r.tenant_id = :tenant AND r.domain_id = :domain AND r.holder_id = :me
               AND r.lease_until > statement_timestamp()
             ORDER BY r.repository, r.worktree, r.path
            """).with("record", ReservationRow.RECORD).sql();

    private static final String DELETE = """
            WITH r AS (
                DELETE FROM reservation r
                 WHERE r.tenant_id = :tenant AND r.domain_id = :domain AND r.holder_id = :me
                   AND (CAST(:repository AS text) IS NULL OR r.repository = :repository)
                   AND (CAST(:worktree AS text) IS NULL OR r.worktree = :worktree)
                   AND (CAST(:paths AS text[]) IS NULL OR r.path = ANY(CAST(:paths AS text[])))
                RETURNING r.*)
            SELECT r.tenant_id, r.domain_id, r.holder_id, r.path, r.lease_until > statement_timestamp() AS in_force, r.refused FROM r
            """;

    private static final String TENANTS_WITH_ENDED =
            "SELECT DISTINCT tenant_id FROM reservation WHERE lease_until <= statement_timestamp()";

    private static final String END = """
            DELETE FROM reservation r
             USING (SELECT id FROM reservation
                     WHERE tenant_id = :tenant AND lease_until <= statement_timestamp()
                     ORDER BY lease_until LIMIT :portion FOR UPDATE SKIP LOCKED) old
             WHERE r.tenant_id = :tenant AND r.id = old.id
            RETURNING r.tenant_id, r.domain_id, r.holder_id, r.path, false AS in_force, r.refused
            """;

    /** Notes whom reservations kept from something. */
    private static final String REFUSE =
            SqlTemplate.of("""
            UPDATE reservation
               SET refused = array_append(refused, :party)
             WHERE tenant_id = :tenant AND id = ANY(CAST(:ids AS uuid[]))
               AND NOT refused @> ARRAY[CAST(:party AS bigint)] AND cardinality(refused) < {most}
            """).with("most", MAX_REFUSED).sql();

    private final Db db;
    private final PathNoticeStore notices;

    public ReservationStore(Db db) {
        this.db = db;
        this.notices = new PathNoticeStore(db);
    }

    /** A reservation of somebody else. */
    private record Other(String id, Reservation reservation) {}

    /** Paths of a repository of a domain; the repository is empty if the domain has only one, and the worktree for all of them. */
    record ReservationRequest(
            long domain,
            String repository,
            String worktree,
            List<Glob> paths,
            @Nullable String reason,
            long seconds) {}

    /**
     * Reserves all paths, tells the domain which are new, and returns all that the speaker then holds in the domain. What it
     * already holds is extended.
     *
     * @param free the reservations of others that were compared before the transaction
     * @throws Problem {@code conflict} if somebody else holds a path that overlaps; then none is reserved
     */
    List<Reservation> reserve(Call call, ReservationRequest request, Set<String> free) {
        db.sql(call, LOCK).set("domain", request.domain()).one(_ -> true);
        var all = others(call, request);
        requireFree(
                call,
                request,
                all.stream().filter(other -> !free.contains(other.id())).toList(),
                new StepAllowance(FEW_STEPS, ReservationStore::changedMeanwhile));
        var others = all.size();
        var fresh = db
                .sql(call, INSERT)
                .set("domain", request.domain())
                .set("repository", request.repository())
                .set("worktree", request.worktree())
                .set(
                        "paths",
                        request.paths().stream().map(Glob::text).distinct().toList())
                .set("me", me(call))
                .set("reason", request.reason())
                .set("lease", request.seconds() + " seconds")
                .list(row -> row.flag("fresh") ? List.of(row.text("path")) : List.<String>of())
                .stream()
                .flatMap(List::stream)
                .toList();
        call.changed(List.of());
        var own = own(call, request.domain());
        if (others + own.size() > MAX_OPEN) {
            throw Problem.conflict(
                    "a domain has at most %,d reserved paths, and this would make more: release some with TK_Release"
                            .formatted(MAX_OPEN));
        }
        notices.reserved(call, request.domain(), fresh, request.reason()).ifPresent(call::changed);
        return own;
    }

    /**
     * Compares the paths with the reservations of others. Call this outside of a transaction: others decide how much there is to
     * compare.
     *
     * @return the ids of the reservations that none of the paths overlaps with
     * @throws Problem {@code conflict} if one of them overlaps, {@code invalid_field} if they take too long to compare
     */
    Set<String> requireFree(Call call, ReservationRequest request) {
        var others = others(call, request);
        requireFree(call, request, others, new StepAllowance(MOST_STEPS, ReservationStore::tooComplicated));
        return others.stream().map(Other::id).collect(Collectors.toSet());
    }

    private static Problem tooComplicated() {
        return Problem.invalid(
                "paths",
                "take too long to compare with the paths that others have reserved; give fewer, or simpler ones without braces, such as src/api/**");
    }

    private static Problem changedMeanwhile() {
        return Problem.unavailable(
                "others reserved paths at the same time, so nothing was reserved; send it again", Duration.ZERO);
    }

    private List<Other> others(Call call, ReservationRequest request) {
        return db.sql(call, READ_OTHERS)
                .set("domain", request.domain())
                .set("me", me(call))
                .set("repository", request.repository())
                .set("worktree", request.worktree())
                .list(row -> new Other(row.text("id"), Objects.requireNonNull(row.json("record", Reservation.class))));
    }

    private void requireFree(Call call, ReservationRequest request, List<Other> others, StepAllowance allowance) {
        var conflicts = others.stream()
                .filter(other -> {
                    var taken = Glob.stored(other.reservation().path());
                    return request.paths().stream().anyMatch(path -> path.overlaps(taken, allowance));
                })
                .toList();
        if (conflicts.isEmpty()) {
            return;
        }
        var ids = conflicts.stream().map(Other::id).toList();
        var me = me(call);
        call.whenRefused(() -> refuse(call.caller().tenant(), me, ids));
        var taken = conflicts.stream().map(Other::reservation).toList();
        var first = taken.getFirst();
        var paths = taken.stream()
                .filter(other -> other.holder().equals(first.holder()))
                .map(Reservation::path)
                .toList();
        var refusal = Problem.conflict(
                        "'%s' works on %s until %s%s: nothing was reserved; wait with AP_Wait, ask with AP_Chat, or reserve other paths"
                                .formatted(
                                        first.holder(),
                                        PathNoticeStore.named(paths),
                                        first.leaseUntil(),
                                        first.reason() == null ? "" : " (%s)".formatted(first.reason())))
                .with("holder", first.holder())
                .with("paths", paths.subList(0, Math.min(MAX_NAMED, paths.size())))
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
    List<String> release(
            Call call,
            long domain,
            @Nullable String repository,
            @Nullable String worktree,
            @Nullable List<String> paths) {
        var gone = db.sql(call, DELETE)
                .set("domain", domain)
                .set("me", me(call))
                .set("repository", repository)
                .set("worktree", worktree)
                .set("paths", paths)
                .list(ReservationStore::gone);
        call.changed(List.of());
        notices.announce(gone, "", call.now()).forEach(call::changed);
        return gone.stream().filter(Gone::active).map(Gone::path).sorted().toList();
    }

    private static Gone gone(Row row) throws SQLException {
        return new Gone(
                row.number("tenant_id"),
                row.number("domain_id"),
                row.number("holder_id"),
                row.text("path"),
                row.flag("in_force"),
                row.numbers("refused"));
    }

    /** Deletes reservations whose lease has ended, and tells their domains. */
    public void end(Clock clock) {
        TenantTurns.take(
                db.sql(TENANTS_WITH_ENDED).list(row -> row.number("tenant_id")),
                tenant -> endSome(tenant, clock.instant()) == PORTION);
    }

    private record Place(long domain, long holder) {}

    private int endSome(long tenant, Instant at) {
        return db.transaction(() -> {
            var ended = db.sql(END)
                    .quiet()
                    .set("tenant", tenant)
                    .set("portion", PORTION)
                    .list(ReservationStore::gone);
            var places = ended.stream()
                    .collect(Collectors.groupingBy(
                            one -> new Place(one.domain(), one.holder()), LinkedHashMap::new, Collectors.toList()));
            places.values()
                    .forEach(gone ->
                            new ChangeStore(db).write(tenant, notices.announce(gone, " (the lease has ended)", at)));
            return ended.size();
        });
    }

    /** Notes whom these reservations kept from something: it is told when they end. */
    private void refuse(long tenant, long party, List<String> ids) {
        db.transaction(() -> db.sql(REFUSE)
                .quiet()
                .set("tenant", tenant)
                .set("party", party)
                .set("ids", ids)
                .run());
    }

    private static final String READ_TAKEN = SqlTemplate.of("""
            SELECT r.id, {record} AS record, d.name AS domain,
                   CASE WHEN d.separate_worktrees THEN r.worktree ELSE '' END AS worktree
              FROM membership m
              JOIN reservation r ON r.tenant_id = m.tenant_id AND r.domain_id = m.domain_id
              JOIN domain d ON d.tenant_id = m.tenant_id AND d.id = m.domain_id
             WHERE m.tenant_id = :tenant AND m.agent_id = :agent AND m.state = 'member'
               AND r.holder_id <> :agent AND {not_of_parent}
               AND r.holder_id IS DISTINCT FROM (
                   SELECT x.id FROM agent x JOIN agent p ON p.tenant_id = x.tenant_id AND p.id = x.parent_id
                    WHERE x.tenant_id = :tenant AND x.parent_id = :agent AND x.destroyed_at IS NULL
                      AND x.name_key = p.name_key || '/' || CAST(:sub_agent AS text))
               AND r.lease_until > statement_timestamp()
             ORDER BY r.lease_until DESC, r.id
             LIMIT {most}
            """)
            .with("record", ReservationRow.RECORD)
            .with("most", MAX_OPEN)
            .with("not_of_parent", notOfParent(":agent"))
            .sql();

    /**
     * A reservation of somebody else in a domain of an agent.
     *
     * @param worktree the only git worktree that it is valid in; empty for all of them
     */
    public record Taken(String id, Reservation reservation, String domain, String worktree) {
        /** Returns whether it is valid in a git worktree; an empty name is unknown. */
        public boolean isIn(String name) {
            return worktree.isEmpty() || name.isEmpty() || worktree.equals(name);
        }
    }

    /**
     * Returns the reservations of others in the domains of the agent.
     *
     * @param subAgent the own name of the sub-agent that works; empty if the agent itself does
     */
    public List<Taken> taken(long tenant, long agent, String subAgent) {
        return db.sql(READ_TAKEN)
                .quiet()
                .set("tenant", tenant)
                .set("agent", agent)
                .set("sub_agent", Name.key(subAgent))
                .list(row -> new Taken(
                        row.text("id"),
                        Objects.requireNonNull(row.json("record", Reservation.class)),
                        row.text("domain"),
                        row.text("worktree")));
    }

    /** Returns a reservation of one of the paths. Those that are easily compared come first, since the others may use up the steps. */
    public static Optional<Taken> findTaken(
            List<Taken> all, List<EditedPath> paths, Letters letters, StepAllowance allowance) {
        var byComplexity =
                new TreeMap<Integer, List<Taken>>(); // Each is counted once, and not in every comparison of a sort.
        for (var taken : all) {
            var complexity = Glob.complexity(taken.reservation().path());
            byComplexity.computeIfAbsent(complexity, _ -> new ArrayList<>()).add(taken);
        }
        return byComplexity.values().stream()
                .flatMap(List::stream)
                .filter(taken -> {
                    var reserved = new EditedPath.Reserved(taken.reservation().path());
                    return paths.stream()
                            .anyMatch(
                                    path -> taken.isIn(path.worktree()) && path.concerns(reserved, letters, allowance));
                })
                .findFirst();
    }

    /** Notes that an agent was refused an edit: it is told when the path is free. */
    public void refuse(long tenant, long agent, Taken taken) {
        refuse(tenant, agent, List.of(taken.id()));
    }
}
