package io.agentworkspace.engine.agents;

import io.agentworkspace.engine.access.Visibility;
import io.agentworkspace.engine.context.ContextQueries;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.context.UnselectedContextQueries;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.ListSlice;
import io.agentworkspace.engine.db.NamePrefix;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.messages.MessageRow;
import io.agentworkspace.engine.messages.TextSize;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.page.Cursor;
import io.agentworkspace.engine.model.page.Page;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads agents and their messages, each time in one round trip with the context. */
public final class AgentQueries {
    /** The agents on the roster. Each is looked up, so that no plan reads all agents of the tenant. */
    private static final String ROSTER = """
            ctx
            JOIN roster r ON r.tenant_id = :tenant AND r.user_id = ctx.user_id
            CROSS JOIN LATERAL (SELECT * FROM agent x WHERE x.tenant_id = r.tenant_id AND x.id = r.agent_id OFFSET 0) a
            """;

    private static final String NAMED = "ctx JOIN agent a ON a.tenant_id = :tenant AND " + NamePrefix.of("a");

    /** The bytes of an agent's record besides its messages: its long texts, its names and those of its skills. */
    private static final String WEIGHT = SqlTemplate.of(
                    "SELECT 40000 + {profile_size} + {description_size} FROM named a")
            .with("profile_size", TextSize.of("a.profile"))
            .with("description_size", TextSize.of("a.description"))
            .sql();

    private static final String READ = ContextStore.WITH_CONTEXT
            + SqlTemplate.of("""
            , named AS (
                SELECT a.*
                  FROM agent a, ctx
                 WHERE a.tenant_id = :tenant
                   AND a.id = CASE WHEN CAST(:key AS text) IS NULL
                                   THEN COALESCE(CASE WHEN NOT :inbox THEN ctx.agent_id END, ctx.self_id)
                                   ELSE (SELECT x.id FROM agent x
                                          WHERE x.tenant_id = :tenant AND x.name_key = :key
                                            AND x.destroyed_at IS NULL) END
                   AND {visible_agent}),
            a AS (
                SELECT tenant_id, id, owner_id FROM named
                UNION ALL
                SELECT :tenant, ctx.user_id, ctx.user_id
                  FROM ctx
                 WHERE CAST(:key AS text) IS NULL AND ctx.self_id IS NULL
                   AND (ctx.agent_id IS NULL OR :inbox)),
            before AS (
                SELECT created_at, stream_id, seq FROM message
                 WHERE tenant_id = :tenant AND id = CAST(:before AS uuid)),
            spoken AS (
                SELECT p.tenant_id, p.stream_id,
                       row_number() OVER newest
                       - count(*) FILTER (WHERE st.last_at >= (SELECT created_at FROM before)) OVER newest AS place
                  FROM ctx, a
                  JOIN participant p ON p.tenant_id = a.tenant_id AND p.party_id = a.id
                  CROSS JOIN LATERAL (SELECT * FROM stream x
                                       WHERE x.tenant_id = p.tenant_id AND x.id = p.stream_id AND x.last_seq > 0
                                      OFFSET 0) st
                 WHERE {may_see_stream}
                WINDOW newest AS (ORDER BY st.last_at DESC, st.id DESC ROWS UNBOUNDED PRECEDING)),
            latest AS (
                SELECT m.*
                  FROM spoken
                  CROSS JOIN LATERAL (
                      SELECT * FROM message x
                       WHERE x.tenant_id = spoken.tenant_id AND x.stream_id = spoken.stream_id
                         AND (CAST(:before AS uuid) IS NULL
                              OR (x.created_at, x.stream_id, x.seq) < (SELECT * FROM before))
                       ORDER BY x.seq DESC
                       LIMIT :limit + 1) m
                 WHERE spoken.place <= :limit + 1
                 ORDER BY m.created_at DESC, m.stream_id DESC, m.seq DESC
                 LIMIT :limit + 1),
            {shown},
            reader AS (SELECT a.id AS party_id FROM ctx, a WHERE a.id = COALESCE(ctx.self_id, ctx.user_id)),
            {mark_shown}
            SELECT ctx.*,
                   {cleared} AS cleared, {more},
                   (SELECT {agent_json} FROM named a JOIN app_user o ON o.tenant_id = a.tenant_id AND o.id = a.owner_id) AS agent,
                   (SELECT jsonb_agg({message_json} ORDER BY m.created_at, m.stream_id, m.seq) FROM shown m {message_joins}) AS messages
              FROM ctx
            """)
                    .with("visible_agent", Visibility.agent("a"))
                    .with("may_see_stream", maySeeStream("a", "p"))
                    .with("shown", TextSize.newest("m.created_at DESC, m.stream_id DESC, m.seq DESC", WEIGHT))
                    .with("mark_shown", MessageRow.MARK_SHOWN)
                    .with("cleared", MessageRow.CLEARED)
                    .with("more", TextSize.MORE)
                    .with("agent_json", AgentStore.WITH_PROFILE)
                    .with("message_json", MessageRow.RECORD)
                    .with("message_joins", MessageRow.JOINS)
                    .sql();

