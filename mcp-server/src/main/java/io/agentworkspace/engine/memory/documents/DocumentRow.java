package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.db.SqlTemplate;

/** A document as JSON, and its place in the queue, which statements include as the CTEs {@link #QUEUE}. */
public final class DocumentRow {
    /**
     * The waiting documents of all tenants, one of each tenant in turn, so that one tenant's backlog cannot delay the others.
     * In each turn, the tenant whose last document was taken longest ago comes first.
     */
    public static final String WAITING = """
            SELECT o.tenant_id, o.id, o.turn, o.queued_at,
                   row_number() OVER (ORDER BY o.turn, s.begun_at NULLS FIRST, o.queued_at, o.id) AS position
              FROM (SELECT q.tenant_id, q.id, q.queued_at,
                           row_number() OVER (PARTITION BY q.tenant_id ORDER BY q.queued_at, q.id) AS turn
                      FROM document q
                     WHERE q.state = 'queued' OR (q.state = 'validating' AND q.lease_until < now())) o
             CROSS JOIN LATERAL (SELECT max(b.begun_at) AS begun_at FROM document b WHERE b.tenant_id = o.tenant_id) s
            """;

    /**
     * The order and the speed of the queue. The speed is computed from the number of workers and the latest durations.
     * The queue is idle if documents wait, but none was taken or finished for 10 s, as workers look every second.
     */
    static final String QUEUE = SqlTemplate.of("""
            waiting AS ({waiting}),
            rate AS (
                SELECT (SELECT count(*) FROM document v WHERE v.state = 'validating' AND v.lease_until >= now()) AS busy,
                       COALESCE((SELECT avg(r.took_ms)
                                   FROM (SELECT v.took_ms
                                           FROM document v
                                          WHERE v.validated_at IS NOT NULL
                                          ORDER BY v.validated_at DESC
                                          LIMIT 50) r), 2000) AS took),
            pace AS (
                SELECT rate.*,
                       rate.busy = 0
                       AND EXISTS (SELECT 1 FROM waiting w WHERE w.queued_at < now() - interval '10 seconds')
                       AND NOT EXISTS (SELECT 1 FROM document v WHERE v.validated_at > now() - interval '10 seconds') AS idle
                  FROM rate)
            """).with("waiting", WAITING).sql();

    /** The JSON of a document {@code d}, with its row {@code w} of the waiting ones, and {@code pace}. */
    static final String JSON = """
            json_build_object(
                'id', d.id, 'name', d.name, 'version', d.version, 'media_type', COALESCE(d.media_type, d.declared_type),
                'size', d.size, 'sha256', d.sha256, 'state', CASE WHEN w.id IS NULL THEN d.state ELSE 'queued' END,
                'reasons', d.reasons,
                'submitted_by', (SELECT u.name FROM app_user u WHERE u.tenant_id = d.tenant_id AND u.id = d.owner_id),
                'created_at', d.created_at, 'validated_at', d.validated_at, 'characters', d.characters,
                'kind', CASE WHEN d.turns IS NOT NULL THEN 'conversation' END, 'turns', d.turns, 'origin', d.origin,
                'queue', CASE WHEN w.id IS NOT NULL
                              THEN json_build_object(
                                       'position', w.position,
                                       'expected_seconds',
                                       CASE WHEN NOT pace.idle
                                            THEN ceil((pace.busy / 2.0 + w.position) * pace.took / greatest(1, pace.busy) / 1000)::bigint
                                        END)
                              WHEN d.state = 'validating'
                              THEN json_build_object(
                                       'position', 0,
                                       'expected_seconds',
                                       greatest(1, ceil(pace.took / 1000 - extract(epoch FROM now() - d.begun_at)))::bigint) END)
            """;

    static final String JOIN = """
            CROSS JOIN pace
            LEFT JOIN waiting w ON w.tenant_id = d.tenant_id AND w.id = d.id
            """;

    private DocumentRow() {}
}
