package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.access.Visibility;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.context.Unread;
import io.agentworkspace.engine.db.AdvisoryLock;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The streams of messages, and how far each party has read them. */
public final class MessageStore {
    /** A message of the other side that is older than this no longer counts as answered. */
    static final Duration CONVERSATION = Duration.ofMinutes(15);

    /**
     * How many direct messages an agent may send to one or two agents before a person speaks. Below that, a look-up
     * whether a person spoke in the agent's zones is not needed.
     */
    public static final int MAX_DIRECT = 10;

    /** The maximum count for messages that one agent sends alone in a zone, without answers. */
    private static final int MAX_ALONE = 15;

    /** The maximum number of agents that are counted individually. */
    private static final int MAX_COUNTED = 50;

    /** When a person last spoke in a zone that the speaker takes part in. */
    private static final String SPOKEN_IN_ZONES = """
            (SELECT max(st.person_at)
               FROM participant p
               JOIN stream st ON st.tenant_id = p.tenant_id AND st.id = p.stream_id
              WHERE p.tenant_id = :tenant AND p.party_id = :speaker AND st.low_id IS NULL)""";

    /**
     * CTEs up to {@code taken}: the oldest unread messages of the party :party, at most :limit and as
     * many as fit into the response, without a gap in any stream.
     */
    private static String taken(String lock) {
        return """
            first AS (
                SELECT p.tenant_id, p.stream_id, p.party_id, p.read_seq, m.created_at
                  FROM participant p
                  CROSS JOIN LATERAL (SELECT x.created_at FROM message x
                                       WHERE x.tenant_id = p.tenant_id AND x.stream_id = p.stream_id
                                         AND x.seq > p.read_seq AND x.speaker_id <> p.party_id
                                       ORDER BY x.seq
                                       LIMIT 1) m
                 WHERE p.tenant_id = :tenant AND p.party_id = :party AND %s
                   AND %s > p.read_seq + p.own_unread
                 ORDER BY m.created_at, p.stream_id
                 LIMIT :limit
                 %s),
            waiting AS (
                SELECT m.*
                  FROM first
                  CROSS JOIN LATERAL (SELECT * FROM message x
                                       WHERE x.tenant_id = first.tenant_id AND x.stream_id = first.stream_id
                                         AND x.seq > first.read_seq AND x.speaker_id <> first.party_id
                                       ORDER BY x.seq
                                       LIMIT :limit) m),
            oldest AS (SELECT * FROM waiting ORDER BY created_at, stream_id, seq LIMIT :limit),
            weighed AS (
                SELECT m.*, row_number() OVER oldest_first AS place, sum(%s) OVER oldest_first AS weight
                  FROM oldest m
                WINDOW oldest_first AS (ORDER BY m.created_at, m.stream_id, m.seq)),
            taken AS (SELECT * FROM weighed WHERE place = 1 OR weight <= :room)
            """.formatted(Unread.MAY_WAIT, Unread.LAST, lock, TextSize.CUT_MESSAGE);
    }

    private static final String NEXT_IN = """
            UPDATE stream
               SET last_seq = last_seq + 1, last_at = greatest(last_at, :now),
                   person_at = CASE WHEN :by_agent THEN person_at ELSE :now END,
                   agents_said = CASE WHEN NOT :by_agent THEN 0
                                      WHEN last_at < :recent THEN 1
                                      WHEN voices <@ ARRAY[CAST(:speaker AS bigint)] THEN least(agents_said + 1, %2$d)
                                      ELSE agents_said + 1 END,
                   voices = CASE WHEN NOT :by_agent THEN '{}'
                                 WHEN last_at < :recent THEN ARRAY[CAST(:speaker AS bigint)]
                                 WHEN CAST(:speaker AS bigint) = ANY(voices) OR cardinality(voices) >= %1$d THEN voices
                                 ELSE voices || CAST(:speaker AS bigint) END
             WHERE tenant_id = :tenant AND id = :stream
            RETURNING id, last_seq, last_at, agents_said, cardinality(voices) AS voices
            """.formatted(MAX_COUNTED, MAX_ALONE);

