package io.agentworkspace.engine.workspace.agents;

import static io.agentworkspace.engine.kernel.access.AccessCheck.refusedIf;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.AccessNotes;
import io.agentworkspace.engine.model.access.Requirement.OfAgent;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Decides what a caller may do with an agent that it sees. */
public final class AgentAccess {
    private AgentAccess() {}

    public static AccessCheck missing(Call call, AgentStore.LockedAgent agent) {
        return missing(call, agent.ref(), agent.parent(), agent.owner(), agent.ownerName());
    }

    public static AccessCheck missing(Call call, Ref agent, long ownerId, String owner) {
        return missing(call, agent, null, ownerId, owner);
    }

    /** A key of an agent changes its sub-agents, too, and makes keys for them. It is not one of them. */
    private static AccessCheck missing(Call call, Ref agent, @Nullable Long parent, long ownerId, String owner) {
        var bound = call.caller().boundAgent();
        var another = bound != null && bound != agent.id();
        var elsewhere = another && !Objects.equals(bound, parent);
        var own = ownerId == call.context().user().id();
        var admin = call.caller().isAdmin();
        var name = agent.name();
        var required = call.tool().requirement(OfAgent.class);
        call.checked(required);
        return switch (required) {
            case SEE -> AccessCheck.GRANTED;
            case OWN ->
                refusedIf(elsewhere, AccessNotes.boundNotToChange(name))
                        .and(() -> refusedIf(!own && !admin, AccessNotes.notYours("agent", name, owner)));
            case BE ->
                refusedIf(another, AccessNotes.boundElsewhere(name))
                        .and(() -> refusedIf(!own, AccessNotes.notYourself(name, owner)));
            case ACT ->
                refusedIf(another, AccessNotes.boundElsewhere(name))
                        .and(() -> refusedIf(!own && !admin, AccessNotes.notToActAs(name, owner)));
            case HOST -> refusedIf(!own && !admin, AccessNotes.notToHost(name, owner));
            case BIND ->
                refusedIf(elsewhere, AccessNotes.boundNotToBind(name, owner))
                        .and(() -> refusedIf(!own, AccessNotes.notToBind(name, owner)));
        };
    }
}
