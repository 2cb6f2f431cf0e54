package io.agentworkspace.engine.agents;

import io.agentworkspace.engine.access.Visibility;
import io.agentworkspace.engine.agents.AgentQueries.AgentWithMessages;
import io.agentworkspace.engine.context.ContextQueries;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.context.UnselectedContextQueries;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.ListSlice;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.db.Statement;
import io.agentworkspace.engine.messages.ZoneMessageRow;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The common case of AP_Read, an agent by name: three small statements in one round trip, which return plain columns. They
 * need no cursor, no other user, nothing to mark as read and no texts to weigh; {@link AgentQueries} does whatever does.
 */
final class NamedAgentQueries {
    /** A longer text is not read here, so that a page of them does not fill the memory. */
    static final int SHORT = 2_000;

    /** The most bytes that a byte of text takes in a response that is sent as an object and as text. */
    private static final int ESCAPED = 13;

    /** The bytes of an agent and its names besides its long texts, and of a message besides its text. */
    private static final int BESIDE_AGENT = 40_000;

    private static final int BESIDE_TEXT = 3_000;
    private static final int BESIDE_LINK = 520;

    /** The skills of agent {@code a}, sorted. */
    static final String SKILLS = """
            ARRAY(SELECT i.skill FROM skill_install i
                   WHERE i.tenant_id = a.tenant_id AND i.agent_id = a.id
                   ORDER BY i.skill COLLATE "C")""";

    private static final String AGENT = ContextQueries.ACTOR
            + SqlTemplate.of("""
            SELECT a.id, a.name, a.description, a.profile, a.access, a.owner_id, o.name AS owner, a.revision, a.created_at,
                   a.updated_at,
                   {online} AS online,
                   {skills} AS skills
              FROM ctx, agent a
              JOIN app_user o ON o.tenant_id = a.tenant_id AND o.id = a.owner_id
             WHERE a.tenant_id = :tenant AND a.name_key = :key AND {visible_agent}
            """)
                    .with("online", ContextStore.online("a"))
                    .with("skills", SKILLS)
                    .with("visible_agent", Visibility.agent("a"))
                    .sql();

    /** The newest messages {@code m} of the streams {@code s}: one more than the limit, which shows that there are more. */
    static final String NEWEST = """
            CROSS JOIN LATERAL (SELECT * FROM message x
                                 WHERE x.tenant_id = s.tenant_id AND x.stream_id = s.stream_id
                                 ORDER BY x.seq DESC
                                 LIMIT :limit + 1) m
             ORDER BY m.created_at DESC, m.stream_id DESC, m.seq DESC
             LIMIT :limit + 1
            """;

    /** Names are looked up once for each stream, and in zones for each message. */
    private static final String MESSAGES = ContextQueries.ACTOR
            + SqlTemplate.of("""
            , spoken AS (
                SELECT p.tenant_id, p.stream_id, st.low_id, st.high_id,
                       (SELECT x.name FROM agent x WHERE x.tenant_id = :tenant AND x.id = st.low_id) AS low_agent,
                       (SELECT x.name FROM app_user x WHERE x.tenant_id = :tenant AND x.id = st.low_id) AS low_user,
                       (SELECT x.name FROM agent x WHERE x.tenant_id = :tenant AND x.id = st.high_id) AS high_agent,
                       (SELECT x.name FROM app_user x WHERE x.tenant_id = :tenant AND x.id = st.high_id) AS high_user,
                       CASE WHEN st.low_id IS NULL
                            THEN (SELECT ARRAY[d.name, z.name]
                                    FROM zone z
                                    CROSS JOIN LATERAL (SELECT x.name FROM domain x
                                                         WHERE x.tenant_id = z.tenant_id AND x.id = z.domain_id
                                                        OFFSET 0) d
                                   WHERE z.tenant_id = :tenant AND z.stream_id = st.id) END AS zone
                  FROM ctx, agent a
                  JOIN participant p ON p.tenant_id = a.tenant_id AND p.party_id = a.id
                  CROSS JOIN LATERAL (SELECT * FROM stream x
                                       WHERE x.tenant_id = p.tenant_id AND x.id = p.stream_id AND x.last_seq > 0
                                      OFFSET 0) st
                 WHERE a.tenant_id = :tenant AND a.name_key = :key AND a.destroyed_at IS NULL AND {may_see_stream}
                 ORDER BY st.last_at DESC, st.id DESC
                 LIMIT :limit + 1)
            SELECT CAST(m.id AS text) AS id, m.speaker_id, m.seq, CAST(m.answers AS text) AS answers, m.created_at,
                   CASE WHEN octet_length(m.content) <= {short} THEN m.content END AS content,
                   s.low_id, s.high_id, s.low_agent, s.low_user, s.high_agent, s.high_user, s.zone,
                   CASE WHEN s.low_id IS NULL
                        THEN (SELECT x.name FROM agent x
                               WHERE x.tenant_id = :tenant AND x.id = m.speaker_id) END AS from_agent,
                   CASE WHEN s.low_id IS NULL
                        THEN (SELECT x.name FROM app_user x
                               WHERE x.tenant_id = :tenant AND x.id = m.speaker_id) END AS from_user,
                   {chain}
              FROM spoken s
              {newest}
            """)
                    .with("may_see_stream", AgentQueries.maySeeStream("a", "p"))
                    .with("short", SHORT)
                    .with("chain", ZoneMessageRow.CHAIN)
                    .with("newest", NEWEST)
                    .sql();

