package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.context.Unread;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.agent.Message.Place;
import io.agentworkspace.engine.model.agent.Message.Receipt;
import io.agentworkspace.engine.model.agent.Message.Text;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.guard.Lineage;
import io.agentworkspace.engine.workspace.messages.ConversationStore.Slot;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Stores messages, and how far each party has read them. */
public final class MessageStore {
    public static final String AGENT = "agent";
    public static final String USER = "user";

    /**
     * Returns the CTEs up to {@code batch}: the oldest unread messages of the party :party. They are at most :limit, as
     * many as fit into the response, and without a gap in any conversation.
     */
    private static String batch(String here, String lock) {
        return SqlTemplate.of("""
            first AS (
                SELECT p.tenant_id, p.conversation_id, p.party_id, p.read_seq, p.last_seq, m.created_at
                  FROM participant p
                  CROSS JOIN LATERAL (SELECT x.created_at FROM message x
                                       WHERE x.tenant_id = :tenant AND x.conversation_id = p.conversation_id
                                         AND x.seq > p.read_seq AND {waits}
                                       ORDER BY x.seq
                                       LIMIT 1) m
                 WHERE p.tenant_id = :tenant AND p.party_id = :party AND {may_wait}
                   AND {last} > p.read_seq + p.own_unread{here}
                 ORDER BY m.created_at, p.conversation_id
                 LIMIT :limit
                 {lock}),
            waiting AS (
                SELECT m.*
                  FROM first
                  CROSS JOIN LATERAL (SELECT * FROM message x
                                       WHERE x.tenant_id = :tenant AND x.conversation_id = first.conversation_id
                                         AND x.seq > first.read_seq AND {first_waits}
                                       ORDER BY x.seq
                                       LIMIT :limit) m),
            oldest AS (SELECT * FROM waiting ORDER BY created_at, conversation_id, seq LIMIT :limit),
            weighed AS (
                SELECT m.*, row_number() OVER oldest_first AS place, sum({size}) OVER oldest_first AS weight
                  FROM oldest m
                WINDOW oldest_first AS (ORDER BY m.created_at, m.conversation_id, m.seq)),
            batch AS (SELECT * FROM weighed WHERE place = 1 OR weight <= :room)
            """)
                .with("may_wait", Unread.MAY_WAIT)
                .with("last", Unread.LAST)
                .with("waits", Unread.WAITS)
                .with("first_waits", Unread.waits("x", "first"))
                .with("here", here)
                .with("lock", lock)
                .with("size", TextSize.CUT_MESSAGE)
                .sql();
    }

    private static final String READ_SAID = SqlTemplate.of(
                    "SELECT {columns} FROM message m {joins} WHERE m.tenant_id = :tenant AND m.id = :id")
            .with("columns", MessageRow.CUT_COLUMNS)
            .with("joins", MessageRow.JOINS)
            .sql();

    private static final String READ_WAITING = "WITH " + batch("", "")
            + SqlTemplate.of("""
            SELECT {columns} FROM batch m {joins} ORDER BY m.created_at, m.conversation_id, m.seq
            """)
                    .with("columns", MessageRow.CUT_COLUMNS)
                    .with("joins", MessageRow.JOINS)
                    .sql();

    private static final String TAKE = "WITH "
            + batch(
                    " AND p.conversation_id = (SELECT m.conversation_id FROM message m WHERE m.tenant_id = :tenant AND m.id = CAST(:sent AS uuid))",
                    "FOR UPDATE OF p SKIP LOCKED")
            + SqlTemplate.of("""
            , whole AS (
                SELECT m.conversation_id, m.seq,
                       bool_or(m.content <> {cut}) OVER (PARTITION BY m.conversation_id ORDER BY m.seq) AS follows_cut
                  FROM batch m),
            marked AS (
                UPDATE participant p
                   SET read_seq = t.seq,
                       own_unread = CASE WHEN p.last_seq <= t.seq THEN 0
                                         ELSE greatest(0, p.own_unread - (SELECT count(*) FROM message x
                                                                           WHERE x.tenant_id = :tenant AND x.conversation_id = p.conversation_id
                                                                             AND x.seq > p.read_seq AND x.seq <= t.seq
                                                                             AND NOT {waits})) END,
                       announced = CASE WHEN p.last_seq <= t.seq THEN 0
                                        ELSE greatest(0, p.announced - (SELECT count(*) FROM message x
                                                                         WHERE x.tenant_id = :tenant AND x.conversation_id = p.conversation_id
                                                                           AND x.seq > p.read_seq AND x.seq <= t.seq
                                                                           AND {waits} AND x.changes IS NOT NULL)) END
                  FROM (SELECT conversation_id, max(seq) AS seq FROM whole WHERE NOT follows_cut GROUP BY conversation_id) t
                 WHERE p.tenant_id = :tenant AND p.party_id = :party AND p.conversation_id = t.conversation_id
                   AND p.read_seq < t.seq),
            receipts AS (
                UPDATE message r
                   SET delivered_at = COALESCE(r.delivered_at, greatest(:now, r.created_at)),
                       read_at = CASE WHEN m.content = {cut} THEN greatest(CAST(:now AS timestamptz), r.created_at) END
                  FROM batch m
                  JOIN conversation st ON st.tenant_id = :tenant AND st.id = m.conversation_id AND st.low_id IS NOT NULL
                 WHERE r.tenant_id = :tenant AND r.conversation_id = m.conversation_id AND r.seq = m.seq AND r.read_at IS NULL)
            SELECT {columns}, m.changes IS NULL AS counted FROM batch m {joins} ORDER BY m.created_at, m.conversation_id, m.seq
            """)
                    .with("waits", Unread.WAITS)
                    .with("cut", TextSize.CUT)
                    .with("columns", MessageRow.CUT_COLUMNS)
                    .with("joins", MessageRow.JOINS)
                    .sql();

