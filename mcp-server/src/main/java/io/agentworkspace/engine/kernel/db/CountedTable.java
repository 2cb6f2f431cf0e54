package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.model.plan.Scope;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The tables whose rows a plan limits. A transaction that changes how many count says by how much: a call with
 * {@code call.created} or {@code call.ended}, which its last statement writes; what runs outside of calls in the statement itself.
 */
enum CountedTable {
    AGENT(
            Scope.AGENTS,
            "destroyed_at IS NULL",
            "(INSERT INTO|DELETE FROM) agent\\b|UPDATE agent\\b.*?\\bdestroyed_at ="),
    DOMAIN(Scope.DOMAINS, "true", "(INSERT INTO|DELETE FROM) domain\\b"),
    BANK(Scope.BANKS, "true", "(INSERT INTO|DELETE FROM) bank\\b"),
    MEMORY(Scope.MEMORIES, "true", "(INSERT INTO|DELETE FROM) memory\\b"),
    DOCUMENT(Scope.DOCUMENTS, "true", "(INSERT INTO|DELETE FROM) document\\b"),
    WEBHOOK_ENDPOINT(
            Scope.WEBHOOK_ENDPOINTS,
            "deleted_at IS NULL",
            "(INSERT INTO|DELETE FROM) webhook_endpoint\\b|UPDATE webhook_endpoint\\b.*?\\bdeleted_at ="),
    TASK(
            Scope.TASKS,
            "state NOT IN ('done', 'cancelled')",
            "(INSERT INTO|DELETE FROM) task\\b|UPDATE task\\b.*?\\bstate = :");

    private static final Pattern COUNTS =
            Pattern.compile("INSERT INTO usage_delta|count_usage\\(|count_differences\\(");

    private final Scope scope;
    private final String condition;
    private final Pattern changes;

    /**
     * @param condition which rows count
     * @param changes a pattern of statements that may change how many these are
     */
    CountedTable(Scope scope, String condition, String changes) {
        this.scope = scope;
        this.condition = condition;
        this.changes = Pattern.compile(changes, Pattern.DOTALL);
    }

    /** Returns what the statement may change the number of, without counting that itself. */
    static Set<Scope> changedBy(String statement) {
        var scopes = EnumSet.noneOf(Scope.class);
        if (!COUNTS.matcher(statement).find()) {
            Arrays.stream(values())
                    .filter(table -> table.changes.matcher(statement).find())
                    .forEach(table -> scopes.add(table.scope));
        }
        return scopes;
    }

    /**
     * Returns the statement that deletes rows of the table and returns how many there were. It also counts them, if a plan
     * limits them.
     */
    static String deleting(String table, String delete) {
        var counted = Arrays.stream(values())
                .filter(one -> one.name().equalsIgnoreCase(table))
                .findFirst();
        return SqlTemplate.of("""
                WITH gone AS ({delete} RETURNING {column}){counted}
                SELECT count(*) AS deleted FROM gone
                """)
                .with("delete", delete)
                .with(
                        "column",
                        counted.map(one -> "tenant_id, " + one.condition + " AS counts")
                                .orElse("1"))
                .with("counted", counted.map(CountedTable::subtracting).orElse(""))
                .sql();
    }

    private static String subtracting(CountedTable table) {
        return SqlTemplate.of("""
                , counted AS (INSERT INTO usage_delta (tenant_id, scope, delta)
                              SELECT tenant_id, {scope}, -count(*) FROM gone WHERE counts GROUP BY tenant_id)""").with("scope", "'" + table.scope.word() + "'").sql();
    }
}
