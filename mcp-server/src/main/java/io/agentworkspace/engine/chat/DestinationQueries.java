package io.agentworkspace.engine.chat;

import io.agentworkspace.engine.access.Visibility;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.db.AdvisoryLock;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.db.Statement;
import io.agentworkspace.engine.domains.ZoneEntry;
import io.agentworkspace.engine.messages.MessageStore;
import io.agentworkspace.engine.messages.MessageStore.Beginning;
import io.agentworkspace.engine.messages.Reach;
import io.agentworkspace.engine.messages.StreamQueries;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes the next place in the stream of a named agent or zone, in the same round trip as the look-up of the name. If the
 * result is empty, the speaker may not send a message there; other statements find out why.
 */
final class DestinationQueries {
    private static final String AGENT = """
            (SELECT a.id FROM agent a WHERE a.tenant_id = :tenant AND a.name_key = :key AND a.destroyed_at IS NULL)
            """;

    /** It protects the agent from being destroyed until the transaction ends. */
    private static final String NEXT_TO_AGENT = ContextStore.KNOWN_CONTEXT
            + SqlTemplate.of("""
            INSERT INTO stream (tenant_id, low_id, high_id, last_seq, last_at)
            SELECT :tenant, least(:speaker, a.id), greatest(:speaker, a.id), 1, :now
              FROM agent a, ctx
             WHERE a.tenant_id = :tenant AND a.name_key = :key AND a.id <> :speaker AND {visible_agent}
               FOR SHARE OF a
            """).with("visible_agent", Visibility.agent("a")).sql()
            + StreamQueries.OR_NEXT;

    private static final String BETWEEN =
            SqlTemplate.of("""
            x.low_id = least(CAST(:speaker AS bigint), {agent}) AND x.high_id = greatest(CAST(:speaker AS bigint), {agent})
            """).with("agent", AGENT).sql();

    private static final String WHO = SqlTemplate.of("""
            , {agent} AS other,
            (SELECT a.name FROM agent a WHERE a.tenant_id = :tenant AND a.name_key = :key AND a.destroyed_at IS NULL) AS other_name
            """).with("agent", AGENT).sql()
            + Reach.columns(AGENT, "CAST(NULL AS bigint)", "answered.id");

    private static final String TO_AGENT = NEXT_TO_AGENT + ";\n" + StreamQueries.readAnswered(BETWEEN, "TRUE", WHO);

    private static final String TO_AGENT_IN_TURN =
            StreamQueries.TAKE_TURN + NEXT_TO_AGENT + ";\n" + StreamQueries.readBefore(BETWEEN, "TRUE", "TRUE", WHO);

    private static final String NEXT_IN_ZONE = ContextStore.KNOWN_CONTEXT
            + SqlTemplate.of(StreamQueries.NEXT + """
              FROM (SELECT z.stream_id, z.name AS zone_name, d.name AS domain_name
                      FROM ctx, domain d
                      JOIN zone z ON z.tenant_id = d.tenant_id AND z.domain_id = d.id AND z.name_key = :zone
                     WHERE d.tenant_id = :tenant AND d.name_key = :domain AND {visible_domain} AND {takes_part}) place
             WHERE st.tenant_id = :tenant AND st.id = place.stream_id
            RETURNING {columns}, zone_name, domain_name{reach}
            """)
                    .with("visible_domain", Visibility.domain("d"))
                    .with("takes_part", ZoneEntry.takesPart("d"))
                    .with("columns", StreamQueries.PLACE)
                    .with("reach", Reach.columns("CAST(NULL AS bigint)", "st.id", "CAST(NULL AS uuid)"))
                    .sql();

    private static final String IN_ZONE = ZoneEntry.HOLD + ";\n" + NEXT_IN_ZONE;

    private static final String IN_ZONE_IN_TURN = StreamQueries.TAKE_TURN + NEXT_IN_ZONE;

    private final Db db;

    DestinationQueries(Db db) {
        this.db = db;
    }

    /**
     * The beginning of a message to a named destination.
     *
     * @param agent the recipient, null in a zone
     */
    record NamedBeginning(
            Beginning beginning,
            @Nullable Ref agent,
            @Nullable String domain,
            @Nullable String zone) {}

    /** Begins a direct message to the agent with this name. */
    Optional<NamedBeginning> toAgent(Call call, Name agent) {
        var byAgent = call.context().self() != null;
        return statement(call, byAgent ? TO_AGENT_IN_TURN : TO_AGENT)
                .set("key", agent.key())
                .set("reply", null)
                .all(results -> {
                    if (byAgent) {
                        results.next(_ -> true);
                    }
                    var place = results.next(MessageStore::place);
                    return place.isEmpty()
                            ? Optional.empty()
                            : results.next(row -> new NamedBeginning(
                                    MessageStore.beginning(place.get(), row),
                                    new Ref(row.number("other"), row.text("other_name")),
                                    null,
                                    null));
                });
    }

    /** Begins a message in a zone, where nothing is counted but what its stream counts. */
    Optional<NamedBeginning> inZone(Call call, Name domain, Name zone) {
        return statement(call, call.context().self() != null ? IN_ZONE_IN_TURN : IN_ZONE)
                .set("domain", domain.key())
                .set("zone", zone.key())
                .all(results -> {
                    results.next(_ -> true); // The lock.
                    return results.next(row -> new NamedBeginning(
                            MessageStore.beginning(row), null, row.text("domain_name"), row.text("zone_name")));
                });
    }

    private Statement statement(Call call, String text) {
        return db.sql(call, text)
                .set("lock", AdvisoryLock.PARTY.number)
                .set("speaker", call.context().speaker().id())
                .set("by_program", !call.isByPerson())
                .set("recent", call.now().minus(MessageStore.CONVERSATION));
    }
}
