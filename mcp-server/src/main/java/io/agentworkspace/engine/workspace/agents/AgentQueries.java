package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.NamePrefix;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.workspace.agents.AgentStore.LockedAgent;
import io.agentworkspace.engine.workspace.guard.GuardLimits;
import io.agentworkspace.engine.workspace.guard.GuardStore;
import io.agentworkspace.engine.workspace.messages.MessagePages;
import io.agentworkspace.engine.workspace.messages.StoredMessage;
import io.agentworkspace.engine.workspace.messages.ThreadQueries;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads agents and their messages, each time in one round trip. */
final class AgentQueries {
    /** The agents on the roster. Each is looked up, so that no plan reads all agents of the tenant. */
    private static final String ROSTER = """
            (SELECT * FROM roster r WHERE r.tenant_id = :tenant AND r.user_id = :user) r
            CROSS JOIN LATERAL (SELECT * FROM agent x WHERE x.tenant_id = :tenant AND x.id = r.agent_id OFFSET 0) a
            """;

    private static final String NAMED = "(SELECT * FROM agent a WHERE " + NamePrefix.of("a") + ") a";

    /** The agent :key, whose messages are read. */
    private static final String NAMED_PARTY = """
            WITH subject AS MATERIALIZED (
                SELECT x.id
                  FROM agent x
                 WHERE x.tenant_id = :tenant AND x.name_key = :key AND x.destroyed_at IS NULL)
            """;

    /** The agent or user :party. */
    private static final String CHOSEN_PARTY = "WITH subject AS MATERIALIZED (SELECT CAST(:party AS bigint) AS id)\n";

    private static final String AGENT = SqlTemplate.of("""
            SELECT {columns}, (a.owner_id = :user OR :admin) AS may_set, {guard}, {remote}
              FROM subject
              JOIN agent a ON a.tenant_id = :tenant AND a.id = subject.id AND {visible_agent}
            """)
            .with("columns", AgentRow.COLUMNS_WITH_PROFILE)
            .with("guard", GuardStore.columns("a"))
            .with("remote", RemoteStore.COLUMN)
            .with("visible_agent", Visibility.agent("a"))
            .sql();

    /**
     * Reads only the conversations with the latest messages. Those whose messages are all after the cursor do not count. The rows
     * carry the party's id: another agent may have got its name between two statements.
     */
    private static final String MESSAGES = SqlTemplate.of("""
            , before AS (
                SELECT created_at, conversation_id, seq FROM message
                 WHERE tenant_id = :tenant AND id = CAST(:before AS uuid)),
            spoken AS (
                SELECT subject.id AS party_id, p.tenant_id, p.conversation_id,
                       row_number() OVER newest
                       - count(*) FILTER (WHERE st.last_at >= (SELECT created_at FROM before)) OVER newest AS place
                  FROM subject
                  JOIN participant p ON p.tenant_id = :tenant AND p.party_id = subject.id
                  CROSS JOIN LATERAL (SELECT * FROM conversation x
                                       WHERE x.tenant_id = :tenant AND x.id = p.conversation_id AND x.last_seq > 0
                                      OFFSET 0) st
                 WHERE {may_see_stream}
                WINDOW newest AS (ORDER BY st.last_at DESC, st.id DESC ROWS UNBOUNDED PRECEDING)),
            latest AS (
                SELECT spoken.party_id, m.*
                  FROM spoken
                  CROSS JOIN LATERAL (
                      SELECT * FROM message x
                       WHERE x.tenant_id = :tenant AND x.conversation_id = spoken.conversation_id
                         AND (CAST(:before AS uuid) IS NULL
                              OR (x.created_at, x.conversation_id, x.seq) < (SELECT * FROM before))
                       ORDER BY x.seq DESC
                       LIMIT :limit + 1) m
                 WHERE spoken.place <= :limit + 1
                 ORDER BY m.created_at DESC, m.conversation_id DESC, m.seq DESC
                 LIMIT :limit + 1)
            {messages}
            """)
            .with("may_see_stream", Visibility.conversation("st"))
            .with("messages", MessagePages.columns("m.party_id, ", "created_at DESC, conversation_id DESC, seq DESC"))
            .sql();

    private static final String READ_NAMED = String.join(";\n", NAMED_PARTY + AGENT, NAMED_PARTY + MESSAGES);

