package io.agentworkspace.engine.kernel.context;

import io.agentworkspace.engine.kernel.db.SqlTemplate;

/** SQL that counts unread messages. It reads only conversations where messages may be waiting. */
public final class Unread {
    /** Whether messages may be waiting in the conversation of participant {@code p}. An index has this condition. */
    public static final String MAY_WAIT = "(p.last_seq IS NULL OR p.last_seq > p.read_seq + p.own_unread)";

    /** The last message in the conversation of participant {@code p}. */
    public static final String LAST =
            "COALESCE(p.last_seq, (SELECT x.last_seq FROM conversation x WHERE x.tenant_id = :tenant AND x.id = p.conversation_id))";

    /**
     * Whether the message {@code x} waits for the participant {@code p}, if it is after its position. Announcements in a zone
     * do not; direct ones do, without being counted.
     */
    public static final String WAITS = waits("x", "p");

    private Unread() {}

    /** Returns {@link #WAITS} for other aliases. PostgreSQL would estimate OR, without statistics, as if hardly any message waited. */
    public static String waits(String message, String participant) {
        return SqlTemplate.of(
                        "({message}.speaker_id <> {party}.party_id AND CASE WHEN {party}.last_seq IS NULL THEN {message}.changes IS NULL ELSE true END)")
                .with("message", message)
                .with("party", participant)
                .sql();
    }

    /**
     * Returns how many messages are waiting for a party.
     *
     * @param party an expression for the party's id
     */
    public static String of(String party) {
        return SqlTemplate.of("""
                COALESCE((SELECT sum({last} - p.read_seq - p.own_unread - p.announced)
                            FROM participant p
                           WHERE p.tenant_id = :tenant AND p.party_id = {party} AND {may_wait}), 0)
                """)
                .with("last", LAST)
                .with("party", party)
                .with("may_wait", MAY_WAIT)
                .sql();
    }
}
