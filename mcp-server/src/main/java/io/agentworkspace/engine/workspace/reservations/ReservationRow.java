package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.kernel.db.SqlTemplate;

/** The record of a reservation {@code r}. */
public final class ReservationRow {
    /** The record as JSON. */
    public static final String RECORD = SqlTemplate.of("""
            jsonb_build_object('path', r.path, 'repository', NULLIF(r.repository, ''),
                               'worktree', NULLIF(r.worktree, ''), 'holder', {holder},
                               'reason', r.reason, 'lease_until', r.lease_until)
            """).with("holder", """
            (SELECT x.name FROM party x WHERE x.tenant_id = :tenant AND x.id = r.holder_id)""").sql();

    private ReservationRow() {}
}
