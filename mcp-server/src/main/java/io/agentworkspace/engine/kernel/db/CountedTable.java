package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.model.plan.Scope;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tables whose rows a plan limits. A transaction that changes how many count says by how much: a call with
 * {@code call.created} or {@code call.ended}, which its last statement writes; what runs outside of calls in the statement itself.
 */
enum CountedTable {
    AGENT(Scope.AGENTS, "destroyed_at IS NULL", "destroyed_at ="),
    DOMAIN(Scope.DOMAINS, "true", null),
    BANK(Scope.BANKS, "true", null),
    MEMORY(Scope.MEMORIES, "true", null),
    DOCUMENT(Scope.DOCUMENTS, "true", null),
    WEBHOOK_ENDPOINT(Scope.WEBHOOK_ENDPOINTS, "deleted_at IS NULL", "deleted_at ="),
    TASK(Scope.TASKS, "state NOT IN ('done', 'cancelled')", "state = :");

    private static final Pattern COUNTS =
            Pattern.compile("INSERT INTO usage_delta|count_usage\\(|count_differences\\(");

    private final Scope scope;
    private final String condition;
    private final Pattern changes;

    /**
     * @param condition which rows count
     * @param ending what in an update changes that; null: nothing does
     */
    CountedTable(Scope scope, String condition, @Nullable String ending) {
        this.scope = scope;
        this.condition = condition;
        var update = ending == null ? "" : "|UPDATE %s\\b.*?\\b%s".formatted(table(), ending);
        this.changes = Pattern.compile("(?s)(?:INSERT INTO|DELETE FROM)\\s+%s\\b%s".formatted(table(), update));
    }

    private String table() {
        return name().toLowerCase(Locale.ROOT);
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

    /** Returns the statement that also counts the rows of the table that it deletes, if a plan limits them, and returns how many there were. */
    static String deleting(String table, String delete) {
        var counted =
                Arrays.stream(values()).filter(one -> one.table().equals(table)).findFirst();
        return SqlTemplate.of("""
                WITH gone AS ({delete} RETURNING {column}){counted}
                SELECT count(*) AS deleted FROM gone
                """)
                .with("delete", delete)
                .with(
                        "column",
                        counted.map(one -> "tenant_id, " + one.condition + " AS counts")
                                .orElse("1"))
                .with("counted", counted.map(CountedTable::subtract).orElse(""))
                .sql();
    }

    private String subtract() {
        return SqlTemplate.of("""
                , counted AS (INSERT INTO usage_delta (tenant_id, scope, delta)
                            SELECT tenant_id, {scope}, -count(*) FROM gone WHERE counts GROUP BY tenant_id)""").with("scope", "'" + scope.word() + "'").sql();
    }
}
