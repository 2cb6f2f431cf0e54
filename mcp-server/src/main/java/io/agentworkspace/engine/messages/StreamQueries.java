package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.model.agent.Guard;

/** The SQL that takes the next place in a stream, and reads the history before it in the same round trip. */
public final class StreamQueries {
    /** The maximum number of agents that are counted individually. */
    private static final int MAX_COUNTED = 50;

    /** When a person last spoke in a zone that the speaker takes part in. */
    private static final String SPOKEN_IN_ZONES = """
            (SELECT max(st.person_at)
               FROM participant p
               JOIN stream st ON st.tenant_id = p.tenant_id AND st.id = p.stream_id
              WHERE p.tenant_id = :tenant AND p.party_id = :speaker AND st.low_id IS NULL)""";

    /** The dial of the loop guard where nobody has set one. */
    private static final String DEFAULT_GUARD = SqlTemplate.of("ARRAY[{hops}, {per_minute}]")
            .with("hops", Guard.DEFAULT_HOPS)
            .with("per_minute", Guard.DEFAULT_PER_MINUTE)
            .sql();

    /**
     * The maximum count for messages that one agent sends alone in the zone of the stream {@code st}, without answers: half
     * of what several may send.
     */
    private static final String MAX_ALONE = """
            (SELECT gd.guard_per_minute * 3 / 2
               FROM zone gz JOIN domain gd ON gd.tenant_id = gz.tenant_id AND gd.id = gz.domain_id
              WHERE gz.tenant_id = st.tenant_id AND gz.stream_id = st.id)""";

    /** The columns of a place, of the stream {@code st}. */
    public static final String PLACE = SqlTemplate.of("""
            st.id, st.last_seq, st.last_at, st.agents_said, cardinality(st.voices) AS voices,
            (SELECT ARRAY[gd.guard_hops, gd.guard_per_minute]
               FROM zone gz JOIN domain gd ON gd.tenant_id = gz.tenant_id AND gd.id = gz.domain_id
              WHERE gz.tenant_id = st.tenant_id AND gz.stream_id = st.id) AS guard""").sql();

    /** Takes the next place in a zone's stream {@code st}. */
    public static final String NEXT = SqlTemplate.of("""
            UPDATE stream st
               SET last_seq = last_seq + 1, last_at = greatest(last_at, :now),
                   person_at = CASE WHEN :by_program THEN person_at ELSE :now END,
                   agents_said = CASE WHEN NOT :by_program THEN 0
                                      WHEN last_at < :recent THEN 1
                                      WHEN voices <@ ARRAY[CAST(:speaker AS bigint)] THEN least(agents_said + 1, {max_alone})
                                      ELSE agents_said + 1 END,
                   voices = CASE WHEN NOT :by_program THEN '{}'
                                 WHEN last_at < :recent THEN ARRAY[CAST(:speaker AS bigint)]
                                 WHEN CAST(:speaker AS bigint) = ANY(voices) OR cardinality(voices) >= {max_counted} THEN voices
                                 ELSE voices || CAST(:speaker AS bigint) END
            """)
            .with("max_counted", MAX_COUNTED)
            .with("max_alone", MAX_ALONE)
            .sql();

    private static final String NEXT_IN =
            NEXT + "WHERE st.tenant_id = :tenant AND st.id = :stream RETURNING " + PLACE + "\n";

    /**
     * Returns the statement that reads what an agent has sent before, as far as its dial of the loop guard needs it.
     *
     * @param here the condition for the stream {@code x}
     * @param isDirect whether the message is a direct one
     * @param toAgent whether its recipient is an agent
     * @param more further columns, each after a comma
     */
    public static String readBefore(String here, String isDirect, String toAgent, String more) {
        return SqlTemplate.of("""
            WITH dial AS (
                SELECT COALESCE((SELECT ga.guard_per_minute FROM agent ga WHERE ga.tenant_id = :tenant AND ga.id = :speaker),
                                {per_minute}) AS per_minute),
            count AS (
                SELECT dial.per_minute,
                       CASE WHEN heard.agent_at > :recent THEN talk.said
                            ELSE least(talk.said, greatest(dial.per_minute / 2 - 1, 0)) END AS said,
                       talk.partners, talk.person_at AS counted_from, talk.said_at > :recent AS goes_on,
                       greatest(heard.person_at, talk.person_at,
                                CASE WHEN talk.said >= dial.per_minute THEN {spoken_in_zones} END) AS person_at
                  FROM dial
                  LEFT JOIN agent_heard heard ON heard.tenant_id = :tenant AND heard.agent_id = :speaker
                  LEFT JOIN agent_talk talk ON talk.tenant_id = :tenant AND talk.agent_id = :speaker),
            here AS (SELECT x.id, x.last_seq FROM stream x WHERE x.tenant_id = :tenant AND {here})
            SELECT answered.id, answered.speaker_id, answered.chain, answered.created_at,
                   COALESCE(NOT answered.person, false) AS by_program,
                   {to_agent} AS to_agent,
                   (SELECT first.created_at FROM message first
                     WHERE first.tenant_id = :tenant AND first.stream_id = here.id
                       AND first.seq = here.last_seq - count.per_minute) AS paced_at,
                   count.person_at, count.said, count.partners,
                   COALESCE(count.goes_on, false) AND count.person_at IS NOT DISTINCT FROM count.counted_from AS goes_on{more}
              FROM count
              CROSS JOIN here
              LEFT JOIN LATERAL (
                  SELECT m.id, m.speaker_id, m.chain, m.created_at, m.person
                    FROM message m
                   WHERE m.tenant_id = :tenant AND m.stream_id = here.id
                     AND CASE WHEN CAST(:reply AS uuid) IS NOT NULL THEN m.id = :reply
                              ELSE {is_direct} AND m.speaker_id <> :speaker AND m.created_at > :recent
                                   AND m.seq > COALESCE((SELECT own.seq FROM message own
                                                          WHERE own.tenant_id = :tenant AND own.stream_id = here.id
                                                            AND own.speaker_id = :speaker
                                                          ORDER BY own.seq DESC LIMIT 1), 0) END
                   ORDER BY m.seq DESC
                   LIMIT 1) answered ON true
            """)
                .with("per_minute", Guard.DEFAULT_PER_MINUTE)
                .with("spoken_in_zones", SPOKEN_IN_ZONES)
                .with("here", here)
                .with("is_direct", isDirect)
                .with("to_agent", toAgent)
                .with("more", more)
                .sql();
    }

