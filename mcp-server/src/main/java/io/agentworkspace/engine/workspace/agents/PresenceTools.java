package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.messages.CutMessages;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The roster and the context of the caller: AP_Add, AP_Remove, AP_LogOn, AP_LogOff, AP_Select. */
final class PresenceTools {
    private final AgentStore agents;
    private final ContextStore stored;
    private final MessageStore messages;

    public PresenceTools(AgentStore agents, ContextStore stored, MessageStore messages) {
        this.agents = agents;
        this.stored = stored;
        this.messages = messages;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(select(), logOn(), logOff(), add(), remove());
    }

    record RosterRequest(@Doc("Which agent.") Targets.@Nullable UserAgent target) {}

    record LogOnRequest(
            @Doc("Which agent.") Targets.@Nullable AgentOnly target,
            @Doc("How many messages.") @Nullable Page page) {}

    record LogOffRequest(@Doc("Which agent; default self.") Targets.@Nullable AgentOnly target) {}

    record RosterResponse(
            @Doc("The agent.") @Nullable Agent agent,
            @Doc("Whether this changed anything.") boolean changed) {}

    record LogOnResponse(
            @Doc("The agent that you now speak as.") Agent agent,

            @Doc("Whether you were not logged on as it before.")
            boolean changed,

            @Doc("Its unread messages, oldest first; they stay unread until AP_Read or AP_Chat.")
            List<Message> content,

            @Doc("The calls that show the texts that are cut here; absent if none is.") @Nullable
            String next) {
        static LogOnResponse of(Agent agent, boolean changed, List<Message> content) {
            return new LogOnResponse(agent, changed, content, CutMessages.next(content));
        }
    }

    record SelectResponse(
            @Doc("The name of the selected agent; absent if none is selected.") @Nullable
            String selected,

            @Doc("Whether the selection changed.") boolean changed,

            @Doc("What to do if none is selected; else absent.") @Nullable
            String note) {}

    private static SelectResponse selected(Context.@Nullable Ref agent, boolean changed) {
        return agent == null
                ? new SelectResponse(
                        null,
                        changed,
                        "No agent is selected: name one in target.agent. AP_List shows those that you may see.")
                : new SelectResponse(agent.name(), changed, null);
    }

    private Tool<RosterRequest, SelectResponse> select() {
        return Tool.named("AP_Select")
                .title("Select an agent to talk to")
                .description("""
                        Selects the agent that AP_Chat and AP_Read use by default. Without target.agent: reports the \
                        selection.""")
                .alsoCalled(
                        "choose the agent that i work with",
                        "switch to another agent",
                        "which agent do the next calls mean",
                        "choose whom to talk to",
                        "switch recipient",
                        "focus on",
                        "set the addressee",
                        "pick")
                .needs(Capability.AGENT_READ)
                .on(Requirement.OfAgent.SEE)
                .effect(Effect.MOVES)
                .idempotent()
                .handledBy(RosterRequest.class, SelectResponse.class, (in, call) -> {
                    var before = call.context().agent();
                    if (in.target() == null || in.target().agent() == null) {
                        return selected(before, false);
                    }
                    var agent = agents.read(call, in.target().agent()).ref();
                    var changed = !agent.equals(before);
                    if (changed) {
                        call.context(call.context().withAgent(agent));
                        stored.save(call);
                    }
                    return selected(agent, changed);
                });
    }