    /** @param here the condition for the stream {@code x} */
    private static String readBefore(String here) {
        return """
            WITH count AS (
                SELECT CASE WHEN heard.agent_at > :recent THEN talk.said ELSE least(talk.said, :many / 2 - 1) END AS said,
                       talk.partners, talk.person_at AS counted_from, talk.said_at > :recent AS goes_on,
                       greatest(heard.person_at, talk.person_at,
                                CASE WHEN talk.said >= :many THEN %s END) AS person_at
                  FROM (VALUES (1)) one (row)
                  LEFT JOIN agent_heard heard ON heard.tenant_id = :tenant AND heard.agent_id = :speaker
                  LEFT JOIN agent_talk talk ON talk.tenant_id = :tenant AND talk.agent_id = :speaker),
            here AS (SELECT x.id, x.last_seq FROM stream x WHERE x.tenant_id = :tenant AND %s)
            SELECT answered.id, answered.speaker_id, answered.chain, answered.created_at,
                   COALESCE(answered.kind = 'agent', false) AS by_agent,
                   EXISTS (SELECT 1 FROM agent a
                            WHERE a.tenant_id = :tenant AND a.id = CAST(:other AS bigint)) AS to_agent,
                   (SELECT count(*) FROM message recent
                     WHERE recent.tenant_id = :tenant AND recent.stream_id = here.id
                       AND recent.seq > here.last_seq - 50
                       AND recent.created_at > CAST(:now AS timestamptz) - INTERVAL '1 minute') AS last_minute,
                   count.person_at, count.said, count.partners,
                   COALESCE(count.goes_on, false) AND count.person_at IS NOT DISTINCT FROM count.counted_from AS goes_on
              FROM count
              CROSS JOIN here
              LEFT JOIN LATERAL (
                  SELECT m.id, m.speaker_id, m.chain, m.created_at, said_by.kind
                    FROM message m
                    JOIN party said_by ON said_by.tenant_id = m.tenant_id AND said_by.id = m.speaker_id
                   WHERE m.tenant_id = :tenant AND m.stream_id = here.id
                     AND CASE WHEN CAST(:reply AS uuid) IS NOT NULL THEN m.id = :reply
                              ELSE CAST(:other AS bigint) IS NOT NULL AND m.speaker_id <> :speaker AND m.created_at > :recent
                                   AND m.seq > COALESCE((SELECT own.seq FROM message own
                                                          WHERE own.tenant_id = :tenant AND own.stream_id = here.id
                                                            AND own.speaker_id = :speaker
                                                          ORDER BY own.seq DESC LIMIT 1), 0) END
                   ORDER BY m.seq DESC
                   LIMIT 1) answered ON true
            """.formatted(SPOKEN_IN_ZONES, here);
    }

    private static final String NEXT_DIRECT = """
            INSERT INTO stream (tenant_id, low_id, high_id, last_seq, last_at)
            VALUES (:tenant, least(:speaker, :other), greatest(:speaker, :other), 1, :now)
            ON CONFLICT (tenant_id, low_id, high_id) DO UPDATE
               SET last_seq = stream.last_seq + 1, last_at = greatest(stream.last_at, excluded.last_at)
            RETURNING id, last_seq, last_at, agents_said, cardinality(voices) AS voices
            """;

    /**
     * Locks an agent as a speaker until the transaction ends: what it has sent is then counted exactly. People are not
     * counted, and may speak in many places at once.
     */
    private static final String TAKE_TURN =
            "SELECT pg_advisory_xact_lock(:lock, CAST(:speaker % 2147483647 AS integer));\n";

    private static final String BEGIN_DIRECT = NEXT_DIRECT + ";\n"
            + readBefore(
                    "x.low_id = least(CAST(:speaker AS bigint), :other) AND x.high_id = greatest(CAST(:speaker AS bigint), :other)");

    private static final String BEGIN_IN = NEXT_IN + ";\n" + readBefore("x.id = :stream");

    private static final String BEGIN_DIRECT_IN_TURN = TAKE_TURN + BEGIN_DIRECT;

    private static final String BEGIN_IN_TURN = TAKE_TURN + BEGIN_IN;

    private static final String FIND_STREAM = ContextStore.KNOWN_CONTEXT + """
            SELECT m.stream_id, z.id AS zone_id,
                   CASE WHEN st.low_id = :speaker THEN st.high_id ELSE st.low_id END AS other_id
              FROM ctx, message m
              JOIN stream st ON st.tenant_id = m.tenant_id AND st.id = m.stream_id
              LEFT JOIN zone z ON z.tenant_id = m.tenant_id AND z.stream_id = m.stream_id
              LEFT JOIN domain d ON d.tenant_id = z.tenant_id AND d.id = z.domain_id
             WHERE m.tenant_id = :tenant AND m.id = :message
               AND (EXISTS (SELECT 1 FROM participant p
                             WHERE p.tenant_id = m.tenant_id AND p.stream_id = m.stream_id AND p.party_id = :speaker)
                    OR (ctx.self_id IS NULL AND d.id IS NOT NULL AND %s))
            """.formatted(Visibility.talk("d"));