    /**
     * Returns the same for a user: only the answered message, since users are not counted.
     *
     * @param here the condition for the stream {@code x}
     * @param isDirect whether the message is a direct one
     * @param more further columns, each after a comma
     */
    public static String readAnswered(String here, String isDirect, String more) {
        return SqlTemplate.of("""
            SELECT answered.id, answered.speaker_id, answered.chain, answered.created_at,
                   COALESCE(NOT answered.person, false) AS by_program,
                   false AS to_agent, CAST(NULL AS timestamptz) AS paced_at, CAST(NULL AS timestamptz) AS person_at, false AS goes_on{more}
              FROM (VALUES (1)) one (row)
              LEFT JOIN LATERAL (
                  SELECT m.id, m.speaker_id, m.chain, m.created_at, m.person
                    FROM stream x
                    CROSS JOIN LATERAL (
                        SELECT * FROM message said
                         WHERE said.tenant_id = :tenant AND said.stream_id = x.id
                           AND CASE WHEN CAST(:reply AS uuid) IS NOT NULL THEN said.id = :reply
                                    ELSE {is_direct} AND said.speaker_id <> :speaker
                                         AND said.created_at > :recent
                                         AND said.seq > COALESCE((SELECT own.seq FROM message own
                                                                   WHERE own.tenant_id = :tenant AND own.stream_id = x.id
                                                                     AND own.speaker_id = :speaker
                                                                   ORDER BY own.seq DESC LIMIT 1), 0) END
                         ORDER BY said.seq DESC
                         LIMIT 1) m
                   WHERE x.tenant_id = :tenant AND {here}) answered ON true
            """)
                .with("here", here)
                .with("is_direct", isDirect)
                .with("more", more)
                .sql();
    }

    private static final String REACH =
            Reach.columns("CAST(:other AS bigint)", "CAST(:stream AS bigint)", "answered.id");

    private static final String IS_DIRECT = "CAST(:other AS bigint) IS NOT NULL";

    private static final String TO_AGENT = """
            EXISTS (SELECT 1 FROM agent a WHERE a.tenant_id = :tenant AND a.id = CAST(:other AS bigint))""";

    /** Follows the INSERT of a stream of direct messages: takes the next place in the stream that exists. */
    public static final String OR_NEXT =
            SqlTemplate.of("""
            ON CONFLICT (tenant_id, low_id, high_id) DO UPDATE
               SET last_seq = stream.last_seq + 1, last_at = greatest(stream.last_at, excluded.last_at)
            RETURNING id, last_seq, last_at, agents_said, cardinality(voices) AS voices,
            COALESCE((SELECT ARRAY[ga.guard_hops, ga.guard_per_minute] FROM agent ga
                       WHERE ga.tenant_id = :tenant AND ga.id = :speaker), {default_guard}) AS guard
            """).with("default_guard", DEFAULT_GUARD).sql();

    private static final String NEXT_DIRECT = """
            INSERT INTO stream (tenant_id, low_id, high_id, last_seq, last_at)
            VALUES (:tenant, least(:speaker, :other), greatest(:speaker, :other), 1, :now)
            """ + OR_NEXT;

    /**
     * Locks an agent as a speaker until the transaction ends: what it has sent is then counted exactly. People are not
     * counted, and may speak in many places at once.
     */
    public static final String TAKE_TURN =
            "SELECT pg_advisory_xact_lock(:lock, CAST(:speaker % 2147483647 AS integer));\n";

    private static final String BETWEEN =
            "x.low_id = least(CAST(:speaker AS bigint), :other) AND x.high_id = greatest(CAST(:speaker AS bigint), :other)";

    static final String BEGIN_DIRECT = NEXT_DIRECT + ";\n" + readAnswered(BETWEEN, IS_DIRECT, REACH);

    static final String BEGIN_IN = NEXT_IN + ";\n" + readAnswered("x.id = :stream", IS_DIRECT, REACH);

    static final String BEGIN_DIRECT_IN_TURN =
            TAKE_TURN + NEXT_DIRECT + ";\n" + readBefore(BETWEEN, IS_DIRECT, TO_AGENT, REACH);

    static final String BEGIN_IN_TURN =
            TAKE_TURN + NEXT_IN + ";\n" + readBefore("x.id = :stream", IS_DIRECT, TO_AGENT, REACH);

    private StreamQueries() {}
}
