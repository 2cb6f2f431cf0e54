package io.agentworkspace.engine.workspace.chat;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserRecipient;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.domains.ZoneEntry;
import io.agentworkspace.engine.workspace.guard.GuardQueries;
import io.agentworkspace.engine.workspace.guard.GuardQueries.ParentMessage;
import io.agentworkspace.engine.workspace.messages.Destination;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds where a message goes: to whom or where the call says, where the answered message is, or what is selected. */
final class DestinationQueries {
    /** The place of a message that the speaker takes part in, or a user may read. */
    private static final String FIND_MESSAGE = SqlTemplate.of("""
            SELECT m.conversation_id AS conversation, d.name AS domain, z.name AS zone,
                   other.id AS other_id, other.name AS other_name, other.kind AS other_kind, {parent}
              FROM message m
              JOIN conversation c ON c.tenant_id = :tenant AND c.id = m.conversation_id
              LEFT JOIN zone z ON z.tenant_id = :tenant AND z.conversation_id = m.conversation_id
              LEFT JOIN domain d ON d.tenant_id = :tenant AND d.id = z.domain_id
              LEFT JOIN LATERAL (SELECT * FROM party x
                                  WHERE x.tenant_id = :tenant
                                    AND x.id = CASE WHEN c.low_id = :speaker THEN c.high_id ELSE c.low_id END
                                 OFFSET 0) other ON true
             WHERE m.tenant_id = :tenant AND m.id = :message
               AND (EXISTS (SELECT 1 FROM participant p
                             WHERE p.tenant_id = :tenant AND p.conversation_id = m.conversation_id AND p.party_id = :speaker)
                    OR (CAST(:self AS bigint) IS NULL AND d.id IS NOT NULL AND {may_talk}))
            """)
            .with("parent", GuardQueries.PARENT)
            .with("may_talk", Visibility.talk("d"))
            .sql();

    private final Db db;
    private final AgentStore agents;
    private final ZoneEntry zones;
    private final RecipientQueries people;
    private final boolean reachesElsewhere;

    /** @param reachesElsewhere whether messages reach agents that live elsewhere */
    DestinationQueries(Db db, AgentStore agents, ZoneEntry zones, boolean reachesElsewhere) {
        this.reachesElsewhere = reachesElsewhere;
        this.db = db;
        this.people = new RecipientQueries(db);
        this.agents = agents;
        this.zones = zones;
    }

    /**
     * Returns the destination, where the speaker may send messages.
     *
     * @param toUser the user to whom the message goes, if it goes to one
     * @param replyTo the message that is answered, if the call names one
     */
    Destination find(Call call, Targets.@Nullable Chat target, @Nullable UserRecipient toUser, @Nullable UUID replyTo) {
        var namedDestination = toUser != null && !toUser.isNobody()
                ? user(call, target, toUser)
                : target == null ? null : namedDestination(call, target);
        var destination = replyTo != null
                ? answering(call, replyTo, namedDestination)
                : namedDestination != null ? namedDestination : selected(call);
        call.checked(OfDomain.TAKE_PART); // No zone is addressed, or the speaker takes part there.
        if (destination.other() != null
                && destination.other().id() == call.context().speaker().id()) {
            throw Problem.invalid("target.agent", "must be another agent than the one that speaks");
        }
        if (!reachesElsewhere && isElsewhere(call, destination)) {
            throw Problem.conflict(
                    "the agent lives at another server, and ENGINE_A2A is off at this one: nothing can be sent to it");
        }
        return destination;
    }

    private boolean isElsewhere(Call call, Destination to) {
        return db.sql(call, "SELECT 1 AS found FROM agent_remote WHERE tenant_id = :tenant AND agent_id = :agent")
                .set("agent", to.otherId())
                .one(_ -> true)
                .isPresent();
    }

    private Destination user(Call call, Targets.@Nullable Chat target, UserRecipient toUser) {
        if (target != null && (target.agent() != null || target.domain() != null || target.zone() != null)) {
            throw Problem.invalid("to_user", "cannot be combined with a target agent or zone");
        }
        if (call.context().self() == null) {
            throw Problem.noContext(
                    "only agents can send to to_user: log on as one with AP_LogOn, or address an agent");
        }
        var user = toUser.user() == null ? call.context().user() : people.read(call, toUser.user());
        return Destination.direct(user, MessageStore.USER);
    }

    private @Nullable Destination namedDestination(Call call, Targets.Chat target) {
        var isInZone = target.domain() != null || target.zone() != null;
        if (target.agent() != null) {
            if (isInZone) {
                throw Problem.invalid("target", "must name an agent or a zone, not both");
            }
            return direct(call, target.agent());
        }
        return isInZone ? zones.enter(call, target.domain(), target.zone()) : null;
    }

    private Destination direct(Call call, Name agent) {
        return Destination.direct(agents.read(call, agent).ref(), MessageStore.AGENT);
    }

    private Destination selected(Call call) {
        var context = call.context();
        if (context.zone() != null) {
            return zones.enter(call, null, Name.of(context.zone().name()));
        }
        if (context.agent() != null) {
            return direct(call, Name.of(context.agent().name()));
        }
        throw Problem.noContext(
                "the message has no recipient: give target.agent, or target.domain and target.zone, or enter a zone"
                        + " with ZN_Enter, or select an agent with AP_Select");
    }

    /** Returns the place of the answered message. A destination that is also named must be the same. */
    private Destination answering(Call call, UUID message, @Nullable Destination namedDestination) {
        var there =
                placeOf(call, message).orElseThrow(() -> Problem.notFound("message", message.toString(), List.of()));
        if (namedDestination != null && !namedDestination.isSamePlace(there)) {
            throw Problem.invalid("reply_to", "must be a message of the target's conversation");
        }
        return there;
    }

    /** Returns the place of a message, if the speaker takes part there or may read it as a user. */
    Optional<Destination> placeOf(Call call, UUID message) {
        return db.sql(call, FIND_MESSAGE)
                .set("message", message)
                .set("speaker", call.context().speaker().id())
                .one(DestinationQueries::place);
    }

    private static Destination place(Row row) throws SQLException {
        var zone = row.textOrNull("zone");
        var there = zone == null
                ? Destination.direct(new Ref(row.number("other_id"), row.text("other_name")), row.text("other_kind"))
                : Destination.zone(row.number("conversation"), row.text("domain"), zone);
        return there.answering(ParentMessage.read(row));
    }
}
