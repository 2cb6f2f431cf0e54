package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import java.util.Objects;

/**
 * A session of a coding agent.
 *
 * @param id as its program calls it
 * @param direct whether its key may read messages between two parties
 * @param zones whether its key may read messages in zones
 */
record HookSession(HookClient client, Caller caller, String id, boolean direct, boolean zones) {
    /** @throws Problem {@code not_permitted} if the caller is no agent's program, or may not read messages */
    static HookSession of(HookClient client, Caller caller, String id, Catalogue catalogue) {
        require(caller, catalogue);
        return new HookSession(client, caller, id, true, caller.may(catalogue.read("ZN_Read")));
    }

    /** @throws Problem {@code not_permitted} if the caller is no agent's program, or may not read messages */
    static void require(Caller caller, Catalogue catalogue) {
        if (caller.boundAgent() == null) {
            throw Problem.notPermitted(
                    "hooks need a key that is bound to an agent, and yours is not; AK_Create with agent creates one");
        }
        if (!caller.role().isAtLeast(Role.MEMBER)) {
            throw Problem.notPermitted(
                    "hooks need the role 'member'; your role is '%s', and an admin can change that with US_Update"
                            .formatted(caller.role().word()));
        }
        var reading = catalogue.read("AP_Read");
        caller.obstacle(reading).ifPresent(note -> {
            throw Problem.notPermitted(note);
        });
    }

    /** What identifies a session in its tenant. */
    record SessionKey(long agent, String id) {}

    SessionKey key() {
        return new SessionKey(agent(), id);
    }

    long agent() {
        return Objects.requireNonNull(caller.boundAgent());
    }
}
