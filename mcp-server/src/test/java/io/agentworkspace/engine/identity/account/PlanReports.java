package io.agentworkspace.engine.identity.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.calls.runner.Runner;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.TimeLimits;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.testing.CountingProxy;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Reports of the plans that PostgreSQL ran on one connection to a database, and of the pages that they touched. */
final class PlanReports implements AutoCloseable {
    private static final Duration LONG = Duration.ofMinutes(5);

    static final TimeLimits UNHURRIED = new TimeLimits(LONG, LONG, LONG, LONG);

    private final BlockingQueue<String> notices = new LinkedBlockingQueue<>();
    private final CountingProxy proxy;
    private final Db db;

    PlanReports(String database) throws IOException {
        proxy = new CountingProxy(
                URI.create(TestDatabase.url().substring("jdbc:".length())).getPort(), notices::add);
        var postgres = TestDatabase.postgres();
        var options =
                "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 -c auto_explain.log_analyze=on"
                        + " -c auto_explain.log_buffers=on -c auto_explain.log_timing=off -c auto_explain.log_format=json"
                        + " -c auto_explain.log_nested_statements=on -c auto_explain.log_level=notice";
        var url = "jdbc:postgresql://127.0.0.1:%d/%s?sslmode=disable&prepareThreshold=1&options=%s"
                .formatted(proxy.port(), database, options.replace(" ", "%20"));
        db = new Db(url, postgres.user(), postgres.password(), 1, UNHURRIED);
    }

    Db db() {
        return db;
    }

    /** Makes the call, such as {@code AP_Read {'target':{'agent':'x'}}}, and returns what was reported of it. */
    List<Ran> of(Runner runner, Caller caller, String line) {
        var parts = line.split(" ", 2);
        var arguments = Json.readObject(parts[1].replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        notices.clear();
        var answer = runner.run(new ToolRunner.Request(parts[0], arguments, caller, "r", true, null));
        assertThat(answer.envelope().at("/status/internal_code").asInt())
                .as("%s by %s: %s", line, caller.userName(), answer.envelope())
                .isIn(0, 1006, 2003, 3001, 3003);
        return since(line + " by " + caller.userName());
    }

    /** Returns what was reported since the last time. */
    List<Ran> since(String call) {
        var all = new ArrayList<String>();
        notices.drainTo(all);
        return all.stream()
                .filter(notice -> notice.contains("plan:"))
                .map(notice -> Json.readObject(notice.substring(notice.indexOf("plan:") + 5, notice.indexOf("\n}") + 2)
                        .getBytes(StandardCharsets.UTF_8)))
                .map(report -> new Ran(call, report.path("Query Text").asString(), report.path("Plan")))
                .toList();
    }

    @Override
    public void close() throws IOException {
        db.close();
        proxy.close();
    }

    /** The server's report of one statement. */
    record Ran(String call, String sql, JsonNode plan) {
        long pages() {
            return plan.path("Shared Hit Blocks").asLong()
                    + plan.path("Shared Read Blocks").asLong();
        }

        Stream<JsonNode> nodes() {
            return nodes(plan);
        }

        private static Stream<JsonNode> nodes(JsonNode node) {
            return Stream.concat(
                    Stream.of(node), node.path("Plans").valueStream().flatMap(Ran::nodes));
        }

        /** Returns sequential scans of large tables, and index scans across all tenants. */
        List<String> scans(Set<String> large) {
            return nodes().filter(node -> node.path("Actual Loops").asLong() > 0)
                    .filter(node -> large.contains(node.path("Relation Name").asString("")))
                    .filter(node -> switch (node.path("Node Type").asString()) {
                        case "Seq Scan" -> true;
                        case "Index Scan", "Index Only Scan" ->
                            !node.path("Index Cond").asString("").matches("(?s).*\\b(tenant_id|id) = .*");
                        default -> false;
                    })
                    .map(node -> node.path("Node Type").asString() + " on "
                            + node.path("Relation Name").asString())
                    .toList();
        }

        /**
         * Returns the scans of these tables that nothing limits to a tenant: no condition, and no join by the tenant with rows that
         * are limited. The terms of a message contain its tenant.
         */
        List<String> acrossTenants(Set<String> ofTenants) {
            return acrossTenants(plan, ofTenants);
        }

        private static List<String> acrossTenants(JsonNode node, Set<String> ofTenants) {
            var found = new ArrayList<String>();
            if (isAcrossTenants(node, ofTenants)) {
                found.add(node.path("Node Type").asString() + " on "
                        + node.path("Relation Name").asString());
            }
            var joined = new ArrayList<List<String>>();
            for (var part : node.path("Plans")) {
                var inside = acrossTenants(part, ofTenants);
                if (Set.of("Outer", "Inner")
                        .contains(part.path("Parent Relationship").asString(""))) {
                    joined.add(inside);
                } else {
                    found.addAll(inside);
                }
            }
            if (joined.size() < 2 || !isByTenant(node) || joined.stream().noneMatch(List::isEmpty)) {
                joined.forEach(found::addAll);
            }
            return found;
        }

        private static boolean isAcrossTenants(JsonNode node, Set<String> ofTenants) {
            return node.path("Actual Loops").asLong() > 0
                    && ofTenants.contains(node.path("Relation Name").asString(""))
                    && !node.path("Node Type").asString().equals("ModifyTable")
                    && !isByTenant(node);
        }

        private static boolean isByTenant(JsonNode node) {
            return Stream.of("Index Cond", "Recheck Cond", "Filter", "Hash Cond", "Merge Cond", "Join Filter")
                    .map(part -> node.path(part).asString(""))
                    .anyMatch(condition ->
                            condition.contains("tenant_id = ") || condition.contains("message_terms(tenant_id"));
        }

        /** Returns how many agents, users or memories were read and then did not match. */
        long readInVain() {
            return nodes().filter(node -> Stream.concat(
                                    Stream.of(node), node.path("Plans").valueStream())
                            .anyMatch(each -> Set.of("agent", "app_user", "memory")
                                    .contains(each.path("Relation Name").asString(""))))
                    .mapToLong(node -> (node.path("Rows Removed by Filter").asLong()
                                    + node.path("Rows Removed by Join Filter").asLong())
                            * node.path("Actual Loops").asLong())
                    .sum();
        }

        @Override
        public String toString() {
            return "%,d pages, %,d in vain: %s".formatted(pages(), readInVain(), call);
        }
    }
}
