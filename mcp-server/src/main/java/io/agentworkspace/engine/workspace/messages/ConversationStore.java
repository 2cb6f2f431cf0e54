package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.db.AdvisoryLock;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.guard.GuardQueries;
import io.agentworkspace.engine.workspace.guard.GuardQueries.History;
import io.agentworkspace.engine.workspace.guard.GuardQueries.Place;
import io.agentworkspace.engine.workspace.guard.LoopGuard;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Takes the next place in a conversation, and reads the history before it in the same round trip. */
public final class ConversationStore {
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
                   {counts}
              FROM ({limits}) place
             WHERE c.tenant_id = :tenant AND c.id = :conversation
            RETURNING c.id AS conversation, c.last_seq AS seq, c.last_at AS at, c.agents_said, cardinality(c.voices) AS voices,
                      place.hops, place.per_minute, place.stopped, greatest(place.progress, c.person_at) AS progress_at
            """)
            .with("counts", GuardQueries.COUNTS_IN_ZONE)
            .with("limits", GuardQueries.LIMITS_IN_ZONE)
            .sql();

    /** Takes the next place between two parties, whose conversation begins with it if there was none. */
    private static final String NEXT_DIRECT =
            SqlTemplate.of("""
            WITH next AS (
                INSERT INTO conversation (tenant_id, low_id, high_id, last_seq, last_at)
                VALUES (:tenant, least(:speaker, :other), greatest(:speaker, :other), 1, :now)
                ON CONFLICT (tenant_id, low_id, high_id) DO UPDATE
                   SET last_seq = conversation.last_seq + 1, last_at = greatest(conversation.last_at, excluded.last_at)
                RETURNING id, last_seq, last_at, agents_said, cardinality(voices) AS voices)
            SELECT next.id AS conversation, next.last_seq AS seq, next.last_at AS at, next.agents_said, next.voices,
                   pair.hops, pair.per_minute, pair.stopped, CAST(NULL AS timestamptz) AS progress_at
              FROM next CROSS JOIN ({pair}) pair
            """).with("pair", GuardQueries.LIMITS_OF_PAIR).sql();

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

    /**
     * What an agent has sent before, and which message the new one answers: unless the speaker names one, the other side's
     * latest since the speaker's own last. Users are not counted.
     */
    private static final String HISTORY = SqlTemplate.of("""
            WITH count AS ({counts}),
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
            .with("counts", GuardQueries.COUNTS_OF_AGENT)
            .with("parent", GuardQueries.PARENT)
            .with("key_name", KEY_NAME)
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
     * A message's place, the history before it, and who will hear of it.
     *
     * @param byKey the name of the key by which a program speaks for a user
     */
    public record Slot(
            Place place,
            History history,
            Reach reach,
            @Nullable String byKey) {
        /** Returns the loop guard of a message that gets this place. */
        public LoopGuard guard(Destination to) {
            return new LoopGuard(to.otherId(), to.domain(), place, history, false);
        }
    }

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
                    var place = results.next(row -> row.as(Place.class))
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
                    var place = results.next(row -> row.as(Place.class)).orElseThrow();
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
                .set("recent", call.now().minus(GuardQueries.RECENT));
    }

    private static Slot slot(Place place, History history, Row row) throws SQLException {
        var reach = new Reach(
                row.textOrNull("wakes"),
                row.instantOrNull("last_used_at"),
                row.instantOrNull("left_at"),
                row.numbers("reached"));
        return new Slot(place, history, reach, row.textOrNull("by_key"));
    }
}
