package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.access.Visibility;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.context.Unread;
import io.agentworkspace.engine.db.AdvisoryLock;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Stores messages in streams, and how far each party has read them. */
public final class MessageStore {
    public static final String AGENT = "agent";
    public static final String USER = "user";

    /** The age from which a message of the other side no longer counts as answered. */
    public static final Duration CONVERSATION = Duration.ofMinutes(15);

    /**
     * The number of direct messages from which it is looked up whether a person spoke in the agent's zones. By default it is
     * also the maximum of those that an agent may send to one or two agents before a person speaks.
     */
    public static final int MAX_DIRECT = 10;

    /**
     * Returns the CTEs up to {@code taken}: the oldest unread messages of the party :party. They are at most :limit, as
     * many as fit into the response, and without a gap in any stream.
     */
    private static String taken(String lock) {
        return SqlTemplate.of("""
            first AS (
                SELECT p.tenant_id, p.stream_id, p.party_id, p.read_seq, m.created_at
                  FROM participant p
                  CROSS JOIN LATERAL (SELECT x.created_at FROM message x
                                       WHERE x.tenant_id = p.tenant_id AND x.stream_id = p.stream_id
                                         AND x.seq > p.read_seq AND x.speaker_id <> p.party_id
                                       ORDER BY x.seq
                                       LIMIT 1) m
                 WHERE p.tenant_id = :tenant AND p.party_id = :party AND {may_wait}
                   AND {last} > p.read_seq + p.own_unread
                 ORDER BY m.created_at, p.stream_id
                 LIMIT :limit
                 {lock}),
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
                SELECT m.*, row_number() OVER oldest_first AS place, sum({size}) OVER oldest_first AS weight
                  FROM oldest m
                WINDOW oldest_first AS (ORDER BY m.created_at, m.stream_id, m.seq)),
            taken AS (SELECT * FROM weighed WHERE place = 1 OR weight <= :room)
            """)
                .with("may_wait", Unread.MAY_WAIT)
                .with("last", Unread.LAST)
                .with("lock", lock)
                .with("size", TextSize.CUT_MESSAGE)
                .sql();
    }

    private static final String FIND_STREAM = ContextStore.KNOWN_CONTEXT
            + SqlTemplate.of("""
            SELECT m.stream_id, z.id AS zone_id,
                   CASE WHEN st.low_id = :speaker THEN st.high_id ELSE st.low_id END AS other_id
              FROM ctx, message m
              JOIN stream st ON st.tenant_id = m.tenant_id AND st.id = m.stream_id
              LEFT JOIN zone z ON z.tenant_id = m.tenant_id AND z.stream_id = m.stream_id
              LEFT JOIN domain d ON d.tenant_id = z.tenant_id AND d.id = z.domain_id
             WHERE m.tenant_id = :tenant AND m.id = :message
               AND (EXISTS (SELECT 1 FROM participant p
                             WHERE p.tenant_id = m.tenant_id AND p.stream_id = m.stream_id AND p.party_id = :speaker)
                    OR (ctx.self_id IS NULL AND d.id IS NOT NULL AND {may_talk}))
            """).with("may_talk", Visibility.talk("d")).sql();

    private static final String READ_SAID = SqlTemplate.of(
                    "SELECT {columns} FROM message m {joins} WHERE m.tenant_id = :tenant AND m.id = :id")
            .with("columns", MessageRow.CUT_COLUMNS)
            .with("joins", MessageRow.JOINS)
            .sql();

    private static final String READ_WAITING = "WITH " + taken("")
            + SqlTemplate.of("""
            SELECT {columns} FROM taken m {joins} ORDER BY m.created_at, m.stream_id, m.seq
            """)
                    .with("columns", MessageRow.CUT_COLUMNS)
                    .with("joins", MessageRow.JOINS)
                    .sql();