    private static final ContextQueries READ = ContextQueries.of(AGENT, MESSAGES);

    private final Db db;
    private final UnselectedContextQueries unselected = new UnselectedContextQueries();
    private final OwnAgentQueries own;

    NamedAgentQueries(Db db) {
        this.db = db;
        this.own = new OwnAgentQueries(db, unselected);
    }

    /** An agent with the ids of its row. */
    record AgentRow(long id, long owner, Agent agent) {}

    /** A message with the ids of those who talk there, none in a zone. */
    record ReadMessage(Message message, List<Long> parties) {}

    /** Empty if this is not such a case, or there is no such agent. */
    Optional<AgentWithMessages> find(Call call, Name name, int limit) {
        var cheapest = own.find(call, name, limit);
        if (cheapest.isPresent()) {
            return cheapest;
        }
        return READ.run(
                db,
                unselected,
                call,
                statement -> statement.set("key", name.key()).set("limit", limit),
                results -> read(results, call, name, limit));
    }

    private Optional<AgentWithMessages> read(Statement.Results results, Call call, Name name, int limit)
            throws SQLException {
        var held = results.next(row -> held(row, row.text("owner")));
        if (held.isEmpty() || marks(call, held.get())) {
            return Optional.empty();
        }
        var messages = new ArrayList<Message>();
        var isOwn = held.get().owner() == call.context().user().id();
        for (var read : results.list(NamedAgentQueries::message)) {
            if (read.isEmpty()) {
                return Optional.empty();
            }
            messages.add(read.get().message());
            isOwn = isOwn && OwnAgentQueries.covers(call.context(), held.get(), read.get());
        }
        var found = found(call, held.get().agent(), messages, limit);
        if (isOwn && found.isPresent()) {
            own.learned(call, name);
        }
        return found;
    }

    /** Reading one's own messages marks them as read. */
    static boolean marks(Call call, AgentRow held) {
        var self = call.context().self();
        return self != null && self.id() == held.id() && !call.isReadOnly();
    }

    static AgentRow held(Row row, String owner) throws SQLException {
        return new AgentRow(
                row.number("id"),
                row.number("owner_id"),
                new Agent(
                        row.text("name"),
                        row.text("description"),
                        null,
                        null,
                        row.textOrNull("profile"),
                        null,
                        Access.of(row.text("access")),
                        owner,
                        row.flag("online"),
                        row.number("revision"),
                        row.texts("skills"),
                        Objects.requireNonNull(row.instantOrNull("created_at")),
                        Objects.requireNonNull(row.instantOrNull("updated_at"))));
    }

    record Participant(String name, String kind) {
        static @Nullable Participant of(Row row, String whose) throws SQLException {
            var agent = row.textOrNull(whose + "_agent");
            if (agent != null) {
                return new Participant(agent, "agent");
            }
            var user = row.textOrNull(whose + "_user");
            return user == null ? null : new Participant(user, "user");
        }
    }

    /** Empty if its text is too long for this. */
    private static Optional<ReadMessage> message(Row row) throws SQLException {
        var content = row.textOrNull("content");
        if (content == null) {
            return Optional.empty();
        }
        var low = row.numberOrNull("low_id");
        var isLow = low != null && low == row.number("speaker_id");
        var from = Objects.requireNonNull(Participant.of(row, low == null ? "from" : isLow ? "low" : "high"));
        var to = low == null ? null : Participant.of(row, isLow ? "high" : "low");
        var zone = low == null ? row.textsOrNull("zone") : null;
        var chain = row.textsOrNull("chain");
        var message = new Message(
                row.text("id"),
                from.name(),
                from.kind(),
                to == null ? null : to.name(),
                to == null ? null : to.kind(),
                zone == null ? null : zone.getFirst(),
                zone == null ? null : zone.getLast(),
                row.number("seq"),
                content,
                null,
                null,
                row.textOrNull("answers"),
                chain == null ? List.of() : chain,
                Objects.requireNonNull(row.instantOrNull("created_at")));
        return Optional.of(new ReadMessage(message, low == null ? List.of() : List.of(low, row.number("high_id"))));
    }

    /** Empty if they might not fit into the response. */
    static Optional<AgentWithMessages> found(Call call, Agent agent, List<Message> newest, int limit) {
        var weight = BESIDE_AGENT + most(agent.description()) + most(agent.profile());
        for (var message : newest) {
            weight += BESIDE_TEXT + BESIDE_LINK * message.chain().size() + most(message.content());
        }
        if (weight > call.budget().left()) {
            return Optional.empty();
        }
        var shown = new ArrayList<>(newest.subList(0, Math.min(limit, newest.size())));
        Collections.reverse(shown);
        return Optional.of(
                new AgentWithMessages(agent, ListSlice.newest(call, shown, newest.size() > limit, Message::id)));
    }

    private static long most(@Nullable String text) {
        return text == null ? 0 : (long) ESCAPED * text.length();
    }
}
