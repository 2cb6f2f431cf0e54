package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.db.AdvisoryLock;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Takes the next place in a conversation, and reads the history before it in the same round trip. */
public final class ConversationStore {
    /** The age from which a message of the other side no longer counts as answered. */
    public static final Duration RECENT = Duration.ofMinutes(15);

    /** The maximum number of agents that are counted individually. */
    private static final int MAX_COUNTED = 50;

    /**
     * The loop guard of direct messages between the speaker and :other. Where both agents have a limit other than the default, the
     * lower one counts; where one has, that one.
     */
    private static final String PAIR = SqlTemplate.of("""
            SELECT COALESCE(min(NULLIF(ga.guard_hops, {hops})), {hops}) AS hops, COALESCE(min(NULLIF(ga.guard_per_minute, {per_minute})), {per_minute}) AS per_minute,
                   COALESCE(bool_or(ga.guard_stopped), false) AS stopped
              FROM agent ga
             WHERE ga.tenant_id = :tenant AND ga.id IN (CAST(:speaker AS bigint), CAST(:other AS bigint))
            """)
            .with("hops", GuardLimits.DEFAULT_HOPS)
            .with("per_minute", GuardLimits.DEFAULT_PER_MINUTE)
            .sql();

    /** The columns of the answered message {@code m}. */
    public static final String PARENT = """
            m.id, m.speaker_id, m.chain, m.created_at, NOT m.person AS by_program,
            ARRAY(SELECT link.name
                    FROM unnest(m.chain || m.speaker_id) WITH ORDINALITY k (id, n)
                    CROSS JOIN LATERAL (SELECT x.name FROM party x WHERE x.tenant_id = m.tenant_id AND x.id = k.id OFFSET 0) link
                   ORDER BY k.n) AS chain_names
            """;

    /**
     * Locks an agent as a speaker until the transaction ends: what it has sent is then counted exactly. People are not
     * counted, and may speak in many places at once.
     */
    private static final String TAKE_TURN =
            "SELECT pg_advisory_xact_lock(:lock, CAST(:speaker % 2147483647 AS integer)) WHERE :by_agent";

    /** Takes the next place in a zone's conversation. The count begins again after a person's message, progress or a silence. */
    private static final String NEXT_IN_ZONE = SqlTemplate.of("""
            UPDATE conversation c
               SET last_seq = last_seq + 1, last_at = greatest(last_at, :now),
                   person_at = CASE WHEN :by_program THEN person_at ELSE :now END,
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
              FROM (SELECT gd.guard_hops AS hops, gd.guard_per_minute AS per_minute,
                           gd.guard_stopped AS stopped,
                           (SELECT main.progress_at
                              FROM zone mz JOIN conversation main ON main.tenant_id = mz.tenant_id AND main.id = mz.conversation_id
                             WHERE mz.tenant_id = gd.tenant_id AND mz.domain_id = gd.id AND mz.name_key = 'main') AS progress
                      FROM zone gz JOIN domain gd ON gd.tenant_id = gz.tenant_id AND gd.id = gz.domain_id
                     WHERE gz.tenant_id = :tenant AND gz.conversation_id = :conversation) place
             WHERE c.tenant_id = :tenant AND c.id = :conversation
            RETURNING c.id AS conversation, c.last_seq, c.last_at, c.agents_said, cardinality(c.voices) AS voices,
                      place.hops, place.per_minute, place.stopped, greatest(place.progress, c.person_at) AS progress
            """)
            .with("afresh", """
                    (c.last_at < :recent OR (place.progress IS NOT NULL AND place.progress > COALESCE(c.counted_at, '-infinity')))""")
            .with("max_counted", MAX_COUNTED)
            .sql();

    /** Takes the next place between two parties, whose conversation begins with it if there was none. */
    private static final String NEXT_DIRECT =
            SqlTemplate.of("""
            WITH pair AS ({pair})
            INSERT INTO conversation (tenant_id, low_id, high_id, last_seq, last_at)
            VALUES (:tenant, least(:speaker, :other), greatest(:speaker, :other), 1, :now)
            ON CONFLICT (tenant_id, low_id, high_id) DO UPDATE
               SET last_seq = conversation.last_seq + 1, last_at = greatest(conversation.last_at, excluded.last_at)
            RETURNING id AS conversation, last_seq, last_at, agents_said, cardinality(voices) AS voices,
            (SELECT hops FROM pair) AS hops, (SELECT per_minute FROM pair) AS per_minute, (SELECT stopped FROM pair) AS stopped,
            CAST(NULL AS timestamptz) AS progress
            """).with("pair", PAIR).sql();

    /** Keeps an agent in the zone until the transaction ends. */
    private static final String STAY = """
            SELECT 1 AS stays FROM participant
             WHERE :by_agent AND tenant_id = :tenant AND party_id = :speaker AND conversation_id = :conversation
               FOR NO KEY UPDATE
            """;

