package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.identity.credentials.ClientName;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.scheduling.PendingWrites;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What each key was used for, when, and by which program. It is recorded in memory and written in one statement every
 * second, so that it costs no request a round trip. Counts are added, so that those of all replicas are included. A
 * crash loses at most a second of it.
 */
public final class KeyUse {
    /** How long the use of a key is kept. */
    static final Duration KEPT = Duration.ofDays(30);

    /** The maximum number of records in memory while the database is unavailable. */
    private static final int MAX_NOTES = 100_000;

    private record UsedKey(long tenant, String id) {}

    private record Command(UsedKey key, LocalDate day, String tool) {}

    private record Count(long calls, Instant lastAt) {
        Count plus(Count other) {
            return new Count(calls + other.calls, later(lastAt, other.lastAt));
        }
    }

    /** @param previousAt when the secret from before the rotation was used, and {@code previousClient} by which program */
    private record Sight(
            Instant at,
            @Nullable String client,
            @Nullable Instant previousAt,
            @Nullable String previousClient) {
        /**
         * Merges a later sighting, whose program takes precedence. A request is often recorded twice, the second time
         * with the program's name.
         */
        Sight then(Sight next) {
            return new Sight(
                    later(at, next.at),
                    next.client == null ? client : next.client,
                    next.previousAt == null ? previousAt : next.previousAt,
                    next.previousClient == null && !isLater(next.previousAt) ? previousClient : next.previousClient);
        }

        private boolean isLater(@Nullable Instant other) {
            return other != null && previousAt != null && other.isAfter(previousAt);
        }
    }

    private final PendingWrites<Command, Count> commands = new PendingWrites<>(MAX_NOTES, Count::plus);
    private final PendingWrites<UsedKey, Sight> sights = new PendingWrites<>(MAX_NOTES, Sight::then);
    private static final String OLD_USAGE = Db.oldRows(
            "key_usage",
            "tenant_id, key_id, day, tool",
            "day < CAST(CAST(:until AS timestamptz) AT TIME ZONE 'UTC' AS date)");

    private static final String OLD_CHILDREN = Db.oldRows(
            "api_key", "tenant_id, id", "tenant_id = :tenant AND parent_id IS NOT NULL AND expires_at < :until");

    private static final String TENANTS_WITH_OLD_CHILDREN =
            "SELECT DISTINCT tenant_id FROM api_key WHERE parent_id IS NOT NULL AND expires_at < :until";

    private final Db db;
    private final Clock clock;