    private static final String READ_CHOSEN = String.join(";\n", CHOSEN_PARTY + AGENT, CHOSEN_PARTY + MESSAGES);

    /** A thread in a conversation that the party takes part in. */
    private static final String THREAD = ThreadQueries.page(
            "subject.id AS party_id, ",
            SqlTemplate.of("""
            subject CROSS JOIN message m
                      JOIN participant p ON p.tenant_id = :tenant AND p.party_id = subject.id AND p.conversation_id = m.conversation_id
                      JOIN conversation st ON st.tenant_id = :tenant AND st.id = m.conversation_id
                     WHERE {may_see_conversation}
            """)
                    .with("may_see_conversation", Visibility.conversation("st"))
                    .sql());

    private static final String READ_THREAD_OF_NAMED =
            String.join(";\n", NAMED_PARTY + AGENT, NAMED_PARTY + ", " + THREAD);

    private static final String READ_THREAD_OF_CHOSEN =
            String.join(";\n", CHOSEN_PARTY + AGENT, CHOSEN_PARTY + ", " + THREAD);

    private static final String LIST_ROSTER = listOf(ROSTER);

    private static final String LIST_NAMED = listOf(NAMED);

    /** @param agents the FROM list with the agents {@code a} to choose from */
    private static String listOf(String agents) {
        return SqlTemplate.of("""
                WITH page AS MATERIALIZED (
                    SELECT a.*
                      FROM {agents}
                     WHERE a.tenant_id = :tenant AND a.name_key > :after AND {visible_agent}
                     ORDER BY a.name_key
                     LIMIT :limit + 1),
                talk AS (
                    SELECT p.party_id, sum(COALESCE(p.last_seq, st.last_seq) - p.read_seq - p.own_unread - p.announced) AS unread, max(st.last_at) AS last_at
                      FROM page a
                      CROSS JOIN LATERAL (SELECT * FROM participant x
                                           WHERE x.tenant_id = :tenant AND x.party_id = a.id OFFSET 0) p
                      CROSS JOIN LATERAL (SELECT * FROM conversation x
                                           WHERE x.tenant_id = :tenant AND x.id = p.conversation_id OFFSET 0) st
                     WHERE {may_see_stream}
                     GROUP BY p.party_id)
                SELECT {columns}, COALESCE(talk.unread, 0) AS unread, talk.last_at
                  FROM page a
                  LEFT JOIN talk ON talk.party_id = a.id
                 ORDER BY a.name_key
                """)
                .with("agents", agents)
                .with("visible_agent", Visibility.agent("a"))
                .with("may_see_stream", Visibility.conversation("st"))
                .with("columns", AgentRow.COLUMNS)
                .sql();
    }

    private final Db db;
    private final AgentStore agents;
    private final MessagePages pages;

    public AgentQueries(Db db, AgentStore agents) {
        this.db = db;
        this.agents = agents;
        this.pages = new MessagePages(db);
    }

    /** A row of a list, with the agent's presence. */
    record AgentSummary(Agent agent, long unread, @Nullable Instant lastMessageAt) {}

    /** Returns the acting user's roster, or, with a prefix, the visible agents whose names start with it. */
    ListSlice<AgentSummary> list(Call call, @Nullable Name prefix, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = Cursor.readName(call.service(), page);
        var rows = db.sql(call, prefix == null ? LIST_ROSTER : LIST_NAMED)
                .set("prefix", prefix == null ? null : prefix.key())
                .set("after", after)
                .set("limit", limit)
                .list(AgentQueries::summary);
        return ListSlice.of(
                call,
                rows,
                limit,
                last -> Cursor.ofName(call.service(), Name.key(last.agent().name())));
    }

    private static AgentSummary summary(Row row) throws SQLException {
        return new AgentSummary(row.as(Agent.class), row.number("unread"), row.instantOrNull("last_at"));
    }

    /**
     * An agent (null for a user), and its latest messages that the acting user may see, oldest first.
     *
     * @param guard for who may set it
     * @param remote for who may set it
     */
    record AgentWithMessages(
            @Nullable Agent agent,
            @Nullable GuardLimits guard,
            @Nullable AgentRemote remote,
            ListSlice<Message> messages) {}

    /** The rows of a read; the messages newest first. */
    private record ReadResult(
            @Nullable LockedAgent row,
            @Nullable Agent agent,
            @Nullable GuardLimits guard,
            @Nullable AgentRemote remote,
            List<StoredMessage> newest) {}