    /** Returns whether the acting user may see the stream of the participant, which is the agent. */
    static String maySeeStream(String agent, String participant) {
        return SqlTemplate.of("""
                ({agent}.owner_id = ctx.user_id OR :admin
                 OR (SELECT true FROM participant mine
                      WHERE mine.tenant_id = {participant}.tenant_id AND mine.stream_id = {participant}.stream_id
                        AND mine.owner_id = ctx.user_id
                      LIMIT 1))
                """)
                .with("agent", agent)
                .with("participant", participant)
                .sql();
    }

    private static final ContextQueries LIST_ROSTER = listOf(ROSTER);

    private static final ContextQueries LIST_NAMED = listOf(NAMED);

    /** @param agents the FROM list with {@code ctx} and the agents {@code a} to choose from */
    private static ContextQueries listOf(String agents) {
        return ContextQueries.of(ContextQueries.ACTOR
                + SqlTemplate.of("""
                , page AS MATERIALIZED (
                    SELECT a.tenant_id, a.id, a.name, a.name_key, a.description, char_length(a.profile) AS profile_length,
                           a.access, a.owner_id, a.revision, a.created_at, a.updated_at
                      FROM {agents}
                     WHERE a.tenant_id = :tenant AND a.name_key > :after AND {visible_agent}
                     ORDER BY a.name_key
                     LIMIT :limit + 1),
                talk AS (
                    SELECT p.party_id, sum(COALESCE(p.last_seq, st.last_seq) - p.read_seq - p.own_unread) AS unread, max(st.last_at) AS last_at
                      FROM ctx, page a
                      CROSS JOIN LATERAL (SELECT * FROM participant x
                                           WHERE x.tenant_id = a.tenant_id AND x.party_id = a.id OFFSET 0) p
                      CROSS JOIN LATERAL (SELECT * FROM stream x
                                           WHERE x.tenant_id = p.tenant_id AND x.id = p.stream_id OFFSET 0) st
                     WHERE {may_see_stream}
                     GROUP BY p.party_id)
                SELECT a.*,
                       CASE WHEN a.owner_id <> ctx.user_id
                            THEN (SELECT o.name FROM app_user o
                                   WHERE o.tenant_id = a.tenant_id AND o.id = a.owner_id) END AS owner,
                       {online} AS online,
                       {skills} AS skills,
                       COALESCE(talk.unread, 0) AS unread, talk.last_at
                  FROM ctx, page a
                  LEFT JOIN talk ON talk.party_id = a.id
                 ORDER BY a.name_key
                """)
                        .with("agents", agents)
                        .with("visible_agent", Visibility.agent("a"))
                        .with("may_see_stream", maySeeStream("a", "p"))
                        .with("online", ContextStore.online("a"))
                        .with("skills", NamedAgentQueries.SKILLS)
                        .sql());
    }

    private final Db db;
    private final AgentStore agents;
    private final NamedAgentQueries named;
    private final UnselectedContextQueries unselected = new UnselectedContextQueries();