    private static final String TAKE = "WITH " + taken("FOR UPDATE OF p SKIP LOCKED")
            + SqlTemplate.of("""
            , whole AS (
                SELECT m.stream_id, m.seq,
                       bool_or(m.content <> {cut}) OVER (PARTITION BY m.stream_id ORDER BY m.seq) AS follows_cut
                  FROM taken m),
            marked AS (
                UPDATE participant p
                   SET read_seq = t.seq,
                       own_unread = (SELECT count(*) FROM message own
                                      WHERE own.tenant_id = p.tenant_id AND own.stream_id = p.stream_id
                                        AND own.seq > t.seq AND own.seq <= COALESCE(p.last_seq, own.seq)
                                        AND own.speaker_id = p.party_id)
                  FROM (SELECT stream_id, max(seq) AS seq FROM whole WHERE NOT follows_cut GROUP BY stream_id) t
                 WHERE p.tenant_id = :tenant AND p.party_id = :party AND p.stream_id = t.stream_id
                   AND p.read_seq < t.seq),
            receipts AS (
                UPDATE message r
                   SET delivered_at = COALESCE(r.delivered_at, :now),
                       read_at = CASE WHEN m.content = {cut} THEN CAST(:now AS timestamptz) END
                  FROM taken m
                  JOIN stream st ON st.tenant_id = m.tenant_id AND st.id = m.stream_id AND st.low_id IS NOT NULL
                 WHERE r.tenant_id = m.tenant_id AND r.stream_id = m.stream_id AND r.seq = m.seq AND r.read_at IS NULL)
            SELECT {columns} FROM taken m {joins} ORDER BY m.created_at, m.stream_id, m.seq
            """)
                    .with("cut", TextSize.CUT)
                    .with("columns", MessageRow.CUT_COLUMNS)
                    .with("joins", MessageRow.JOINS)
                    .sql();

    /** All that is known of a message that is stored: nothing is looked up. */
    private static final String NOTHING_MORE = "1 FROM m";

    /** The statement that stores a message, alone and with one that then takes the speaker's unread messages. */
    private record Say(String alone, String andTake) {}

    private static Say say(String counted, String shown) {
        var statement = InsertQueries.insert(counted, shown);
        return new Say(statement, statement + ";\n" + TAKE);
    }

    private static final Say SAY = say(InsertQueries.COUNTED, InsertQueries.STORED);

    private static final Say SAY_KNOWN = say(InsertQueries.COUNTED, NOTHING_MORE);

    private static final Say SAY_AS_PERSON = say("", InsertQueries.STORED);

    private static final Say SAY_KNOWN_AS_PERSON = say("", NOTHING_MORE);

    private static final String COUNT_UNREAD = SqlTemplate.of("SELECT {unread} AS unread")
            .with("unread", MessageRow.UNREAD)
            .sql();

    private final Db db;

    public MessageStore(Db db) {
        this.db = db;
    }

    /**
     * The next place in a stream, locked until the transaction ends. Its time is never before that of the last message.
     *
     * @param agentsSaid in a zone, the number of messages of agents since a person spoke there, including the new one
     * @param voices in a zone, how many agents sent them
     * @param guard the dial of the loop guard: that of the zone's domain, or of the agent that speaks
     */
    public record NextMessage(long stream, long seq, Instant at, long agentsSaid, long voices, Dial guard) {}

    /** The dial of the loop guard. */
    public record Dial(long hops, long perMinute) {
        static Dial read(Row row) throws SQLException {
            var values = row.integers("guard");
            return new Dial(values.get(0), values.get(1));
        }
    }

    /** The message that a new one answers. */
    public record Answered(UUID id, long speaker, boolean byProgram, Instant at, List<Long> chain) {}

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

    /** The loop guard's data of a new message; {@code said} is 0 if the message does not count. */
    public record Lineage(
            @Nullable UUID answers,
            List<Long> chain,
            @Nullable Instant personAt,
            long said,
            List<Long> partners) {}

    /** The place of a message: a zone, or between two parties. */
    public record MessagePlace(
            long stream, @Nullable Long zone, @Nullable Long other) {}

