package io.agentworkspace.engine.agents;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.agents.AgentQueries.AgentWithMessages;
import io.agentworkspace.engine.agents.NamedAgentQueries.AgentRow;
import io.agentworkspace.engine.agents.NamedAgentQueries.Participant;
import io.agentworkspace.engine.agents.NamedAgentQueries.ReadMessage;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.context.UnselectedContextQueries;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.db.Statement;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The cheapest case of AP_Read: an agent of the caller whose latest messages are between it and the caller, directly.
 * Its statements need no rule of visibility and no names, since the context and the agent have them all. They find nothing
 * else, so {@link NamedAgentQueries} then reads it by the rules. What is remembered here is only a hint.
 */
final class OwnAgentQueries {
    private static final int REMEMBERED = 10_000;

    private static final String AGENT = SqlTemplate.of("""
            SELECT a.id, a.name, a.description, a.profile, a.access, a.owner_id, a.revision, a.created_at, a.updated_at,
                   {online} AS online,
                   {skills} AS skills
              FROM agent a
             WHERE a.tenant_id = :tenant AND a.name_key = :key AND a.destroyed_at IS NULL AND a.owner_id = :caller
            """)
            .with("online", ContextStore.online("a"))
            .with("skills", NamedAgentQueries.SKILLS)
            .sql();

    private static final String MESSAGES = SqlTemplate.of("""
            SELECT m.id, m.speaker_id, m.seq, m.answers, m.created_at, m.chain <> '{}' AS is_chained,
                   CASE WHEN octet_length(m.content) <= {short} THEN m.content END AS content,
                   s.low_id, s.high_id
              FROM (SELECT st.tenant_id, st.id AS stream_id, st.low_id, st.high_id
                      FROM agent a
                      JOIN participant p ON p.tenant_id = a.tenant_id AND p.party_id = a.id
                      CROSS JOIN LATERAL (SELECT * FROM stream x
                                           WHERE x.tenant_id = p.tenant_id AND x.id = p.stream_id AND x.last_seq > 0
                                          OFFSET 0) st
                     WHERE a.tenant_id = :tenant AND a.name_key = :key AND a.destroyed_at IS NULL AND a.owner_id = :caller
                     ORDER BY st.last_at DESC, st.id DESC
                     LIMIT :limit + 1) s
              {newest}
            """)
            .with("short", NamedAgentQueries.SHORT)
            .with("newest", NamedAgentQueries.NEWEST)
            .sql();

    private static final String READ = UnselectedContextQueries.SELECT + ";\n" + AGENT + ";\n" + MESSAGES;

    private record Key(long tenant, long user, String agent) {}

    private final Db db;
    private final UnselectedContextQueries unselected;
    private final Cache<Key, Boolean> remembered =
            Caffeine.newBuilder().maximumSize(REMEMBERED).build();

    OwnAgentQueries(Db db, UnselectedContextQueries unselected) {
        this.db = db;
        this.unselected = unselected;
    }

    /** Empty if this is not such a case. */
    Optional<AgentWithMessages> find(Call call, Name name, int limit) {
        if (remembered.getIfPresent(key(call, name)) == null || !unselected.has(call)) {
            return Optional.empty();
        }
        var found = db.sql(call, READ)
                .set("key", name.key())
                .set("limit", limit)
                .all(results -> read(results, call, limit));
        if (found.isEmpty()) {
            remembered.invalidate(key(call, name));
        }
        return found;
    }

    private Optional<AgentWithMessages> read(Statement.Results results, Call call, int limit) throws SQLException {
        if (!results.next(row -> unselected.read(call, row)).orElse(false)) {
            return Optional.empty();
        }
        var context = call.context();
        var held =
                results.next(row -> NamedAgentQueries.held(row, context.user().name()));
        if (held.isEmpty() || NamedAgentQueries.marks(call, held.get())) {
            return Optional.empty();
        }
        var messages = new ArrayList<Message>();
        for (var message : results.list(row -> message(row, context, held.get()))) {
            if (message.isEmpty()) {
                return Optional.empty();
            }
            messages.add(message.get());
        }
        return NamedAgentQueries.found(call, held.get().agent(), messages, limit);
    }

    /** Remembers that the next look-up of this agent may be such a case. */
    void learned(Call call, Name name) {
        remembered.put(key(call, name), true);
    }

    private static Key key(Call call, Name name) {
        return new Key(call.caller().tenant(), call.caller().user(), name.key());
    }

    /** Empty if it is long, or somebody else has part in it. */
    private static Optional<Message> message(Row row, Context context, AgentRow held) throws SQLException {
        var content = row.textOrNull("content");
        var low = participant(row.number("low_id"), context, held);
        var high = participant(row.number("high_id"), context, held);
        if (content == null || low == null || high == null || row.flag("is_chained")) {
            return Optional.empty();
        }
        var isLow = row.number("speaker_id") == row.number("low_id");
        var from = isLow ? low : high;
        var to = isLow ? high : low;
        return Optional.of(new Message(
                row.text("id"),
                from.name(),
                from.kind(),
                to.name(),
                to.kind(),
                null,
                null,
                row.number("seq"),
                content,
                null,
                null,
                row.textOrNull("answers"),
                List.of(),
                Objects.requireNonNull(row.instantOrNull("created_at"))));
    }

    /** Null for others than the agent, the caller, and the agent that the caller is logged on as. */
    private static @Nullable Participant participant(long id, Context context, AgentRow held) {
        if (id == held.id()) {
            return new Participant(held.agent().name(), "agent");
        }
        if (id == context.user().id()) {
            return new Participant(context.user().name(), "user");
        }
        var self = context.self();
        return self != null && id == self.id() ? new Participant(self.name(), "agent") : null;
    }

    /** Returns whether nobody else has part in the message of the caller's agent. */
    static boolean covers(Context context, AgentRow held, ReadMessage read) {
        return !read.parties().isEmpty()
                && read.message().chain().isEmpty()
                && read.parties().stream().allMatch(party -> participant(party, context, held) != null);
    }
}
