package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.UpstreamTool.State;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamCredential;
import io.agentworkspace.engine.kernel.access.UpstreamOffers;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
        Upstream.Counts counts,
        Upstream.Counts contentCounts,
        @Nullable List<String> connected,
        @Nullable List<OfferRow> offers) {
    /** Without {@code tools}. */
    static final String JSON = SqlTemplate.of("""
            jsonb_build_object('name', u.name, 'url', u.url, 'credential', u.credential, 'timeout_ms', u.timeout_ms,
                               'era', u.era, 'revision', u.revision, 'created_at', u.created_at, 'updated_at', u.updated_at,
                               'refreshed_at', u.refreshed_at, 'failing_since', u.failing_since, 'last_error', u.last_error,
                               'last_error_at', u.last_error_at, 'p50_ms', u.p50_ms, 'p99_ms', u.p99_ms)
            || jsonb_build_object('counts', {tools}, 'content_counts', {content})
            """)
            .with("tools", countsIn("upstream_tool"))
            .with("content", countsIn("upstream_content"))
            .sql();

    /**
     * What {@code u} offers: its tools, then resources, templates and prompts. {@code jsonb_agg} would take time with
     * the square of the longest array in a definition (PostgreSQL 18.6: 2 s for two of 20,000 values).
     */
    static final String OFFERS = SqlTemplate.of("""
            jsonb_build_object('connected', CASE WHEN u.credential ->> 'kind' = 'user_oauth' THEN {connected} END,
                               'offers', (SELECT to_jsonb(array_agg({offer_json} ORDER BY t.kind, t.name)) FROM {offers}
                                           WHERE t.tenant_id = :tenant AND t.upstream = u.name))
            """)
            .with("offer_json", """
                    jsonb_build_object('kind', t.kind, 'item', t.item, 'name', t.name, 'definition', t.definition,
                                       'digest', t.digest, 'approved', t.approved, 'approved_digest', t.approved_digest,
                                       'approved_at', t.approved_at, 'state', t.state, 'reason', t.reason)
                    """)
            .with("offers", UpstreamOffers.ALL)
            .with("connected", """
                    ARRAY(SELECT p.name
                            FROM upstream_account a
                            JOIN app_user p ON p.tenant_id = :tenant AND p.id = a.user_id
                           WHERE a.tenant_id = :tenant AND a.upstream = u.name AND a.url = u.url
                           ORDER BY p.name_key
                           LIMIT 1000)
                    """)
            .sql();

    private static String countsIn(String table) {
        return SqlTemplate.of("""
                (SELECT jsonb_build_object('approved', count(*) FILTER (WHERE t.state = 'approved'),
                                           'held', count(*) FILTER (WHERE {waits}),
                                           'refused', count(*) FILTER (WHERE t.state = 'held' AND NOT {waits}),
                                           'gone', count(*) FILTER (WHERE t.state = 'gone'))
                   FROM {table} t
                  WHERE t.tenant_id = :tenant AND t.upstream = u.name)
                """)
                .with("waits", UpstreamOffers.WAITS)
                .with("table", table)
                .sql();
    }

    /**
     * Something that the server offers.
     *
     * @param item the name or URI that the server gives it
     */
    record OfferRow(
            OfferKind kind,
            String item,
            String name,
            ObjectNode definition,
            String digest,
            @Nullable ObjectNode approved,
            @Nullable String approvedDigest,
            @Nullable Instant approvedAt,
            String state,
            @Nullable String reason) {
        Definition now() {
            return new Definition(kind, definition);
        }

        /** Returns whether an admin means it: by its name here, or a tool by that of its server. */
        boolean isNamed(Set<String> named) {
            return named.contains(name) || kind == OfferKind.TOOL && named.contains(item);
        }

        /** Returns what an admin decided against it; null if nothing. */
        @Nullable
        String decision() {
            return state.equals(State.APPROVED.word()) || reason == null
                    ? null
                    : reason.equals(UpstreamOffers.REFUSED)
                            ? UpstreamTool.REFUSED
                            : reason.equals(UpstreamOffers.WITHDRAWN) ? UpstreamTool.WITHDRAWN : null;
        }

        boolean isHeld() {
            return state.equals(State.HELD.word());
        }

        UpstreamTool record() {
            return new UpstreamTool(
                    name,
                    item,
                    kind == OfferKind.TOOL ? null : kind.word(),
                    State.valueOf(state.toUpperCase(Locale.ROOT)),
                    digest,
                    now().description(),
                    reason,
                    decision(),
                    approved == null || digest.equals(approvedDigest)
                            ? List.of()
                            : now().since(new Definition(kind, approved)),
                    approvedAt);
        }
    }

    List<OfferRow> offerRows() {
        return offers == null ? List.of() : offers;
    }

    /** Returns the counts of a server that was not installed before: of its tools, or of the rest. */
    static Upstream.Counts counts(List<OfferRow> rows, boolean tools) {
        var counted = rows.stream()
                .filter(row -> tools == (row.kind() == OfferKind.TOOL))
                .toList();
        var pending = Math.toIntExact(counted.stream().filter(OfferRow::isHeld).count());
        return new Upstream.Counts(counted.size() - pending, pending, 0, 0);
    }

    private List<UpstreamTool> records(boolean tools) {
        return offerRows().stream()
                .filter(row -> tools == (row.kind() == OfferKind.TOOL))
                .map(OfferRow::record)
                .toList();
    }

    Upstream record(boolean withTools) {
        return new Upstream(
                name,
                url,
                credential,
                timeoutMs,
                failingSince != null
                        ? Upstream.State.FAILING
                        : counts.held() + contentCounts.held() > 0 ? Upstream.State.HELD : Upstream.State.READY,
                era,
                lastError,
                lastErrorAt,
                failingSince,
                p50Ms == null || p99Ms == null ? null : new Upstream.Latency(p50Ms, p99Ms),
                counts,
                contentCounts,
                withTools ? connected : null,
                withTools ? records(true) : null,
                withTools ? records(false) : null,
                refreshedAt,
                createdAt,
                updatedAt,
                revision);
    }
}
