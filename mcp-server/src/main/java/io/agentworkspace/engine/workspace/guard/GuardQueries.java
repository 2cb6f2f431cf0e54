package io.agentworkspace.engine.workspace.guard;

import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The loop guard's part of the statements that find a message's place and store it: the limits in force, what was counted,
 * and what the message changes of that.
 */
public final class GuardQueries {
    /** The age from which a message of the other side no longer counts as answered. */
    public static final Duration RECENT = Duration.ofMinutes(15);

    /** The maximum number of agents that are counted individually. */
    private static final int MAX_COUNTED = 50;

    /**
     * The loop guard of direct messages between the speaker and :other. Where both agents have a limit other than the default, the
     * lower one counts; where one has, that one.
     */
    public static final String LIMITS_OF_PAIR = SqlTemplate.of("""
            SELECT COALESCE(min(NULLIF(ga.guard_hops, {hops})), {hops}) AS hops, COALESCE(min(NULLIF(ga.guard_per_minute, {per_minute})), {per_minute}) AS per_minute,
                   COALESCE(bool_or(ga.guard_stopped), false) AS stopped
              FROM agent ga
             WHERE ga.tenant_id = :tenant AND ga.id IN (CAST(:speaker AS bigint), CAST(:other AS bigint))
            """)
            .with("hops", GuardLimits.DEFAULT_HOPS)
            .with("per_minute", GuardLimits.DEFAULT_PER_MINUTE)
            .sql();

    /** The loop guard of the zone of {@code :conversation}, and when a task of its domain last changed its state. */
    public static final String LIMITS_IN_ZONE = """
            SELECT gd.guard_hops AS hops, gd.guard_per_minute AS per_minute,
                   gd.guard_stopped AS stopped,
                   (SELECT main.progress_at
                      FROM zone mz JOIN conversation main ON main.tenant_id = :tenant AND main.id = mz.conversation_id
                     WHERE mz.tenant_id = :tenant AND mz.domain_id = gd.id AND mz.name_key = 'main') AS progress
              FROM zone gz JOIN domain gd ON gd.tenant_id = :tenant AND gd.id = gz.domain_id
             WHERE gz.tenant_id = :tenant AND gz.conversation_id = :conversation
            """;

    /** What a message changes in the zone's conversation {@code c}. The count begins again after a person's message, progress or a silence. */
    public static final String COUNTS_IN_ZONE = SqlTemplate.of("""
            counted_at = CASE WHEN NOT :by_program OR {afresh} THEN :now ELSE c.counted_at END,
            agents_said = CASE WHEN NOT :by_program THEN 0
                               WHEN {afresh} THEN 1
                               WHEN voices <@ ARRAY[CAST(:speaker AS bigint)]
                               THEN least(agents_said + 1, greatest(place.per_minute * 3 / 2, 1))
                               ELSE agents_said + 1 END,
            voices = CASE WHEN NOT :by_program THEN '{}'
                          WHEN {afresh} THEN ARRAY[CAST(:speaker AS bigint)]
                          WHEN CAST(:speaker AS bigint) = ANY(voices) OR cardinality(voices) >= {max_counted} THEN voices
                          ELSE voices || CAST(:speaker AS bigint) END
            """)
            .with("afresh", """
                    (c.last_at < :recent OR (place.progress IS NOT NULL AND place.progress > COALESCE(c.counted_at, '-infinity')))""")
            .with("max_counted", MAX_COUNTED)
            .sql();

    /** When a person last spoke in a zone that the speaker takes part in. */
    private static final String SPOKEN_IN_ZONES = """
            (SELECT max(st.person_at)
               FROM participant p
               JOIN conversation st ON st.tenant_id = :tenant AND st.id = p.conversation_id
              WHERE p.tenant_id = :tenant AND p.party_id = :speaker AND st.low_id IS NULL)""";

    /** What an agent has sent before. Users are not counted. */
    public static final String COUNTS_OF_AGENT = SqlTemplate.of("""
            SELECT limits.per_minute,
                   CASE WHEN received.agent_at > :recent THEN sent.said
                        ELSE least(sent.said, greatest(limits.per_minute / 2 - 1, 0)) END AS said,
                   sent.partners, sent.person_at AS counted_from, sent.said_at > :recent AS goes_on,
                   greatest(received.progress_at, received_by_other.progress_at) AS progress,
                   greatest(received.person_at, sent.person_at, received.progress_at, received_by_other.progress_at,
                            CASE WHEN sent.said >= limits.per_minute THEN {spoken_in_zones} END) AS person_at
              FROM ({pair}) limits
              LEFT JOIN guard_received received ON received.tenant_id = :tenant AND received.agent_id = CASE WHEN :by_agent THEN CAST(:speaker AS bigint) ELSE 0 END
              LEFT JOIN guard_received received_by_other ON received_by_other.tenant_id = :tenant AND received_by_other.agent_id = :other
              LEFT JOIN guard_sent sent ON sent.tenant_id = :tenant AND sent.agent_id = CASE WHEN :by_agent THEN CAST(:speaker AS bigint) ELSE 0 END
            """)
            .with("pair", LIMITS_OF_PAIR)
            .with("spoken_in_zones", SPOKEN_IN_ZONES)
            .sql();

