package io.agentworkspace.engine.kernel.access;

/** SQL for what upstream servers offer, and what of it waits for the decision of an admin. */
public final class UpstreamOffers {
    /** Reasons of tools that do not wait: an admin decided. */
    public static final String REFUSED = "an admin refused it";

    public static final String WITHDRAWN = "an admin took back all approvals";

    /** The condition on a tool {@code t}: it waits for the decision of an admin. */
    public static final String WAITS =
            "(t.state = 'held' AND COALESCE(t.reason, '') NOT IN ('" + REFUSED + "', '" + WITHDRAWN + "'))";

    /** Everything that servers offer, as {@code t}: tools, and the rest. */
    public static final String ALL = """
            (SELECT o.tenant_id, o.upstream, 'tool' AS kind, o.tool AS item, o.name, o.definition, o.digest, o.approved,
                    o.approved_digest, o.approved_at, o.state, o.reason
               FROM upstream_tool o
             UNION ALL
             SELECT o.tenant_id, o.upstream, o.kind, o.item, o.name, o.definition, o.digest, o.approved,
                    o.approved_digest, o.approved_at, o.state, o.reason
               FROM upstream_content o) t""";

    private UpstreamOffers() {}
}
