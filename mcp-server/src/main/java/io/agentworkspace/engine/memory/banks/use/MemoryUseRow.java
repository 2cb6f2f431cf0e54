package io.agentworkspace.engine.memory.banks.use;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.SqlTemplate;

/**
 * The SQL of a memory's use, for a memory {@code m} that the reader can see. A finder's name is shown to those who may see the agent;
 * a user's name to that user and to admins.
 */
public final class MemoryUseRow {
    private static final String OF_MEMORY = "u.tenant_id = :tenant AND u.bank_id = m.bank_id AND u.memory_id = m.id";

    /** How long before a correction its author's finding belongs to the same work. */
    private static final String SAME_WORK = "interval '24 hours'";

    /** The time of the last search that returned it. The row of an import, which is of 0 times, has the time of its arrival. */
    private static final String LAST_FOUND = "max(u.last_at) FILTER (WHERE u.times > 0)";

    /** The sums, without finders: null if it was never found. */
    public static final String SUMS = SqlTemplate.of("""
            (SELECT jsonb_build_object('id', m.id, 'times', sum(u.times), 'last_at', {last_found})
               FROM memory_use u
              WHERE {of_memory}
             HAVING sum(u.times) > 0)
            """)
            .with("of_memory", OF_MEMORY)
            .with("last_found", LAST_FOUND)
            .sql();

    /** The whole, for a memory {@code m} with its superseding memory {@code m.superseder}. */
    public static final String WHOLE = SqlTemplate.of("""
            (SELECT jsonb_build_object(
                        'id', m.id, 'times', sum(u.times), 'last_at', {last_found},
                        'by', COALESCE(jsonb_agg(jsonb_build_object('name', u.name, 'kind', u.kind, 'times', u.times,
                                                                    'last_at', u.last_at, 'outdated', u.outdated)
                                                 ORDER BY u.last_at DESC, u.name) FILTER (WHERE u.is_shown), '[]'),
                        'others', NULLIF(COALESCE(sum(u.times) FILTER (WHERE NOT u.is_shown), 0), 0),
                        'corrected', CASE WHEN bool_or(u.outdated) THEN jsonb_build_object(
                            'at', min(u.corrected_at), 'by', min(u.corrector),
                            'how', CASE WHEN m.superseder IS NULL THEN 'replaced' ELSE 'superseded' END,
                            'by_finder', bool_or(u.outdated AND u.finder_id = u.corrector_id
                                                 AND u.last_at > u.corrected_at - {same_work})) END)
               FROM (SELECT u.finder_id, u.times, u.last_at, p.name, p.kind, c.corrected_at, c.corrector_id, c.corrector,
                            CASE WHEN m.superseder IS NULL THEN u.revision < m.revision
                                 ELSE u.last_at <= c.corrected_at END AS outdated,
                            COALESCE(CASE p.kind WHEN 'user' THEN p.id = :user OR :admin
                                     ELSE EXISTS (SELECT 1 FROM agent a
                                                   WHERE a.tenant_id = :tenant AND a.id = u.finder_id AND {visible}) END,
                                     false) AS is_shown
                       FROM memory_use u
                       LEFT JOIN party p ON p.tenant_id = :tenant AND p.id = u.finder_id
                      CROSS JOIN LATERAL (
                           SELECT CASE WHEN m.superseder IS NULL THEN m.updated_at ELSE COALESCE(m.superseded_at, m.updated_at) END AS corrected_at,
                                  w.id AS corrector_id, w.name AS corrector
                             FROM party w
                            WHERE w.tenant_id = :tenant
                              AND w.id = CASE WHEN m.superseder IS NULL THEN COALESCE(m.editor_id, m.author_id)
                                              ELSE (SELECT COALESCE(n.editor_id, n.author_id) FROM memory n
                                                     WHERE n.tenant_id = :tenant AND n.bank_id = m.bank_id
                                                       AND n.id = m.superseder) END) c
                      WHERE {of_memory} AND u.times > 0) u
             HAVING count(*) > 0)
            """)
            .with("of_memory", OF_MEMORY)
            .with("last_found", LAST_FOUND)
            .with("same_work", SAME_WORK)
            .with("visible", Visibility.agent("a"))
            .sql();

    /**
     * The condition for a memory that was stored, changed and imported before {@code :unused_since}, and that no search has
     * returned since then. A pinned one is loaded, not searched. One that supersedes another stays, since that one would be
     * current again without it. Each subquery is scalar, so that the planner cannot read the rows of all tenants at once.
     */
    public static final String UNUSED =
            SqlTemplate.of("""
            (m.created_at < :unused_since AND m.updated_at < :unused_since AND NOT m.pinned
             AND COALESCE((SELECT max(u.last_at) FROM memory_use u WHERE {of_memory}), '-infinity') < :unused_since
             AND (SELECT older.id FROM memory older
                   WHERE older.tenant_id = :tenant AND older.bank_id = m.bank_id AND older.superseded_by = m.id
                     AND older.deleted_at IS NULL
                   LIMIT 1) IS NULL)
            """).with("of_memory", OF_MEMORY).sql();

    private MemoryUseRow() {}
}