    public KeyUse(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    /** Records a request with this caller's key, from this program if it is known. */
    void seen(Caller caller, @Nullable String client) {
        var key = key(caller);
        if (key != null) {
            var minute = clock.instant().truncatedTo(ChronoUnit.MINUTES);
            var previous = caller.credential().outdated() ? minute : null;
            var program = ClientName.shortened(client);
            sights.add(key, new Sight(minute, program, previous, previous == null ? null : program));
        }
    }

    /** Records that the caller ran a tool that its key allows. */
    public void record(Caller caller, String tool) {
        var key = key(caller);
        if (key != null) {
            var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
            commands.add(new Command(key, today(now), tool), new Count(1, now));
        }
    }

    private static @Nullable UsedKey key(Caller caller) {
        var id = caller.credential().key();
        return id == null ? null : new UsedKey(caller.tenant(), id);
    }

    static LocalDate today(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /** Writes what was recorded since the last flush. If that fails, it is recorded again. */
    public void flush() {
        try {
            commands.flush(command -> command.key().tenant(), this::writeCommands);
        } finally {
            sights.flush(UsedKey::tenant, this::writeSights);
        }
    }

    /** The keys that still exist, in one order, so that replicas do not wait for each other in a circle. */
    private static final String LIVING = """
            (SELECT k.id FROM api_key k WHERE k.tenant_id = :tenant AND k.id = ANY(CAST(:keys AS text[])) ORDER BY k.id FOR KEY SHARE) k
            """;

    private static final String ADD_COMMANDS =
            SqlTemplate.of("""
            INSERT INTO key_usage AS u (tenant_id, key_id, day, tool, calls, last_at)
            SELECT home.tenant_id, r.key_id, r.day, r.tool, r.calls, r.last_at
              FROM tenant_plan home
             CROSS JOIN unnest(CAST(:keys AS text[]), CAST(:days AS date[]), CAST(:tools AS text[]), CAST(:calls AS bigint[]),
                          CAST(:ran_at AS timestamptz[])) r (key_id, day, tool, calls, last_at)
              JOIN {living} ON k.id = r.key_id
             WHERE home.tenant_id = :tenant
             ORDER BY r.key_id, r.day, r.tool
            ON CONFLICT (tenant_id, key_id, day, tool) DO UPDATE
               SET calls = u.calls + excluded.calls, last_at = greatest(u.last_at, excluded.last_at)
            """).with("living", LIVING).sql();

    private static final String ADD_SIGHTS =
            SqlTemplate.of("""
            INSERT INTO key_seen AS s (tenant_id, key_id, used_at, client, previous_used_at, previous_client)
            SELECT home.tenant_id, r.key_id, r.used_at, r.client, r.previous_used_at, r.previous_client
              FROM tenant_plan home
             CROSS JOIN unnest(CAST(:keys AS text[]), CAST(:seen_at AS timestamptz[]), CAST(:clients AS text[]),
                          CAST(:previous_at AS timestamptz[]), CAST(:previous_clients AS text[]))
                          r (key_id, used_at, client, previous_used_at, previous_client)
              JOIN {living} ON k.id = r.key_id
             WHERE home.tenant_id = :tenant
             ORDER BY r.key_id
            ON CONFLICT (tenant_id, key_id) DO UPDATE
               SET used_at = greatest(s.used_at, excluded.used_at),
                   client = CASE WHEN excluded.used_at >= COALESCE(s.used_at, excluded.used_at)
                                 THEN COALESCE(excluded.client, s.client) ELSE s.client END,
                   previous_used_at = greatest(s.previous_used_at, excluded.previous_used_at),
                   previous_client = CASE WHEN excluded.previous_used_at > COALESCE(s.previous_used_at, '-infinity')
                                          THEN excluded.previous_client
                                          WHEN excluded.previous_used_at = s.previous_used_at
                                          THEN COALESCE(excluded.previous_client, s.previous_client)
                                          ELSE s.previous_client END
            """).with("living", LIVING).sql();

    private void writeCommands(long tenant, Map<Command, Count> ran) {
        db.sql(ADD_COMMANDS)
                .set("tenant", tenant)
                .set("keys", column(ran.keySet(), command -> command.key().id()))
                .set("days", column(ran.keySet(), command -> command.day().toString()))
                .set("tools", column(ran.keySet(), Command::tool))
                .set("calls", column(ran.values(), Count::calls))
                .set("ran_at", column(ran.values(), count -> count.lastAt().toString()))
                .run();
    }

    private void writeSights(long tenant, Map<UsedKey, Sight> seen) {
        db.sql(ADD_SIGHTS)
                .set("tenant", tenant)
                .set("keys", column(seen.keySet(), UsedKey::id))
                .set("seen_at", column(seen.values(), sight -> sight.at().toString()))
                .set("clients", column(seen.values(), sight -> ClientName.readable(sight.client())))
                .set("previous_at", column(seen.values(), sight -> text(sight.previousAt())))
                .set("previous_clients", column(seen.values(), sight -> ClientName.readable(sight.previousClient())))
                .run();
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    private static <T> List<@Nullable Object> column(Iterable<T> rows, Function<T, @Nullable Object> value) {
        var column = new ArrayList<@Nullable Object>();
        rows.forEach(row -> column.add(value.apply(row)));
        return column;
    }

    /** Deletes expired records, and child keys that ended as long ago. */
    public void purge(Instant now) {
        var until = now.minus(KEPT);
        db.deleteOld(OLD_USAGE, until);
        db.deleteOld(TENANTS_WITH_OLD_CHILDREN, OLD_CHILDREN, until);
    }
}