    /**
     * Reads the named agent, else the selected one, else the speaker: self, or the user. A speaker who reads their own
     * messages marks the shown ones as read.
     *
     * @param inbox whether the selected agent is ignored
     * @throws io.agentworkspace.engine.model.problem.Problem {@code not_found}
     */
    AgentWithMessages read(Call call, @Nullable Name name, boolean inbox, @Nullable Page page) {
        var limit = Page.limit(page);
        var keys = Page.after(page, 2);
        var before = before(keys);
        var statement = db.sql(call, name == null ? READ_CHOSEN : READ_NAMED)
                .set("before", before)
                .set("limit", limit);
        var result = find(call, name, inbox, statement);
        var speaker = call.context().speaker().id();
        var party = name == null
                ? party(call, inbox).id()
                : Objects.requireNonNull(result.row()).id();
        Cursor.requireSame(keys, party);
        var messages = MessagePages.fit(
                call, result.newest(), limit, party, message -> message.place().id());
        if (party == speaker) {
            pages.mark(call, result.newest(), messages);
        }
        return new AgentWithMessages(result.agent(), result.guard(), result.remote(), messages);
    }

    /**
     * Reads the same agent or speaker, and a thread instead of the latest messages. A speaker's own messages in it have then been
     * read, but others of their conversation may not, so its position there moves only to the first one.
     *
     * @param inbox as in {@link #read}
     * @throws io.agentworkspace.engine.model.problem.Problem {@code not_found}
     */
    AgentWithMessages readThread(Call call, @Nullable Name name, boolean inbox, UUID thread, @Nullable Page page) {
        var statement = db.sql(call, name == null ? READ_THREAD_OF_CHOSEN : READ_THREAD_OF_NAMED)
                .set("thread", thread)
                .set("after", ThreadQueries.after(page))
                .set("limit", Page.limit(page));
        var result = find(call, name, inbox, statement);
        var messages = ThreadQueries.fit(call, thread, result.newest(), page);
        var speaker = call.context().speaker().id();
        if (call.isReadBySpeaker()
                && (result.row() == null
                        ? name == null && party(call, inbox).id() == speaker
                        : result.row().id() == speaker)) {
            var conversation = result.newest().getFirst().conversation();
            var rows = messages.rows().stream()
                    .map(message -> new StoredMessage(conversation, message))
                    .toList();
            pages.mark(call, rows, rows.subList(0, 1));
        }
        return new AgentWithMessages(result.agent(), result.guard(), result.remote(), messages);
    }

    /** Returns whose messages are read if no agent is named. */
    private static Context.Ref party(Call call, boolean inbox) {
        var selected = call.context().agent();
        return inbox || selected == null ? call.context().speaker() : selected;
    }

    private ReadResult find(Call call, @Nullable Name name, boolean inbox, Statement statement) {
        var result = statement
                .set("key", name == null ? null : name.key())
                .set("party", party(call, inbox).id())
                .all(AgentQueries::result);
        if (result.agent() == null && name != null) {
            throw agents.missing(call, name);
        } else if (result.agent() != null) {
            call.budget().spend(result.agent());
        }
        return result;
    }

    private static ReadResult result(Statement.Results results) throws SQLException {
        var agent = results.next(row -> new ReadResult(
                        AgentStore.agent(row),
                        row.as(Agent.class),
                        row.flag("may_set") ? GuardStore.read(row) : null,
                        row.json("remote", AgentRemote.class),
                        List.of()))
                .orElse(new ReadResult(null, null, null, null, List.of()));
        var newest = results.list(row ->
                agent.row() == null || row.number("party_id") == agent.row().id()
                        ? Optional.of(row.as(StoredMessage.class))
                        : Optional.<StoredMessage>empty());
        return new ReadResult(
                agent.row(),
                agent.agent(),
                agent.guard(),
                agent.remote(),
                newest.stream().flatMap(Optional::stream).toList());
    }

    /** Returns the id in the cursor, which is the oldest message shown. */
    private static @Nullable UUID before(List<String> keys) {
        try {
            return keys.isEmpty() ? null : UUID.fromString(keys.getLast());
        } catch (IllegalArgumentException e) {
            throw Cursor.invalid();
        }
    }
}
