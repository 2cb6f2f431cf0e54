package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.scheduling.PendingWrites;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * What the calls of each agent amount to on each day. It is collected in memory and written in one statement every second, so that it
 * costs no call a round trip. Counts are added, so that those of all replicas are included. A crash loses at most a second of it.
 */
public final class AgentUseStore {
    static final Duration KEPT = Duration.ofDays(30);

    /** The maximum number of records in memory while the database is unavailable. */
    private static final int MAX_NOTES = 100_000;

    private static final String WRITE = """
            INSERT INTO agent_usage AS u (tenant_id, agent_id, day, calls, characters_in, characters_out)
            SELECT a.tenant_id, a.id, r.day, r.calls, r.characters_in, r.characters_out
              FROM unnest(CAST(:agents AS bigint[]), CAST(:days AS date[]), CAST(:calls AS bigint[]),
                          CAST(:in AS bigint[]), CAST(:out AS bigint[])) r (agent_id, day, calls, characters_in, characters_out)
              JOIN agent a ON a.tenant_id = :tenant AND a.id = r.agent_id
             ORDER BY a.id, r.day
            ON CONFLICT (tenant_id, agent_id, day) DO UPDATE
               SET calls = u.calls + excluded.calls,
                   characters_in = u.characters_in + excluded.characters_in,
                   characters_out = u.characters_out + excluded.characters_out
            """;

    private static final String OLD = Db.oldRows(
            "agent_usage",
            "tenant_id, agent_id, day",
            "day < CAST(CAST(:until AS timestamptz) AT TIME ZONE 'UTC' AS date)");

    private record UsedOn(long tenant, long agent, LocalDate day) {}

    private record Amount(long calls, long in, long out) {
        Amount plus(Amount other) {
            return new Amount(calls + other.calls, in + other.in, out + other.out);
        }
    }

    private final PendingWrites<UsedOn, Amount> amounts = new PendingWrites<>(MAX_NOTES, Amount::plus);
    private final Db db;

    public AgentUseStore(Db db) {
        this.db = db;
    }

    /** Records what the agent of a call sent, if the caller is one, and what it received. */
    public void record(Call call, JsonNode sent, JsonNode received) {
        var agent = call.acting() == null
                ? call.caller().boundAgent()
                : Long.valueOf(call.acting().id());
        if (agent != null) {
            amounts.add(
                    new UsedOn(call.caller().tenant(), agent, today(call.now())),
                    new Amount(1, characters(sent), characters(received)));
        }
    }

    static LocalDate today(Instant now) {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    /** Returns the length of a value as JSON, without writing it: escapes are not counted. */
    static long characters(JsonNode value) {
        var sum = 1L + Math.max(1, value.size());
        if (value.isObject()) {
            for (var field : value.properties()) {
                sum += field.getKey().length() + 3 + characters(field.getValue());
            }
            return sum;
        }
        if (value.isArray()) {
            for (var item : value) {
                sum += characters(item);
            }
            return sum;
        }
        var text = value.asString("");
        return value.isNull() ? 4 : text.length() + (value.isString() ? 2 : 0);
    }

    /** Writes what was recorded since the last flush. If that fails, it is recorded again. */
    public void flush() {
        amounts.flush(UsedOn::tenant, this::write);
    }

    /** The rows are in one order, so that replicas do not wait for each other in a circle. */
    private void write(long tenant, Map<UsedOn, Amount> taken) {
        db.sql(WRITE)
                .set("tenant", tenant)
                .set("agents", column(taken.keySet(), UsedOn::agent))
                .set("days", column(taken.keySet(), used -> used.day().toString()))
                .set("calls", column(taken.values(), Amount::calls))
                .set("in", column(taken.values(), Amount::in))
                .set("out", column(taken.values(), Amount::out))
                .run();
    }

    private static <T> List<@Nullable Object> column(Iterable<T> rows, Function<T, @Nullable Object> value) {
        var column = new ArrayList<@Nullable Object>();
        rows.forEach(row -> column.add(value.apply(row)));
        return column;
    }

    public void purge(Instant now) {
        db.deleteOld(OLD, now.minus(KEPT));
    }
}
