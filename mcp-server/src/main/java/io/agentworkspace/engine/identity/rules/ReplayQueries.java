package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the audited commands for replays: those that ran, and those that only a rule refused. */
final class ReplayQueries {
    private static final String COUNT = """
            SELECT (SELECT COALESCE(sum(COALESCE(a.times, 1)), 0)
                      FROM audit a
                     WHERE a.tenant_id = :tenant AND a.result IN ('done', 'rule_refused') AND a.at >= :since
                       AND a.tool = ANY (CAST(:tools AS text[]))) AS commands
            """;

    /** A part of the commands, newest first. */
    private static final String PART = """
            (SELECT * FROM audit x
              WHERE x.tenant_id = :tenant AND x.result IN ('done', 'rule_refused') AND x.at >= :since AND x.tool = {tool}
                AND (CAST(:at AS timestamptz) IS NULL OR (x.at, x.row_id) < (CAST(:at AS timestamptz), CAST(:after AS uuid)))
              ORDER BY x.at DESC, x.row_id DESC
              LIMIT :limit) a
            """;

    /** Along the time: most commands are of one of the tools. */
    private static final String OF_MANY_TOOLS = pageOf(
            SqlTemplate.of(PART).with("tool", "ANY (CAST(:tools AS text[]))").sql());

    /** Along each tool: they may be rare among the commands. */
    private static final String OF_FEW_TOOLS = pageOf("unnest(CAST(:tools AS text[])) one (tool) CROSS JOIN LATERAL "
            + SqlTemplate.of(PART).with("tool", "one.tool").sql());

    /** The largest number of tools of which each is read by itself, since that reads a page of each. */
    private static final int FEW = 30;

    private static String pageOf(String commands) {
        return SqlTemplate.of("""
                SELECT jsonb_build_object('row_id', a.row_id, 'at', a.at, 'user', a.user_name, 'acting_for', a.acting_for,
                                          'key_id', a.key_id, 'agent', a.agent, 'tool', a.tool, 'target_kind', a.target_kind,
                                          'target', a.target, 'renamed_to', a.renamed_to, 'member', a.member,
                                          'request_id', a.request_id, 'times', COALESCE(a.times, 1), 'role', u.role) AS record
                  FROM (SELECT a.* FROM {commands} ORDER BY a.at DESC, a.row_id DESC LIMIT :limit) a
                  LEFT JOIN app_user u ON u.tenant_id = a.tenant_id AND u.name_key = a.user_key AND u.removed_at IS NULL
                 ORDER BY a.at DESC, a.row_id DESC
                """).with("commands", commands).sql();
    }

    private final Db db;

    ReplayQueries(Db db) {
        this.db = db;
    }

    /**
     * An audited command.
     *
     * @param role the user's present role; null if the user was removed
     * @param times the number of calls that the entry sums up
     */
    record AuditedCall(
            UUID rowId,
            Instant at,
            String user,
            @Nullable String actingFor,
            @Nullable String keyId,
            @Nullable String agent,
            String tool,
            String targetKind,
            @Nullable String target,
            @Nullable String renamedTo,
            @Nullable String member,
            String requestId,
            long times,
            @Nullable String role) {}

    /** Returns the number of commands of these tools since the given time. */
    long count(Call call, Instant since, Collection<String> tools) {
        return db.sql(call, COUNT)
                .set("since", since)
                .set("tools", tools)
                .one(row -> row.number("commands"))
                .orElseThrow();
    }

    /** Returns the next commands, newest first. */
    List<AuditedCall> page(Call call, Instant since, Collection<String> tools, @Nullable AuditedCall last, int limit) {
        return db.sql(call, tools.size() > FEW ? OF_MANY_TOOLS : OF_FEW_TOOLS)
                .set("since", since)
                .set("tools", tools)
                .set("at", last == null ? null : last.at())
                .set("after", last == null ? null : last.rowId())
                .set("limit", limit)
                .list(row -> Objects.requireNonNull(row.json("record", AuditedCall.class)));
    }
}
