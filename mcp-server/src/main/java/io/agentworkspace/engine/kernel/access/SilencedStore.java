package io.agentworkspace.engine.kernel.access;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.tool.Call;

/** Ends what a user receives of zones that it may no longer see. */
public final class SilencedStore {
    private SilencedStore() {}

    /** Removes the user from the zones of all domains that the user no longer takes part in. */
    public static void silence(Db db, Call call, long user) {
        db.sql(call, """
                DELETE FROM participant p
                 USING zone z, domain d, app_user u
                 WHERE p.tenant_id = :tenant AND p.party_id = :member
                   AND z.tenant_id = :tenant AND z.conversation_id = p.conversation_id
                   AND d.tenant_id = :tenant AND d.id = z.domain_id AND d.owner_id <> p.party_id
                   AND u.tenant_id = :tenant AND u.id = p.party_id AND u.role NOT IN ('admin', 'owner')
                   AND NOT EXISTS (SELECT 1 FROM membership mine
                                    WHERE mine.tenant_id = :tenant AND mine.domain_id = d.id
                                      AND mine.owner_id = p.party_id AND mine.state = 'member')
                """).set("member", user).run();
    }
}