    /** What the response and the stored message name besides the place. */
    private static final String KEY_NAME =
            "(SELECT k.name FROM api_key k WHERE k.tenant_id = :tenant AND k.id = CAST(:key AS text)) AS by_key";

    private static final String REACH_IN_ZONE = "SELECT " + KEY_NAME
            + Reach.columns("CAST(NULL AS bigint)", "CAST(:conversation AS bigint)", "CAST(:reply AS uuid)");

    /** When a person last spoke in a zone that the speaker takes part in. */
    private static final String SPOKEN_IN_ZONES = """
            (SELECT max(st.person_at)
               FROM participant p
               JOIN conversation st ON st.tenant_id = p.tenant_id AND st.id = p.conversation_id
              WHERE p.tenant_id = :tenant AND p.party_id = :speaker AND st.low_id IS NULL)""";

    /**
     * What an agent has sent before, and which message the new one answers: unless the speaker names one, the other side's
     * latest since the speaker's own last. Users are not counted.
     */
    private static final String HISTORY = SqlTemplate.of("""
            WITH dial AS ({pair}),
            count AS (
                SELECT dial.per_minute,
                       CASE WHEN heard.agent_at > :recent THEN talk.said
                            ELSE least(talk.said, greatest(dial.per_minute / 2 - 1, 0)) END AS said,
                       talk.partners, talk.person_at AS counted_from, talk.said_at > :recent AS goes_on,
                       greatest(heard.progress_at, others.progress_at) AS progress,
                       greatest(heard.person_at, talk.person_at, heard.progress_at, others.progress_at,
                                CASE WHEN talk.said >= dial.per_minute THEN {spoken_in_zones} END) AS person_at
                  FROM dial
                  LEFT JOIN guard_received heard ON :by_agent AND heard.tenant_id = :tenant AND heard.agent_id = :speaker
                  LEFT JOIN guard_received others ON others.tenant_id = :tenant AND others.agent_id = :other
                  LEFT JOIN guard_sent talk ON :by_agent AND talk.tenant_id = :tenant AND talk.agent_id = :speaker),
            here AS (SELECT x.id, x.last_seq FROM conversation x
                      WHERE x.tenant_id = :tenant AND x.low_id = least(CAST(:speaker AS bigint), :other)
                        AND x.high_id = greatest(CAST(:speaker AS bigint), :other))
            SELECT parent.*,
                   :by_agent AND EXISTS (SELECT 1 FROM agent a WHERE a.tenant_id = :tenant AND a.id = :other) AS to_agent,
                   (SELECT first.created_at FROM message first
                     WHERE :by_agent AND first.tenant_id = :tenant AND first.conversation_id = here.id
                       AND first.seq = here.last_seq - count.per_minute) AS paced_at,
                   count.person_at, count.progress, count.said, count.partners,
                   COALESCE(count.goes_on, false) AND count.person_at IS NOT DISTINCT FROM count.counted_from AS goes_on,
                   {key_name}{reach}
              FROM count
              CROSS JOIN here
              LEFT JOIN LATERAL (
                  SELECT {parent}
                    FROM message m
                   WHERE NOT :is_answer AND m.tenant_id = :tenant AND m.conversation_id = here.id
                     AND m.speaker_id <> :speaker AND m.created_at > :recent
                     AND m.seq > COALESCE((SELECT own.seq FROM message own
                                            WHERE own.tenant_id = :tenant AND own.conversation_id = here.id
                                              AND own.speaker_id = :speaker
                                            ORDER BY own.seq DESC LIMIT 1), 0)
                   ORDER BY m.seq DESC
                   LIMIT 1) parent ON true
            """)
            .with("spoken_in_zones", SPOKEN_IN_ZONES)
            .with("parent", PARENT)
            .with("key_name", KEY_NAME)
            .with("pair", PAIR)
            .with(
                    "reach",
                    Reach.columns(
                            "CAST(:other AS bigint)",
                            "CAST(NULL AS bigint)",
                            "COALESCE(CAST(:reply AS uuid), parent.id)"))
            .sql();

    private static final String BEGIN_IN_ZONE = String.join(";\n", TAKE_TURN, NEXT_IN_ZONE, STAY, REACH_IN_ZONE);

    private static final String BEGIN_DIRECT = String.join(";\n", TAKE_TURN, NEXT_DIRECT, HISTORY);

    private final Db db;

    public ConversationStore(Db db) {
        this.db = db;
    }

    /**
     * The loop guard.
     *
     * @param isStopped whether somebody has stopped the agents
     */
    public record EffectiveGuard(long hops, long perMinute, boolean isStopped) {
        static EffectiveGuard read(Row row) throws SQLException {
            return new EffectiveGuard(row.number("hops"), row.number("per_minute"), row.flag("stopped"));
        }
    }