    private static final String INSERT = """
            WITH m AS (INSERT INTO message (tenant_id, stream_id, seq, id, speaker_id, content, answers, chain,
                                            created_at)
                       VALUES (:tenant, :stream, :seq, :id, :speaker, :content, :answers, CAST(:chain AS bigint[]), :at)
                       RETURNING *),
                 spoke AS (UPDATE participant
                              SET own_unread = own_unread + 1,
                                  last_seq = CASE WHEN CAST(:other AS bigint) IS NOT NULL THEN :seq END
                            WHERE tenant_id = :tenant AND party_id = :speaker AND stream_id = :stream
                        RETURNING 1),
                 joined AS (INSERT INTO participant (tenant_id, party_id, stream_id, owner_id, read_seq, last_seq)
                            SELECT :tenant, :speaker, :stream, :user, :seq,
                                   CASE WHEN CAST(:other AS bigint) IS NOT NULL THEN :seq END
                             WHERE :joins AND NOT EXISTS (SELECT 1 FROM spoke)
                            ON CONFLICT (tenant_id, party_id, stream_id) DO UPDATE
                               SET own_unread = participant.own_unread + 1, last_seq = excluded.last_seq
                            RETURNING 1),
                 hears AS (INSERT INTO participant (tenant_id, party_id, stream_id, owner_id, read_seq, last_seq)
                           SELECT :tenant, o.id, :stream, COALESCE(a.owner_id, o.id), :seq - 1, :seq
                             FROM (SELECT CAST(:other AS bigint) AS id) o
                             LEFT JOIN agent a ON a.tenant_id = :tenant AND a.id = o.id
                            WHERE o.id IS NOT NULL
                           ON CONFLICT (tenant_id, party_id, stream_id) DO UPDATE SET last_seq = excluded.last_seq),
                 counted AS (INSERT INTO agent_talk (tenant_id, agent_id, said, partners, person_at, said_at)
                             SELECT :tenant, :speaker, :said, CAST(:partners AS bigint[]), CAST(:person_at AS timestamptz), :at
                              WHERE :said > 0
                             ON CONFLICT (tenant_id, agent_id) DO UPDATE
                                SET said = excluded.said, partners = excluded.partners,
                                    person_at = excluded.person_at, said_at = excluded.said_at),
                 told AS (INSERT INTO agent_heard (tenant_id, agent_id, person_at, agent_at)
                          SELECT a.tenant_id, a.id, news.person_at, news.agent_at
                            FROM (SELECT CASE WHEN :by_agent THEN CAST(:person_at AS timestamptz) ELSE :at END AS person_at,
                                         CASE WHEN :by_agent THEN CAST(:at AS timestamptz) END AS agent_at) news
                            JOIN agent a ON a.tenant_id = :tenant AND a.id = CAST(:other AS bigint)
                           WHERE NOT EXISTS (SELECT 1 FROM agent_heard h
                                              WHERE h.tenant_id = :tenant AND h.agent_id = a.id
                                                AND (news.person_at IS NULL OR h.person_at >= news.person_at)
                                                AND (news.agent_at IS NULL
                                                     OR h.agent_at > news.agent_at - INTERVAL '1 minute'))
                          ON CONFLICT (tenant_id, agent_id) DO UPDATE
                             SET person_at = greatest(agent_heard.person_at, excluded.person_at),
                                 agent_at = greatest(agent_heard.agent_at, excluded.agent_at))
            SELECT %s AS record
              FROM m %s
             WHERE EXISTS (SELECT 1 FROM spoke) OR EXISTS (SELECT 1 FROM joined)
            """.formatted(MessageRow.RECORD, MessageRow.JOINS);

    private static final String READ_SAID =
            "SELECT %s AS record FROM message m %s WHERE m.tenant_id = :tenant AND m.id = :id"
                    .formatted(MessageRow.CUT_RECORD, MessageRow.JOINS);

    private static final String READ_WAITING =
            "WITH " + taken("") + """
            SELECT jsonb_agg(%s ORDER BY m.created_at, m.stream_id, m.seq) AS messages FROM taken m %s
            """.formatted(MessageRow.CUT_RECORD, MessageRow.JOINS);