    public static NextMessage place(Row row) throws SQLException {
        return new NextMessage(
                row.number("id"),
                row.number("last_seq"),
                Objects.requireNonNull(row.instantOrNull("last_at")),
                row.number("agents_said"),
                row.number("voices"),
                Dial.read(row));
    }

    /** A message's place, the history before it, and who will hear of it. */
    public record Beginning(NextMessage place, Before before, Reach reach) {}

    private record History(Before before, Reach reach) {
        static History read(Row row) throws SQLException {
            return new History(MessageStore.before(row), MessageStore.reach(row));
        }
    }

    /**
     * Takes the next place in the direct messages of two parties, or in a zone's stream, which counts the messages of
     * agents since a person spoke. Finds the message that the new one answers: the named one, else, in direct messages,
     * the other side's latest since the speaker's own last. Also counts what agents have already sent.
     *
     * @param stream the zone's, null in direct messages
     * @param other the recipient, null in a zone
     * @throws Problem {@code conflict} if the zone was deleted since it was looked up
     */
    public Beginning begin(
            Call call, @Nullable Long stream, @Nullable Long other, long speaker, @Nullable UUID replyTo) {
        var byAgent = call.context().self() != null; // Only agents are counted.
        var statement = other == null
                ? byAgent ? StreamQueries.BEGIN_IN_TURN : StreamQueries.BEGIN_IN
                : byAgent ? StreamQueries.BEGIN_DIRECT_IN_TURN : StreamQueries.BEGIN_DIRECT;
        return db.sql(call, statement)
                .set("lock", AdvisoryLock.PARTY.number)
                .set("stream", stream)
                .set("speaker", speaker)
                .set("other", other)
                .set("by_program", !call.isByPerson())
                .set("reply", replyTo)
                .set("many", MAX_DIRECT)
                .set("recent", call.now().minus(CONVERSATION))
                .all(results -> {
                    if (byAgent) {
                        results.next(_ -> true);
                    }
                    var place = results.next(MessageStore::place)
                            .orElseThrow(() ->
                                    Problem.conflict("the zone has just been destroyed; ZN_List shows the others"));
                    var history = results.next(History::read).orElseThrow();
                    return new Beginning(place, history.before(), history.reach());
                });
    }

    /** Reads the beginning of a message with its place from a row that has both. */
    public static Beginning beginning(NextMessage place, Row row) throws SQLException {
        return new Beginning(place, before(row), reach(row));
    }

    /** Reads the beginning of a message in a zone, before which nothing is counted but what its stream counts. */
    public static Beginning beginning(Row row) throws SQLException {
        return new Beginning(place(row), NOTHING, reach(row));
    }

    private static final Before NOTHING = new Before(null, false, 0, null, 0, List.of());

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
                        row.flag("by_program"),
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

    /** The names of a destination: of a party and whether it is an agent or a user, or of a zone and its domain. */
    public record Addressee(
            @Nullable String name,
            @Nullable String kind,
            @Nullable String domain,
            @Nullable String zone) {}

    /**
     * A new message, and its recipient.
     *
     * @param other the recipient; null in a zone, where agents already take part as members
     * @param to the destination by name, if that is known
     */
    public record NewMessage(
            Ref speaker,
            boolean byAgent,
            @Nullable Long other,
            @Nullable Addressee to,
            String content) {
        /** Returns whether the speaker takes part from then on. Agents already take part in zones. */
        boolean joins() {
            return other != null || !byAgent;
        }

        String speakerKind() {
            return byAgent ? AGENT : USER;
        }
    }

    /**
     * A message as it was stored, and the messages that waited for its speaker.
     *
     * @param read how many of these are now read
     */
    public record Posted(Message own, List<Message> waiting, long read) {
        public List<Message> all() {
            return Stream.concat(Stream.of(own), waiting.stream()).toList();
        }
    }

