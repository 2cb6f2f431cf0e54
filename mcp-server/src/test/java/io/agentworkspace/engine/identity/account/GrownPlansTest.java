package io.agentworkspace.engine.identity.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.calls.runner.Runner;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.workspace.delivery.live.LiveReads;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cost of statements whose plans were made when the database was empty. */
@Tag("slow")
class GrownPlansTest {
    private static final int SIZE = 5_000;

    /** What a statement may touch besides: as many look-ups as a portion of a search's index needs, or a stream that resumes. */
    private static final long MOST_PAGES = 20_000;

    /** What each statement touches in the grown database with plans for it. Its rows are the same each time. */
    private static List<PlanReports.Ran> reference;

    /** The plans of a database's first minute are kept, and nobody collects statistics of what is added to it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void plansOfAnEmptyDatabaseAreGoodWhenItHasGrown(boolean analyzed) throws IOException {
        var name = "grown_" + analyzed;
        try (var grown = TestDatabase.fresh(name);
                var reports = new PlanReports(name)) {
            grown.sql(
                            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace")
                    .list(row -> row.text("relname"))
                    .forEach(table -> grown.sql("ALTER TABLE " + table + " SET (autovacuum_enabled = off)")
                            .run());
            var tenant = new TenantStore(grown)
                    .create(Name.of("grown"), "unlimited", Clock.systemUTC().instant());
            LargeTenant.begin(grown, tenant);
            if (analyzed) {
                grown.sql("ANALYZE").run();
            }
            var runner = TestDatabase.runner(reports.db());
            reports.db().sql("SET auto_explain.log_min_duration = -1").run(); // These only make the plans.
            calls(reports, runner, tenant, "0");
            reports.db().sql("SET auto_explain.log_min_duration = 0").run();
            LargeTenant.fill(grown, tenant, SIZE);
            grown.sql("UPDATE agent SET owner_id = :owner WHERE tenant_id = :tenant")
                    .set("owner", LargeTenant.USERS + 1)
                    .set("tenant", tenant)
                    .run();
            var all = calls(reports, runner, tenant, "1");
            if (reference == null) {
                grown.sql("ANALYZE").run();
                reference = calls(reports, runner, tenant, "2");
            }
            assertThat(reference)
                    .hasSizeGreaterThan(PlansTest.CALLS.lines().toList().size());
            assertThat(all.stream().filter(one -> one.pages() > MOST_PAGES + 2 * pages(reference, one.sql())))
                    .as("with plans for empty tables, at most twice the pages of others, and %,d", MOST_PAGES)
                    .isEmpty();
        }
    }

    private static List<PlanReports.Ran> calls(PlanReports reports, Runner runner, long tenant, String round) {
        var all = new ArrayList<PlanReports.Ran>();
        for (var user : PlansTest.USERS) {
            PlansTest.CALLS
                    .lines()
                    .forEach(line -> all.addAll(reports.of(runner, PlansTest.caller(tenant, user), line)));
            PlansTest.WRITES
                    .lines()
                    .map(line -> line.replace("#", user.split(" ")[1] + "-" + round))
                    .forEach(line -> all.addAll(reports.of(runner, PlansTest.caller(tenant, user), line)));
            reports.since("");
            LiveReads.all(reports.db(), PlansTest.caller(tenant, user));
            all.addAll(reports.since("live by " + user));
        }
        return all;
    }

    private static long pages(List<PlanReports.Ran> all, String sql) {
        return all.stream()
                .filter(one -> one.sql().equals(sql))
                .mapToLong(PlanReports.Ran::pages)
                .max()
                .orElse(0);
    }
}
