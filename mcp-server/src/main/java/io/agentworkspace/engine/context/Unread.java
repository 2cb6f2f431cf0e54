package io.agentworkspace.engine.context;

/** SQL that counts unread messages without looking into streams where nothing waits. */
public final class Unread {
    /** Whether messages may wait in the stream of participant {@code p}; the condition of an index. */
    public static final String MAY_WAIT = "(p.last_seq IS NULL OR p.last_seq > p.read_seq + p.own_unread)";

    /** The last message in the stream of participant {@code p}. */
    public static final String LAST =
            "COALESCE(p.last_seq, (SELECT x.last_seq FROM stream x WHERE x.tenant_id = p.tenant_id AND x.id = p.stream_id))";

    private Unread() {}

    /** How many messages wait for a party, given by an expression. */
    public static String of(String party) {
        return """
                COALESCE((SELECT sum(%s - p.read_seq - p.own_unread)
                            FROM participant p
                           WHERE p.tenant_id = :tenant AND p.party_id = %s AND %s), 0)
                """.formatted(LAST, party, MAY_WAIT);
    }
}