    public AgentQueries(Db db, AgentStore agents) {
        this.db = db;
        this.agents = agents;
        this.named = new NamedAgentQueries(db);
    }

    /** A row of a list, with the agent's presence. */
    record AgentSummary(Agent agent, long unread, @Nullable Instant lastMessageAt) {}

    /** Returns the acting user's roster, or, with a prefix, the visible agents whose names start with it. */
    ListSlice<AgentSummary> list(Call call, @Nullable Name prefix, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = Cursor.readName(call.service(), page);
        var rows = (prefix == null ? LIST_ROSTER : LIST_NAMED)
                .run(
                        db,
                        unselected,
                        call,
                        statement -> statement
                                .set("prefix", prefix == null ? null : prefix.key())
                                .set("after", after)
                                .set("limit", limit),
                        results -> results.list(row -> summary(call, row)));
        return ListSlice.of(
                call,
                rows,
                limit,
                last -> Cursor.ofName(call.service(), Name.key(last.agent().name())));
    }

    private static AgentSummary summary(Call call, Row row) throws SQLException {
        var owner = row.textOrNull("owner");
        var length = row.numberOrNull("profile_length");
        var agent = new Agent(
                row.text("name"),
                row.text("description"),
                null,
                null,
                null,
                length == null ? null : (Integer) Math.toIntExact(length),
                Access.of(row.text("access")),
                owner == null ? call.context().user().name() : owner,
                row.flag("online"),
                row.number("revision"),
                row.texts("skills"),
                Objects.requireNonNull(row.instantOrNull("created_at")),
                Objects.requireNonNull(row.instantOrNull("updated_at")));
        return new AgentSummary(agent, row.number("unread"), row.instantOrNull("last_at"));
    }

    /**
     * An agent (null for a user), and its latest messages that the acting user may see, oldest first. Only the streams
     * with the latest messages are read; streams whose messages are all after the cursor do not count.
     */
    record AgentWithMessages(@Nullable Agent agent, ListSlice<Message> messages) {}

    /**
     * Reads the named agent, else the selected one, else the speaker: self, or the user. A speaker who reads their own
     * messages marks the shown ones as read.
     *
     * @param inbox whether the selected agent is ignored
     * @throws io.agentworkspace.engine.model.problem.Problem {@code not_found}
     */
    AgentWithMessages read(Call call, @Nullable Name name, boolean inbox, @Nullable Page page) {
        var limit = Page.limit(page);
        var before = before(page);
        if (name != null && before == null && call.actingFor() == null) {
            var simple = named.find(call, name, limit);
            if (simple.isPresent()) {
                return simple.get();
            }
        }
        return general(call, name, inbox, before, limit);
    }

    private AgentWithMessages general(Call call, @Nullable Name name, boolean inbox, @Nullable UUID before, int limit) {
        var found = db.sql(call, READ)
                .set("key", name == null ? null : name.key())
                .set("inbox", inbox)
                .set("readonly", call.isReadOnly())
                .set("before", before)
                .set("limit", limit)
                .one(row -> found(call, row))
                .orElseThrow();
        if (found.agent() == null && name != null) {
            throw agents.missing(call, name);
        }
        return found;
    }

    /** Returns the id in the cursor, which is the oldest message shown. */
    private static @Nullable UUID before(@Nullable Page page) {
        var keys = Page.after(page, 1);
        try {
            return keys.isEmpty() ? null : UUID.fromString(keys.getFirst());
        } catch (IllegalArgumentException e) {
            throw Cursor.invalid();
        }
    }

    private static AgentWithMessages found(Call call, Row row) throws SQLException {
        var context = ContextStore.read(call, row);
        call.context(context.withUnread(context.unread() - row.number("cleared")));
        var agent = row.json("agent", Agent.class);
        if (agent != null) {
            call.budget().spend(agent);
        }
        var messages = row.jsonList("messages", Message.class);
        return new AgentWithMessages(agent, ListSlice.newest(call, messages, row.flag("more"), Message::id));
    }
}