    private static final String TAKE =
            "WITH " + taken("FOR UPDATE OF p SKIP LOCKED") + """
            , marked AS (
                UPDATE participant p
                   SET read_seq = t.seq,
                       own_unread = (SELECT count(*) FROM message own
                                      WHERE own.tenant_id = p.tenant_id AND own.stream_id = p.stream_id
                                        AND own.seq > t.seq AND own.speaker_id = p.party_id)
                  FROM (SELECT stream_id, max(seq) AS seq FROM taken GROUP BY stream_id) t
                 WHERE p.tenant_id = :tenant AND p.party_id = :party AND p.stream_id = t.stream_id
                   AND p.read_seq < t.seq)
            SELECT jsonb_agg(%s ORDER BY m.created_at, m.stream_id, m.seq) AS messages FROM taken m %s
            """.formatted(MessageRow.CUT_RECORD, MessageRow.JOINS);

    private static final String SAY = INSERT + ";\n" + TAKE;

    private static final String COUNT_UNREAD = "SELECT %s AS unread".formatted(MessageRow.UNREAD);

    private final Db db;

    public MessageStore(Db db) {
        this.db = db;
    }

    /**
     * The next place in a stream, locked until the transaction ends; its time is never before that of the last.
     *
     * @param agentsSaid in a zone, the messages of agents since a person spoke there, with the new one
     * @param voices in a zone, how many agents sent them
     */
    public record Place(long stream, long seq, Instant at, long agentsSaid, long voices) {}

    /** The message that a new one answers. */
    public record Answered(UUID id, long speaker, boolean byAgent, Instant at, List<Long> chain) {}

    /**
     * The history before a new message.
     *
     * @param toAgent whether it is a direct message to an agent
     * @param lastMinute the messages of its stream in the last minute
     * @param personAt when a person last spoke to the speaker, or to an agent whose message reached the speaker since
     * @param said the speaker's direct messages to agents since then
     * @param partners the agents that it sent them to
     */
    public record Before(
            @Nullable Answered answered,
            boolean toAgent,
            long lastMinute,
            @Nullable Instant personAt,
            long said,
            List<Long> partners) {}

    /** What is stored with a new message for the loop guard; {@code said} is 0 if it does not count. */
    public record Lineage(
            @Nullable UUID answers,
            List<Long> chain,
            @Nullable Instant personAt,
            long said,
            List<Long> partners) {}

    /** The place of a message: a zone, or between two parties. */
    public record MessagePlace(
            long stream, @Nullable Long zone, @Nullable Long other) {}

    private static Place place(Row row) throws SQLException {
        return new Place(
                row.number("id"),
                row.number("last_seq"),
                Objects.requireNonNull(row.instantOrNull("last_at")),
                row.number("agents_said"),
                row.number("voices"));
    }

    /** A message's place, and the history before it. */
    public record Beginning(Place place, Before before) {}

    /**
     * Takes the next place in the direct messages of two parties, or in a zone's stream, where it counts what agents say
     * without a person. Finds which message the new one answers: the named one, else, in direct messages, the other side's
     * latest since the speaker's own last. Also counts what agents have sent already.
     *
     * @param stream the zone's, null in direct messages
     * @param other the recipient, null in a zone
     * @throws Problem {@code conflict} if the zone was deleted since it was looked up
     */
    public Beginning begin(
            Call call, @Nullable Long stream, @Nullable Long other, long speaker, @Nullable UUID replyTo) {
        var byAgent = call.context().self() != null;
        var statement =
                other == null ? byAgent ? BEGIN_IN_TURN : BEGIN_IN : byAgent ? BEGIN_DIRECT_IN_TURN : BEGIN_DIRECT;
        return db.sql(call, statement)
                .set("lock", AdvisoryLock.PARTY.number)
                .set("stream", stream)
                .set("speaker", speaker)
                .set("other", other)
                .set("by_agent", byAgent)
                .set("reply", replyTo)
                .set("many", MAX_DIRECT)
                .set("recent", call.now().minus(CONVERSATION))
                .all(results -> {
                    if (byAgent) {
                        results.next(_ -> true);
                    }
                    var place = results.next(MessageStore::place)
                            .orElseThrow(() -> Problem.conflict("the zone has just been destroyed"));
                    return new Beginning(
                            place, results.next(MessageStore::before).orElseThrow());
                });
    }

    private static Before before(Row row) throws SQLException {
        return new Before(
                answered(row),
                row.flag("to_agent"),
                row.number("last_minute"),
                row.instantOrNull("person_at"),
                row.flag("goes_on") ? row.number("said") : 0,
                row.flag("goes_on") ? row.numbers("partners") : List.of());
    }