    private Tool<LogOnRequest, LogOnResponse> logOn() {
        return Tool.named("AP_LogOn")
                .title("Log on as an agent")
                .description("""
                        Makes you act as one of your agents in this context. Returns its unread messages.""")
                .details("""
                        The agent is online until AP_LogOff or 15 minutes without a command. A key that is bound to an \
                        agent acts as it without this call. content contains the unread messages, oldest first, each \
                        cut to 500 characters. They stay unread until AP_Read, which returns them whole, or until \
                        AP_Chat as that agent.""")
                .alsoCalled(
                        "take on a persona",
                        "be somebody",
                        "pretend to be an agent",
                        "start a shift",
                        "speak in the name of a bot",
                        "become",
                        "impersonate",
                        "act as",
                        "sign in as a bot",
                        "speak as",
                        "start a session",
                        "go online",
                        "assume an identity")
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfAgent.BE)
                .effect(Effect.MOVES)
                .idempotent()
                .handledBy(LogOnRequest.class, LogOnResponse.class, (in, call) -> {
                    var name = in.target() == null ? null : in.target().agent();
                    if (name == null && call.context().self() == null) {
                        throw Problem.noContext(
                                "no agent is given: give target.agent, one of your own agents, which AP_List shows");
                    }
                    var target = agents.read(call, AgentTools.nameOrSelf(call, name));
                    AccessCheck.require(AgentAccess.missing(call, target));
                    var before = call.context().self();
                    call.context(call.context().withSelf(target.ref()));
                    var agent = agents.saveAndRead(call, target.id());
                    call.budget().spend(agent);
                    return LogOnResponse.of(
                            agent,
                            before == null || before.id() != target.id(),
                            call.context().unread() == 0
                                    ? List.of()
                                    : messages.waiting(call, target.id(), Page.limit(in.page())));
                })
                .shownAgainBy((in, first, call) -> {
                    var name = Name.of(first.at("/agent/name").asString(""));
                    var target = agents.read(call, name);
                    AccessCheck.require(AgentAccess.missing(call, target));
                    var agent = agents.record(call, target);
                    call.budget().spend(agent);
                    return LogOnResponse.of(
                            agent,
                            first.path("changed").asBoolean(false),
                            messages.waiting(call, target.id(), Page.limit(in.page())));
                });
    }

    private Tool<LogOffRequest, RosterResponse> logOff() {
        return Tool.named("AP_LogOff")
                .title("Log off")
                .description("Ends AP_LogOn: you act as the user again.")
                .details("""
                        Unread messages stay unread. A key that is bound to an agent keeps acting as it; then AP_LogOff \
                        only shows the agent offline until the key's next command. If you name an agent that you are \
                        not logged on as, nothing changes.""")
                .alsoCalled(
                        "stop being an agent",
                        "end the shift",
                        "leave the role",
                        "be myself again",
                        "sign out",
                        "stop acting as",
                        "go offline",
                        "end my session",
                        "disconnect")
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfAgent.SEE)
                .effect(Effect.MOVES)
                .idempotent()
                .handledBy(LogOffRequest.class, RosterResponse.class, (in, call) -> {
                    var name = in.target() == null ? null : in.target().agent();
                    var self = call.context().self();
                    var agent = name == null ? null : agents.read(call, name);
                    if (self == null || (agent != null && agent.id() != self.id())) {
                        return new RosterResponse(null, false);
                    }
                    call.context(call.context().withSelf(null));
                    agents.left(call, self.id());
                    return new RosterResponse(agents.saveAndRead(call, self.id()), true);
                });
    }

    private Tool<RosterRequest, RosterResponse> add() {
        return Tool.named("AP_Add")
                .title("Add an agent to your roster")
                .description("Adds an existing agent to your roster.")
                .details("""
                        You must be allowed to see the agent. AP_List shows the roster. Repeating the call changes \
                        nothing.""")
                .alsoCalled(
                        "remember somebody's agent as a contact",
                        "follow an agent",
                        "put it among my agents",
                        "bookmark a bot",
                        "favourite",
                        "add a contact",
                        "follow")
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfAgent.SEE)
                .effect(Effect.CHANGES)
                .idempotent()
                .handledBy(RosterRequest.class, RosterResponse.class, (in, call) -> {
                    var agent = agents.read(call, targetName(call, in));
                    var entry = agents.addToRoster(call, agent.id());
                    return new RosterResponse(entry.agent(), entry.changed());
                });
    }

    private Tool<RosterRequest, RosterResponse> remove() {
        return Tool.named("AP_Remove")
                .title("Remove an agent from your roster")
                .description("""
                        Takes an agent off your roster. The agent lives on; AP_Destroy deletes it.""")
                .details("It also leaves your context. Repeating the call changes nothing.")
                .alsoCalled(
                        "forget a contact",
                        "unfollow an agent",
                        "no longer list an agent",
                        "unfollow",
                        "remove a contact",
                        "hide from my list",
                        "drop from roster")
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfAgent.SEE)
                .effect(Effect.CHANGES)
                .idempotent()
                .handledBy(RosterRequest.class, RosterResponse.class, (in, call) -> {
                    var agent = agents.read(call, targetName(call, in));
                    leave(call, agent);
                    var entry = agents.removeFromRoster(call, agent.id());
                    return new RosterResponse(entry.agent(), entry.changed());
                });
    }

    private void leave(Call call, AgentStore.LockedAgent agent) {
        var context = call.context();
        var wasSelf = context.self() != null
                && context.self().id() == agent.id()
                && call.caller().boundAgent() == null;
        if (wasSelf) {
            context = context.withSelf(null);
        }
        if (context.agent() != null && context.agent().id() == agent.id()) {
            context = context.withAgent(null);
        }
        if (context != call.context()) {
            call.context(context);
            stored.save(call);
        }
        if (wasSelf) {
            messages.recount(call);
        }
    }

    private static Name targetName(Call call, RosterRequest in) {
        return AgentTools.nameOrSelf(
                call, in.target() == null ? null : in.target().agent());
    }
}