    /** A direct message to the party, which has answered it. */
    private static final String ANSWERED = """
            UPDATE message m
               SET delivered_at = COALESCE(m.delivered_at, greatest(:now, m.created_at)), read_at = greatest(:now, m.created_at)
              FROM conversation st
             WHERE m.tenant_id = :tenant AND m.id = :id AND m.speaker_id <> :party AND m.read_at IS NULL
               AND st.tenant_id = :tenant AND st.id = m.conversation_id AND st.low_id IS NOT NULL
            """;

    private static final String COUNT_UNREAD = SqlTemplate.of("SELECT {unread} AS unread")
            .with("unread", MessageRow.UNREAD)
            .sql();

    private final Db db;

    public MessageStore(Db db) {
        this.db = db;
    }

    /** A message that is about to be stored, and its place. */
    public record NewMessage(
            Destination to, Slot slot, Lineage lineage, String content, List<AttachedDocument> documents) {}

    /**
     * The messages that waited for a speaker.
     *
     * @param read how many of them are now read
     */
    public record Taken(List<Message> messages, long read) {}

    /** Stores the message. From then on the two parties, or a user in a zone, take part in the conversation. */
    public Message post(Call call, NewMessage draft) {
        var place = draft.slot().place();
        var id = DecimalId.random();
        call.changed(Change.message(id, place.conversation(), place.seq()));
        storing(call, id, draft).runLate(); // Nothing that it returns is needed.
        return own(call, id, draft);
    }

    /**
     * Takes the speaker's oldest unread messages of the conversation in which it sent a message, up to a limit, and marks them
     * as read up to the first cut text. Messages that a concurrent call of the same speaker takes are left to that call.
     */
    public Taken take(Call call, String sent, int limit) {
        var counted = new ArrayList<StoredMessage>();
        var waiting = db.sql(call, TAKE)
                .set("party", call.context().speaker().id())
                .set("sent", sent)
                .set("limit", limit)
                .list(row -> {
                    var message = row.as(StoredMessage.class);
                    if (row.flag("counted")) {
                        counted.add(message);
                    }
                    return message;
                });
        waiting.forEach(each -> call.notBefore(each.message().text().createdAt()));
        var read = CutMessages.beforeCut(waiting).filter(counted::contains).count();
        return new Taken(waiting.stream().map(StoredMessage::message).toList(), read);
    }

    private Statement storing(Call call, UUID id, NewMessage draft) {
        var place = draft.slot().place();
        var lineage = draft.lineage();
        var other = draft.to().otherId();
        return db.sql(call, InsertQueries.INSERT)
                .set("conversation", place.conversation())
                .set("seq", place.seq())
                .set("at", place.at())
                .set("id", id)
                .set("speaker", call.context().speaker().id())
                .set("joins", other != null || call.context().self() == null) // Agents already take part in zones.
                .set("other", other)
                .set("content", draft.content())
                .set("by_program", !call.isByPerson())
                .set("by_key", draft.slot().byKey())
                .set(
                        "attached",
                        draft.documents().isEmpty()
                                ? null
                                : draft.documents().stream()
                                        .map(AttachedDocument::id)
                                        .toList())
                .set("answers", lineage.answers())
                .set("chain", lineage.chain())
                .set("person_at", lineage.personAt())
                .set("is_counted", lineage.directMessages() > 0)
                .set("said", lineage.directMessages())
                .set("partners", lineage.partners());
    }

    private static Message own(Call call, UUID id, NewMessage draft) {
        var to = draft.to();
        var place = new Place(
                id.toString(),
                call.context().speaker().name(),
                call.context().self() == null ? USER : AGENT,
                call.isByPerson() ? true : null,
                draft.slot().byKey(),
                to.otherName(),
                to.kind(),
                to.domain(),
                to.zone(),
                draft.slot().place().seq());
        var text = new Text(
                draft.content(),
                null,
                null,
                draft.lineage().answers(),
                draft.lineage().chainNames(),
                draft.slot().place().at());
        var attachments =
                draft.documents().stream().map(AttachedDocument::attachment).toList();
        return new Message(place, text, Receipt.NONE, null, attachments.isEmpty() ? null : attachments, null);
    }

    /** Records that the speaker has dealt with a direct message, by answering it. */
    public void answered(Call call, UUID id) {
        db.sql(call, ANSWERED)
                .set("id", id)
                .set("party", call.context().speaker().id())
                .runLate();
    }

    /** Returns an earlier message in the form of a response to a write. */
    public Message posted(Call call, UUID id) {
        return db.sql(call, READ_SAID)
                .set("id", id)
                .one(row -> row.as(Message.class))
                .orElseThrow(() -> Problem.notFound("message", id.toString(), List.of()));
    }

    /** Returns the oldest unread messages of the party, up to a limit, without marking them as read. */
    public List<Message> waiting(Call call, long party, int limit) {
        return db.sql(call, READ_WAITING)
                .set("party", party)
                .set("limit", limit)
                .list(row -> row.as(Message.class));
    }

    /** Counts the unread messages of the current speaker. */
    public void recount(Call call) {
        call.context(
                call.context().withUnread(unread(call, call.context().speaker().id())));
    }

    /** Counts the unread messages again after zones were closed. If there were none, there are none now. */
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
}