    /**
     * The next place in a conversation, locked until the transaction ends. Its time is never before that of the last message.
     *
     * @param agentsSaid in a zone, the number of messages of agents since a person spoke there, including the new one
     * @param voices in a zone, how many agents sent them
     * @param guard the loop guard of the zone's domain, or of the two agents
     * @param progressAt in a zone, when a person last spoke there, or a task of the domain last changed its state
     */
    public record NextMessage(
            long conversation,
            long seq,
            Instant at,
            long agentsSaid,
            long voices,
            EffectiveGuard guard,
            @Nullable Instant progressAt) {
        static NextMessage read(Row row) throws SQLException {
            return new NextMessage(
                    row.number("conversation"),
                    row.number("last_seq"),
                    Objects.requireNonNull(row.instantOrNull("last_at")),
                    row.number("agents_said"),
                    row.number("voices"),
                    EffectiveGuard.read(row),
                    row.instantOrNull("progress"));
        }
    }

    /**
     * The message that a new one answers.
     *
     * @param chainNames the names of the agents in its chain, and of its own sender
     */
    public record ParentMessage(
            UUID id, long speaker, boolean byProgram, Instant at, List<Long> chain, List<String> chainNames) {
        public static @Nullable ParentMessage read(Row row) throws SQLException {
            var id = row.textOrNull("id");
            return id == null
                    ? null
                    : new ParentMessage(
                            UUID.fromString(id),
                            row.number("speaker_id"),
                            row.flag("by_program"),
                            Objects.requireNonNull(row.instantOrNull("created_at")),
                            row.numbers("chain"),
                            row.texts("chain_names"));
        }
    }

    /**
     * The history before a new message.
     *
     * @param toAgent whether an agent sends it directly to an agent
     * @param pacedAt when that message of its conversation was sent which is as many messages ago as may be sent in a minute
     * @param personAt when a person last spoke to the speaker, or to an agent whose message reached the speaker since; or progress
     * @param progressAt when a task of the two last changed its state; as in {@link NextMessage} in a zone
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
        static History read(Row row, @Nullable ParentMessage namedParent) throws SQLException {
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

    /**
     * A message's place, the history before it, and who will hear of it.
     *
     * @param byKey the name of the key by which a program speaks for a user
     */
    public record Slot(
            NextMessage place,
            History history,
            Reach reach,
            @Nullable String byKey) {}

    /**
     * Takes the next place in a zone's conversation, which counts the messages of agents since a person spoke, or in that of
     * two parties, where it also counts what the agent has already sent.
     *
     * @throws Problem {@code conflict} if the zone was deleted, or the agent was removed from it, since it was looked up
     */
    public Slot begin(Call call, Destination to) {
        return to.other() == null ? beginInZone(call, to) : beginDirect(call, to);
    }

    private Slot beginInZone(Call call, Destination to) {
        return statement(call, to, BEGIN_IN_ZONE)
                .set("conversation", to.conversation())
                .all(results -> {
                    results.next(_ -> true); // The turn.
                    var place = results.next(NextMessage::read)
                            .orElseThrow(() ->
                                    Problem.conflict("the zone has just been destroyed; ZN_List shows the others"));
                    if (results.next(_ -> true).isEmpty() && call.context().self() != null) {
                        throw Problem.conflict("the agent '%s' was just removed from the zone"
                                .formatted(call.context().self().name()));
                    }
                    var history = new History(to.parent(), false, null, null, place.progressAt(), 0, List.of());
                    return results.next(row -> slot(place, history, row)).orElseThrow();
                });
    }

    private Slot beginDirect(Call call, Destination to) {
        return statement(call, to, BEGIN_DIRECT)
                .set("other", Objects.requireNonNull(to.other()).id())
                .set("is_answer", to.parent() != null)
                .all(results -> {
                    results.next(_ -> true); // The turn.
                    var place = results.next(NextMessage::read).orElseThrow();
                    return results.next(row -> slot(place, History.read(row, to.parent()), row))
                            .orElseThrow();
                });
    }

    private Statement statement(Call call, Destination to, String text) {
        var byAgent = call.context().self() != null;
        return db.sql(call, text)
                .set("lock", AdvisoryLock.PARTY.number)
                .set("speaker", call.context().speaker().id())
                .set("by_agent", byAgent)
                .set("reply", to.parent() == null ? null : to.parent().id())
                .set("by_program", !call.isByPerson())
                .set("key", byAgent ? null : call.caller().credential().key())
                .set("recent", call.now().minus(RECENT));
    }

    private static Slot slot(NextMessage place, History history, Row row) throws SQLException {
        var reach = new Reach(
                row.textOrNull("wakes"),
                row.instantOrNull("last_used_at"),
                row.instantOrNull("left_at"),
                row.numbers("reached"));
        return new Slot(place, history, reach, row.textOrNull("by_key"));
    }
}