    /** Counts a direct message for the agent that sends it. */
    public static final String COUNT_SENT = """
            INSERT INTO guard_sent (tenant_id, agent_id, said, partners, person_at, said_at)
            SELECT a.tenant_id, a.id, CAST(:said AS bigint), CAST(:partners AS bigint[]), CAST(:person_at AS timestamptz),
                   CAST(:at AS timestamptz)
              FROM agent a
             WHERE :is_counted AND a.tenant_id = :tenant AND a.id = :speaker
            ON CONFLICT (tenant_id, agent_id) DO UPDATE
               SET said = excluded.said, partners = excluded.partners,
                   person_at = excluded.person_at, said_at = excluded.said_at
            """;

    /** Notes it for the agent that receives it. */
    public static final String COUNT_RECEIVED = """
            INSERT INTO guard_received (tenant_id, agent_id, person_at, agent_at)
            SELECT a.tenant_id, a.id, news.person_at, news.agent_at
              FROM (SELECT CASE WHEN :by_program THEN CAST(:person_at AS timestamptz) ELSE :at END AS person_at,
                           CASE WHEN :by_program THEN CAST(:at AS timestamptz) END AS agent_at) news
              JOIN agent a ON a.tenant_id = :tenant AND a.id = CAST(:other AS bigint)
             WHERE NOT EXISTS (SELECT 1 FROM guard_received h
                                WHERE h.tenant_id = :tenant AND h.agent_id = a.id
                                  AND (news.person_at IS NULL OR h.person_at >= news.person_at)
                                  AND (news.agent_at IS NULL
                                       OR h.agent_at > news.agent_at - INTERVAL '1 minute'))
            ON CONFLICT (tenant_id, agent_id) DO UPDATE
               SET person_at = greatest(guard_received.person_at, excluded.person_at),
                   agent_at = greatest(guard_received.agent_at, excluded.agent_at)
            """;

    /** Stores that a session of the agent {@code :self} has ended. */
    public static final String LEFT = """
            INSERT INTO guard_received (tenant_id, agent_id, left_at)
            SELECT a.tenant_id, a.id, :now FROM agent a WHERE a.tenant_id = :tenant AND a.id = CAST(:self AS bigint)
            ON CONFLICT (tenant_id, agent_id) DO UPDATE SET left_at = excluded.left_at
            """;

    /** The columns of the answered message {@code m}. */
    public static final String PARENT = """
            m.id, m.speaker_id, m.chain, m.created_at AS at, NOT m.person AS by_program,
            ARRAY(SELECT link.name
                    FROM unnest(m.chain || m.speaker_id) WITH ORDINALITY k (id, n)
                    CROSS JOIN LATERAL (SELECT x.name FROM party x WHERE x.tenant_id = :tenant AND x.id = k.id OFFSET 0) link
                   ORDER BY k.n) AS chain_names
            """;

    private GuardQueries() {}

    /**
     * A message's place in its conversation, locked until the transaction ends; the limits in force, and what was counted there.
     *
     * @param at never before the last message
     * @param isStopped whether somebody has stopped the agents
     * @param agentsSaid in a zone, the number of messages of agents since a person spoke there, including the new one
     * @param voices in a zone, how many agents sent them
     * @param progressAt in a zone, when a person last spoke there, or a task of the domain last changed its state
     */
    public record Place(
            long conversation,
            long seq,
            Instant at,
            long hops,
            long perMinute,
            boolean isStopped,
            long agentsSaid,
            long voices,
            @Nullable Instant progressAt) {}

    /**
     * The message that a new one answers.
     *
     * @param chainNames the names of the agents in its chain, and of its own sender
     */
    public record ParentMessage(
            UUID id, long speaker, boolean byProgram, Instant at, List<Long> chain, List<String> chainNames) {
        public static @Nullable ParentMessage read(Row row) throws SQLException {
            return row.textOrNull("id") == null ? null : row.as(ParentMessage.class);
        }
    }

    /**
     * The history before a new message.
     *
     * @param toAgent whether an agent sends it directly to an agent
     * @param pacedAt when that message of its conversation was sent which is as many messages ago as may be sent in a minute
     * @param personAt when a person last spoke to the speaker, or to an agent whose message reached the speaker since; or progress
     * @param progressAt when a task of the two last changed its state; as in {@link Place} in a zone
     * @param directMessages the speaker's direct messages to agents since then
     * @param partners the agents that it sent them to
     */
    public record History(
            @Nullable ParentMessage parent,
            boolean toAgent,
            @Nullable Instant pacedAt,
            @Nullable Instant personAt,
            @Nullable Instant progressAt,
            long directMessages,
            List<Long> partners) {
        public static History read(Row row, @Nullable ParentMessage namedParent) throws SQLException {
            return new History(
                    namedParent == null ? ParentMessage.read(row) : namedParent,
                    row.flag("to_agent"),
                    row.instantOrNull("paced_at"),
                    row.instantOrNull("person_at"),
                    row.instantOrNull("progress"),
                    row.flag("goes_on") ? row.number("said") : 0,
                    row.flag("goes_on") ? row.numbers("partners") : List.of());
        }
    }
}
