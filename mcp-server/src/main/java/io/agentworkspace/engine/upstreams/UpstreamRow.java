package io.agentworkspace.engine.upstreams;

import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.model.upstream.Upstream;
import io.agentworkspace.engine.model.upstream.UpstreamCredential;
import io.agentworkspace.engine.model.upstream.UpstreamTool;
import io.agentworkspace.engine.model.upstream.UpstreamTool.State;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** An upstream server {@code u} as the database returns it. */
record UpstreamRow(
        String name,
        String url,
        UpstreamCredential credential,
        int timeoutMs,
        @Nullable String era,
        long revision,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant refreshedAt,
        @Nullable Instant failingSince,
        @Nullable String lastError,
        @Nullable Instant lastErrorAt,
        @Nullable Integer p50Ms,
        @Nullable Integer p99Ms,
        int approved,
        int held,
        int refused,
        int gone,
        @Nullable List<ToolRow> tools) {
    /** Without {@code tools}. */
    static final String JSON =
            SqlTemplate.of("""
            jsonb_build_object('name', u.name, 'url', u.url, 'credential', u.credential, 'timeout_ms', u.timeout_ms,
                               'era', u.era, 'revision', u.revision, 'created_at', u.created_at, 'updated_at', u.updated_at,
                               'refreshed_at', u.refreshed_at, 'failing_since', u.failing_since, 'last_error', u.last_error,
                               'last_error_at', u.last_error_at, 'p50_ms', u.p50_ms, 'p99_ms', u.p99_ms)
            || (SELECT jsonb_build_object('approved', count(*) FILTER (WHERE t.state = 'approved'),
                                          'held', count(*) FILTER (WHERE {waits}),
                                          'refused', count(*) FILTER (WHERE t.state = 'held' AND NOT {waits}),
                                          'gone', count(*) FILTER (WHERE t.state = 'gone'))
                  FROM upstream_tool t
                 WHERE t.tenant_id = u.tenant_id AND t.upstream = u.name)
            """).with("waits", UpstreamStore.WAITS).sql();

    /** The tools of {@code u}. */
    static final String TOOLS = """
            jsonb_build_object('tools', (SELECT jsonb_agg(jsonb_build_object(
                                                              'tool', t.tool, 'name', t.name, 'definition', t.definition,
                                                              'digest', t.digest, 'approved', t.approved,
                                                              'approved_digest', t.approved_digest,
                                                              'approved_at', t.approved_at, 'state', t.state,
                                                              'reason', t.reason)
                                                          ORDER BY t.name)
                                           FROM upstream_tool t
                                          WHERE t.tenant_id = u.tenant_id AND t.upstream = u.name))
            """;

    /** A tool of the server. */
    record ToolRow(
            String tool,
            String name,
            ObjectNode definition,
            String digest,
            @Nullable ObjectNode approved,
            @Nullable String approvedDigest,
            @Nullable Instant approvedAt,
            String state,
            @Nullable String reason) {
        Definition now() {
            return new Definition(definition);
        }

        /** Returns what an admin decided against it; null if nothing. */
        @Nullable
        String decision() {
            return state.equals(State.APPROVED.word()) || reason == null
                    ? null
                    : reason.equals(HeldTools.REFUSED)
                            ? UpstreamTool.REFUSED
                            : reason.equals(HeldTools.WITHDRAWN) ? UpstreamTool.WITHDRAWN : null;
        }

        boolean isHeld() {
            return state.equals(State.HELD.word());
        }

        UpstreamTool record() {
            return new UpstreamTool(
                    name,
                    tool,
                    State.valueOf(state.toUpperCase(Locale.ROOT)),
                    digest,
                    now().description(),
                    reason,
                    decision(),
                    approved == null || digest.equals(approvedDigest)
                            ? List.of()
                            : now().since(new Definition(approved)),
                    approvedAt);
        }
    }

    List<ToolRow> toolRows() {
        return tools == null ? List.of() : tools;
    }

    Upstream record(boolean withTools) {
        return new Upstream(
                name,
                url,
                credential,
                timeoutMs,
                failingSince != null ? Upstream.State.FAILING : held > 0 ? Upstream.State.HELD : Upstream.State.READY,
                era,
                lastError,
                lastErrorAt,
                failingSince,
                p50Ms == null || p99Ms == null ? null : new Upstream.Latency(p50Ms, p99Ms),
                new Upstream.Counts(approved, held, refused, gone),
                withTools ? toolRows().stream().map(ToolRow::record).toList() : null,
                refreshedAt,
                createdAt,
                updatedAt,
                revision);
    }
}