    /**
     * Stores the message. From then on the two parties, or a user in a zone, take part in the stream. Then takes the
     * speaker's oldest unread messages, up to a limit, and marks them as read up to the first cut text of each stream.
     * Messages that a concurrent call of the same speaker takes are left to that call.
     *
     * @param limit 0 if there are no unread messages
     * @throws Problem {@code conflict} if the speaking agent has just been removed from the zone
     */
    public Posted post(Call call, NextMessage place, NewMessage draft, Lineage lineage, int limit) {
        var to = lineage.chain().isEmpty() ? draft.to() : null;
        var statement =
                draft.byAgent() ? to == null ? SAY : SAY_KNOWN : to == null ? SAY_AS_PERSON : SAY_KNOWN_AS_PERSON;
        var id = DecimalId.random();
        call.changed(Change.message(id, place.stream()));
        var storing = db.sql(call, limit == 0 ? statement.alone() : statement.andTake())
                .set("stream", place.stream())
                .set("seq", place.seq())
                .set("at", place.at())
                .set("id", id)
                .set("speaker", draft.speaker().id())
                .set("joins", draft.joins())
                .set("other", draft.other())
                .set("content", draft.content())
                .set("by_program", !call.isByPerson())
                .set(
                        "by_key",
                        draft.byAgent() ? null : call.caller().credential().key())
                .set("answers", lineage.answers())
                .set("chain", lineage.chain())
                .set("person_at", lineage.personAt())
                .set("said", lineage.said())
                .set("partners", lineage.partners())
                .set("party", draft.speaker().id())
                .set("limit", limit);
        if (to != null && limit == 0 && draft.joins()) {
            storing.runLate(); // Nothing that it returns is needed.
            return new Posted(message(id, place, draft, call.isByPerson(), lineage), List.of(), 0);
        }
        return storing.all(results -> {
            var own = results.next(row ->
                            to == null ? MessageRow.read(row) : message(id, place, draft, call.isByPerson(), lineage))
                    .orElseThrow(() -> Problem.conflict("the agent '%s' was just removed from the zone"
                            .formatted(draft.speaker().name())));
            var waiting = limit == 0 ? List.<StoredMessage>of() : results.list(MessageRow::stored);
            return new Posted(own, waiting.stream().map(StoredMessage::message).toList(), CutMessages.read(waiting));
        });
    }

    private static Message message(UUID id, NextMessage place, NewMessage draft, boolean byPerson, Lineage lineage) {
        var to = Objects.requireNonNull(draft.to());
        return new Message(
                id.toString(),
                draft.speaker().name(),
                draft.speakerKind(),
                byPerson ? true : null,
                null,
                to.name(),
                to.kind(),
                to.domain(),
                to.zone(),
                place.seq(),
                draft.content(),
                null,
                null,
                lineage.answers() == null ? null : lineage.answers().toString(),
                List.of(),
                place.at(),
                null,
                null,
                null);
    }

    /** Returns an earlier message in the form of a response to a write. */
    public Message posted(Call call, UUID id) {
        return db.sql(call, READ_SAID)
                .set("id", id)
                .one(MessageRow::read)
                .orElseThrow(() -> Problem.notFound("message", id.toString(), List.of()));
    }

    /** Returns the oldest unread messages of the party, up to a limit, without marking them as read. */
    public List<Message> waiting(Call call, long party, int limit) {
        return db.sql(call, READ_WAITING)
                .set("party", party)
                .set("limit", limit)
                .list(MessageRow::read);
    }

    /** Counts the unread messages of the current speaker. */
    public void recount(Call call) {
        call.context(
                call.context().withUnread(unread(call, call.context().speaker().id())));
    }

    /** Counts the unread messages again after streams were closed. If there were none, there are none now. */
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

    /** Removes the user from the zones of all domains that the user no longer takes part in. */
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

    private static Reach reach(Row row) throws SQLException {
        return new Reach(row.textOrNull("wakes"), row.instantOrNull("last_seen_at"), row.numbers("reached"));
    }
}
