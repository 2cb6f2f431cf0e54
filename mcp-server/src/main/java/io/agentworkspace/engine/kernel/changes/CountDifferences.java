package io.agentworkspace.engine.kernel.changes;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Map;

/**
 * Counts what a call created and ended of what a plan limits, in its transaction's last statement. That statement is refused
 * if it would exceed the limit, so calls close to a limit wait for each other only there.
 */
final class CountDifferences {
    private static final String COUNT =
            "SELECT count_differences(:tenant, CAST(:scopes AS text[]), CAST(:differences AS bigint[])), ";

    private CountDifferences() {}

    /** Returns the last statement, a {@code SELECT} with {@code :tenant}, which counts first if there is something to count. */
    static Statement with(Db db, String last, Call call) {
        var counts = call.counted();
        var differences = counts.entrySet().stream()
                .filter(count -> count.getValue() != 0)
                .toList();
        var statement = differences.isEmpty()
                ? db.sql(last)
                : db.sql(COUNT + last.substring("SELECT ".length()))
                        .set(
                                "scopes",
                                differences.stream()
                                        .map(Map.Entry::getKey)
                                        .map(Scope::word)
                                        .toList())
                        .set(
                                "differences",
                                differences.stream().map(Map.Entry::getValue).toList());
        return statement.counting(counts.keySet());
    }
}
