package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.model.access.Requirement.OfAgent;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.workspace.agents.AgentAccess;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import org.jspecify.annotations.Nullable;

/** Determines who acts on a bank: the agent that the command names, else self, else the user. */
public final class ActingAgent {
    private final AgentStore agents;

    public ActingAgent(AgentStore agents) {
        this.agents = agents;
    }

    /**
     * Returns the named agent, else self; null if the user acts.
     *
     * @throws Problem {@code not_found}, or {@code not_permitted} for an agent that the caller may not act as
     */
    public @Nullable Ref agent(Call call, @Nullable Name name) {
        if (name == null) {
            call.checked(OfAgent.ACT); // A caller may act as the agent it is logged on as.
            return call.context().self();
        }
        var agent = agents.read(call, name);
        AccessCheck.require(AgentAccess.missing(call, agent));
        call.acting(agent.ref());
        return agent.ref();
    }

    /** @throws Problem also {@code no_context} if the user would act */
    Ref required(Call call, @Nullable Name name) {
        var agent = agent(call, name);
        if (agent == null) {
            throw Problem.noContext("no agent is given: give target.agent, or log on as one with AP_LogOn");
        }
        return agent;
    }
}
