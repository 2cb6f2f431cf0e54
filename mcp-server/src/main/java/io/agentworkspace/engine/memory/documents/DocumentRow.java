package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.db.SqlTemplate;

/** A document as JSON, and its place in the queue, which statements include as the CTEs {@link #QUEUE}. */
public final class DocumentRow {
    /** Whether a document {@code q} waits. */
    public static final String WAITS = "(q.state = 'queued' OR (q.state = 'validating' AND q.lease_until < now()))";

    /**
     * The tenants with waiting documents. They take turns, so that one tenant's backlog cannot delay the others: the tenant whose
     * last document was taken longest ago is first.
     */
    public static final String TENANTS =
            SqlTemplate.of("""
            SELECT t.tenant_id, t.documents, t.queued_at,
                   row_number() OVER (ORDER BY s.begun_at NULLS FIRST, t.queued_at, t.tenant_id) AS place
              FROM (SELECT q.tenant_id, count(*) AS documents, min(q.queued_at) AS queued_at
                      FROM document q
                     WHERE {waits}
                     GROUP BY q.tenant_id) t
             CROSS JOIN LATERAL (SELECT max(b.begun_at) AS begun_at FROM document b WHERE b.tenant_id = t.tenant_id) s
            """).with("waits", WAITS).sql();

    /**
     * The tenant's waiting documents, with the turn in which each is taken, and the speed of the queue. The speed is computed from the
     * number of workers and the latest durations. The queue is idle if documents wait, but none was taken or finished for 10 s, as
     * workers look every second.
     */
    static final String QUEUE =
            SqlTemplate.of("""
            tenants AS MATERIALIZED ({tenants}),
            waiting AS (
                SELECT q.tenant_id, q.id, row_number() OVER (ORDER BY q.queued_at, q.id) AS turn,
                       (SELECT t.place FROM tenants t WHERE t.tenant_id = :tenant) AS place
                  FROM document q
                 WHERE q.tenant_id = :tenant AND {waits}),
            rate AS (
                SELECT (SELECT count(*) FROM document v WHERE v.state = 'validating' AND v.lease_until >= now()) AS busy,
                       COALESCE((SELECT avg(r.took_ms)
                                   FROM (SELECT v.took_ms
                                           FROM document v
                                          WHERE v.validated_at IS NOT NULL
                                          ORDER BY v.validated_at DESC
                                          LIMIT 50) r), 2000) AS took,
                       (SELECT max(v.validated_at) FROM document v) AS latest),
            pace AS (
                SELECT rate.*,
                       rate.busy = 0
                       AND EXISTS (SELECT 1 FROM tenants t WHERE t.queued_at < now() - interval '10 seconds')
                       AND rate.latest > now() - interval '10 seconds' IS NOT TRUE AS idle
                  FROM rate)
            """).with("tenants", TENANTS).with("waits", WAITS).sql();

    /** The JSON of a document {@code d}, with its row {@code w} of the waiting ones, its place {@code p}, and {@code pace}. */
    static final String JSON = """
            json_build_object(
                'id', d.id, 'name', d.name, 'version', d.version, 'media_type', COALESCE(d.media_type, d.declared_type),
                'size', d.size, 'sha256', d.sha256, 'state', CASE WHEN w.id IS NULL THEN d.state ELSE 'queued' END,
                'reasons', d.reasons,
                'submitted_by', (SELECT u.name FROM app_user u WHERE u.tenant_id = :tenant AND u.id = d.owner_id),
                'created_at', d.created_at, 'validated_at', d.validated_at, 'characters', d.characters,
                'kind', CASE WHEN d.turns IS NOT NULL THEN 'conversation' END, 'turns', d.turns, 'origin', d.origin,
                'queue', CASE WHEN w.id IS NOT NULL
                              THEN json_build_object(
                                       'position', p.position,
                                       'expected_seconds',
                                       CASE WHEN NOT pace.idle
                                            THEN ceil((pace.busy / 2.0 + p.position) * pace.took / greatest(1, pace.busy) / 1000)::bigint
                                        END)
                              WHEN d.state = 'validating'
                              THEN json_build_object(
                                       'position', 0,
                                       'expected_seconds',
                                       greatest(1, ceil(pace.took / 1000 - extract(epoch FROM now() - d.begun_at)))::bigint) END)
            """;

    /** Before a document are those of each tenant with an earlier turn, and with the same turn if the tenant is before its own. */
    static final String JOIN = """
            CROSS JOIN pace
            LEFT JOIN waiting w ON w.tenant_id = d.tenant_id AND w.id = d.id
            LEFT JOIN LATERAL (SELECT CAST(1 + sum(least(t.documents, w.turn - CASE WHEN t.place < w.place THEN 0 ELSE 1 END))
                                           AS bigint) AS position
                                 FROM tenants t
                                WHERE w.id IS NOT NULL) p ON true
            """;

    private DocumentRow() {}
}