    private static @Nullable Answered answered(Row row) throws SQLException {
        return row.textOrNull("id") == null
                ? null
                : new Answered(
                        UUID.fromString(row.text("id")),
                        row.number("speaker_id"),
                        row.flag("by_agent"),
                        Objects.requireNonNull(row.instantOrNull("created_at")),
                        row.numbers("chain"));
    }

    /** The place of the message with this id, if the speaker takes part there, or is a user who may read it. */
    public Optional<MessagePlace> find(Call call, UUID message, long speaker) {
        return db.sql(call, FIND_STREAM)
                .set("message", message)
                .set("speaker", speaker)
                .one(row -> new MessagePlace(
                        row.number("stream_id"), row.numberOrNull("zone_id"), row.numberOrNull("other_id")));
    }

    /** The text, the speaker and the other party; null in a zone, where agents already take part as members. */
    public record Saying(
            Ref speaker, boolean byAgent, @Nullable Long other, String content) {}

    /**
     * Stores the message; the two parties, or a user in a zone, take part from now on. Then takes the speaker's oldest
     * unread messages, up to a limit, and marks them as read; those that another call of the speaker takes at the same time
     * are left to it.
     *
     * @return the message, and then what was taken
     * @throws Problem {@code conflict} if the speaking agent has just been removed from the zone
     */
    public List<Message> say(Call call, Place place, Saying saying, Lineage lineage, int limit) {
        return db.sql(call, SAY)
                .set("stream", place.stream())
                .set("seq", place.seq())
                .set("at", place.at())
                .set("id", DecimalId.random())
                .set("speaker", saying.speaker().id())
                .set("joins", saying.other() != null || !saying.byAgent())
                .set("other", saying.other())
                .set("content", saying.content())
                .set("by_agent", saying.byAgent())
                .set("answers", lineage.answers())
                .set("chain", lineage.chain())
                .set("person_at", lineage.personAt())
                .set("said", lineage.said())
                .set("partners", lineage.partners())
                .set("party", saying.speaker().id())
                .set("limit", limit)
                .all(results -> {
                    var all = new ArrayList<Message>();
                    all.add(results.next(row -> Objects.requireNonNull(row.json("record", Message.class)))
                            .orElseThrow(() -> Problem.conflict("the agent '%s' has just been put out of the zone"
                                    .formatted(saying.speaker().name()))));
                    all.addAll(results.next(row -> row.jsonList("messages", Message.class))
                            .orElseThrow());
                    return all;
                });
    }

    /** An earlier message, as a response to a write shows it. */
    public Message said(Call call, UUID id) {
        return db.sql(call, READ_SAID)
                .set("id", id)
                .one(row -> Objects.requireNonNull(row.json("record", Message.class)))
                .orElseThrow(() -> Problem.notFound("message", id.toString(), List.of()));
    }

    /** The oldest unread messages of the party, up to a limit; they stay unread. */
    public List<Message> waiting(Call call, long party, int limit) {
        return db.sql(call, READ_WAITING)
                .set("party", party)
                .set("limit", limit)
                .one(row -> row.jsonList("messages", Message.class))
                .orElseThrow();
    }

    /** Counts the unread messages of the current speaker. */
    public void recount(Call call) {
        call.context(
                call.context().withUnread(unread(call, call.context().speaker().id())));
    }

    /** The same after streams were closed; if nothing was unread, nothing is now. */
    public void recountFewer(Call call) {
        if (call.context().unread() > 0) {
            recount(call);
        }
    }

    private long unread(Call call, long party) {
        return db.sql(call, COUNT_UNREAD)
                .set("party", party)
                .one(row -> row.number("unread"))
                .orElseThrow();
    }

    /** Takes the user out of the zones of all domains that it takes no part in any more. */
    public static void silence(Db db, Call call, long user) {
        db.sql(call, """
                DELETE FROM participant p
                 USING zone z, domain d, app_user u
                 WHERE p.tenant_id = :tenant AND p.party_id = :member
                   AND z.tenant_id = p.tenant_id AND z.stream_id = p.stream_id
                   AND d.tenant_id = z.tenant_id AND d.id = z.domain_id AND d.owner_id <> p.party_id
                   AND u.tenant_id = p.tenant_id AND u.id = p.party_id AND u.role NOT IN ('admin', 'owner')
                   AND NOT EXISTS (SELECT 1 FROM membership mine
                                    WHERE mine.tenant_id = d.tenant_id AND mine.domain_id = d.id
                                      AND mine.owner_id = p.party_id AND mine.state = 'member')
                """).set("member", user).run();
    }
}
