package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.AccessNotes;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.event.EventData.AgentDeployment;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentStore.AgentChange;
import io.agentworkspace.engine.workspace.agents.AgentStore.LockedAgent;
import io.agentworkspace.engine.workspace.guard.GuardLimits;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import io.agentworkspace.engine.workspace.messages.ThreadQueries;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Agents: AP_Create, AP_Read, AP_List, AP_Update, AP_Modify, AP_Destroy. */
public final class AgentTools {
    static final String ACCESS = "Who may see it.";

    private final AgentStore agents;
    private final AgentQueries reads;
    private final AgentRevisionQueries earlier;
    private final MessageStore messages;
    private final RemoteStore remotes;

    public AgentTools(
            AgentStore agents,
            AgentQueries reads,
            AgentRevisionQueries earlier,
            MessageStore messages,
            RemoteStore remotes) {
        this.agents = agents;
        this.reads = reads;
        this.earlier = earlier;
        this.messages = messages;
        this.remotes = remotes;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(list(), read(), create(), update(), modify(), destroy());
    }

    record NewAgent(
            @Doc("Unique in the tenant.") Name name,

            @Doc(value = "What the agent is for.", max = 2_000)
            String description,

            @Doc(value = "Its persona, used as a system prompt.", max = 16_000, mayBeBlank = true) @Nullable
            String profile,

            @Doc(
                    value = ACCESS + " Default: private (you).",
                    oneOf = {"private", "agent", "domain", "public"},
                    mayBeBlank = true)
            @Nullable
            Access access) {}

    record SameAgent(
            @Doc(value = "The new name.", ofAgent = true) Name name,

            @Doc(value = "The new description.", max = 2_000)
            String description,

            @Doc(value = "The new persona.", max = 16_000, mayBeBlank = true) @Nullable
            String profile,

            @Doc(
                    value = "Who may see it.",
                    oneOf = {"private", "agent", "domain", "public"},
                    mayBeBlank = true)
            @Nullable
            Access access) {}

    record SomeOfAgent(
            @Doc(value = "The new name.", mayBeBlank = true, ofAgent = true) @Nullable
            Name name,

            @Doc(value = "The new description.", max = 2_000, mayBeBlank = true) @Nullable
            String description,

            @Doc(value = "The new persona.", max = 16_000, mayBeBlank = true) @Nullable
            String profile,

            @Doc(
                    value = "Who may see it.",
                    oneOf = {"private", "agent", "domain", "public"},
                    mayBeBlank = true)
            @Nullable
            Access access) {}

    record CreateRequest(
            @Doc("On whose behalf.") Targets.@Nullable UserOnly target,
            @Doc("The new agent.") NewAgent vx,

            @Doc("Your agent of which it is a sub-agent: it is <parent>/<name>, and ends with it.") @Nullable
            Name parent,

            @Doc(value = RemoteRequest.DOC, rare = true) @Nullable
            RemoteRequest remote) {}

    record UpdateRequest(
            @Doc("Which agent; default self.") Targets.@Nullable UserAgent target,
            @Doc("What replaces the old.") SameAgent vx,

            @Doc(value = IfRevision.DOC, mayBeBlank = true) @Nullable
            Long ifRevision) {}

    record ModifyRequest(
            @Doc("Which agent; default self.") Targets.@Nullable UserAgent target,
            @Doc("What changes.") @Nullable SomeOfAgent vx,

            @Doc("Loop guard.") @Nullable AgentGuard guard,

            @Doc(value = RemoteRequest.DOC, rare = true) @Nullable
            RemoteRequest remote,

            @Doc(value = IfRevision.DOC, mayBeBlank = true) @Nullable
            Long ifRevision,

            @Doc(value = "true: only returns earlier values.", mayBeBlank = true) @Nullable
            Boolean revisions,

            @Doc("Which part of the revisions.") @Nullable Page page) {}

    record DestroyRequest(
            @Doc("Which agent.") Targets.ThisAgent target,
            @Doc(IfRevision.DOC) @Nullable Long ifRevision) {}

    record ListRequest(
            @Doc("Which agents.") Targets.@Nullable UserAgent target,
            @Doc("Which part.") @Nullable Page page) {}

    record ReadRequest(
            @Doc("Which agent.") Targets.@Nullable UserAgent target,

            @Doc("true: your own messages, whatever is selected.") @Nullable
            Boolean inbox,

            @Doc("A message's id: it and all answers.") @Nullable
            String thread,

            @Doc("Which part.") @Nullable Page page) {}

    record AgentResponse(
            @Doc("The agent as it is now.") Agent agent,
            @Doc("Its revision.") long revision,
            @Doc("Whether anything was changed.") @Nullable Boolean changed) {}

    record ModifyResponse(
            @Doc("The agent as it is now.") Agent agent,
            @Doc("Its revision.") long revision,

            @Doc("Whether anything was changed.") @Nullable Boolean changed,

            @Doc("The loop guard of its direct messages, if you sent it.") @Nullable
            GuardLimits guard,

            @Doc("Where it lives, if you sent it and it is not here.") @Nullable
            AgentRemote remote,

            @Doc("With revisions: the values replaced in the last 30 days, newest first; at most 200.") @Nullable
            List<AgentRevision> revisions,

            @Doc("Give it as page.cursor for earlier ones; absent on the last page.") @Nullable
            String nextCursor) {}

    record DestroyResponse(@Doc("Always true.") boolean changed) {}

    record ListResponse(
            @Doc("The agents, by name.") List<Agent> profile,
            @Doc("For each of them, its presence.") List<PresenceEntry> content,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    record PresenceEntry(
            @Doc("The agent's name.") String agent,
            @Doc("Whether somebody is logged on as it.") boolean online,

            @Doc("How many messages that you may see wait for it.")
            long unread,

            @Doc("When it last sent or received a message.") java.time.@Nullable Instant lastMessageAt) {}

    record ReadResponse(
            @Doc("The agent; empty if the messages are a user's.")
            List<Agent> profile,

            @Doc("Its latest messages that you may see, oldest first.")
            List<Message> content,

            @Doc("The loop guard of its direct messages; for its owner and admins only.") @Nullable
            GuardLimits guard,

            @Doc("Where it lives if not here; for its owner and admins only.") @Nullable
            AgentRemote remote,

            @Doc("Give it as page.cursor for older messages; absent when there are none.") @Nullable
            String nextCursor) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("AP_List")
                .title("List agents")
                .description("""
                        Lists agents: your roster, or with target.agent all visible agents whose names start with it.""")
                .details("""
                        For each agent, content shows whether it is online, how many messages wait for it, and when it \
                        last sent or received one.""")
                .alsoCalled(
                        "which bots do i have",
                        "my team of assistants",
                        "who can i talk to",
                        "show all personas",
                        "who is online",
                        "my bots",
                        "which workers exist",
                        "find an assistant",
                        "search agents",
                        "show my team")
                .hints(Guide.Hint.WORK)
                .needs(Capability.AGENT_READ)
                .handledBy(ListRequest.class, ListResponse.class, (in, call) -> {
                    var prefix = in.target() == null ? null : in.target().agent();
                    var slice = reads.list(call, prefix, in.page());
                    return new ListResponse(
                            slice.rows().stream()
                                    .map(AgentQueries.AgentSummary::agent)
                                    .toList(),
                            slice.rows().stream().map(AgentTools::presenceOf).toList(),
                            slice.nextCursor());
                });
    }

    private static PresenceEntry presenceOf(AgentQueries.AgentSummary entry) {
        return new PresenceEntry(entry.agent().name(), entry.agent().online(), entry.unread(), entry.lastMessageAt());
    }

    private Tool<ReadRequest, ReadResponse> read() {
        return Tool.named("AP_Read")
                .title("Read an agent or your messages")
                .page(Guide.Page.CONVERSATION)
                .description("""
                        Reads an agent and the latest messages with it. Without target.agent: the selected agent, else your own \
                        messages. Marks those to you as read.""")
                .details("""
                        profile contains the record of the agent, content its latest messages that you may see, oldest \
                        first. Without target.agent it reads the selected agent, else the agent you are logged on as. \
                        Without either, it reads the messages to you as the user, and those of zones you entered. inbox \
                        skips the selected agent. Your own messages are marked as read once shown, unless earlier ones \
                        are still unread. A key that acts as no agent marks none. thread shows one message and its answers.""")
                .alsoCalled(
                        "details of one agent",
                        "look up a bot's persona",
                        "messages for me",
                        "my inbox",
                        "did i get mail",
                        "any news for me",
                        "unread mail",
                        "inbox",
                        "check mail",
                        "conversation",
                        "direct messages",
                        "chat log",
                        "new messages",
                        "what did it say",
                        "dm history")
                .hints(Guide.Hint.WORK, Guide.Hint.ALWAYS_LOAD)
                .needs(Capability.AGENT_READ)
                .on(Requirement.OfAgent.SEE)
                .effect(Effect.MARKS)
                .handledBy(ReadRequest.class, ReadResponse.class, (in, call) -> {
                    var name = in.target() == null ? null : in.target().agent();
                    var inbox = Boolean.TRUE.equals(in.inbox());
                    if (inbox && name != null) {
                        throw Problem.invalid("inbox", "is for your own messages: leave out target.agent");
                    }
                    var thread = ThreadQueries.id(in.thread());
                    var result = thread == null
                            ? reads.read(call, name, inbox, in.page())
                            : reads.readThread(call, name, inbox, thread, in.page());
                    return new ReadResponse(
                            result.agent() == null ? List.of() : List.of(result.agent()),
                            result.messages().rows(),
                            result.guard(),
                            result.remote(),
                            result.messages().nextCursor());
                });
    }

    private Tool<CreateRequest, AgentResponse> create() {
        return Tool.named("AP_Create")
                .title("Create an agent")
                .description("""
                        Creates an agent that you own and adds it to your roster. Next: AP_LogOn, DM_Invite, \
                        MB_Permissions.""")
                .details("""
                        vx.access: private (you), agent (whoever has it on the roster), domain (whoever shares a domain with your \
                        agents) or public (everyone in the tenant). AP_LogOn makes you act as it, DM_Invite lets it join a domain, MB_Permissions gives it access \
                        to a bank. remote is for an agent that lives elsewhere: messages to it are sent to its A2A address, and its answers come back as its messages.""")
                .alsoCalled(
                        "a new helper with its own character",
                        "i need an assistant that",
                        "make a specialist",
                        "new bot",
                        "spawn a worker",
                        "make an assistant",
                        "register an agent",
                        "define a persona",
                        "set up a helper")
                .needs(Capability.AGENT_WRITE)
                .effect(Effect.CREATES)
                .handledBy(CreateRequest.class, AgentResponse.class, (in, call) -> {
                    var remote = remotes.prepared(in.remote(), call);
                    var vx = in.vx();
                    var access = vx.access() == null ? Access.PRIVATE : vx.access();
                    var parent = in.parent() == null ? null : parent(call, in.parent());
                    var name = parent == null ? vx.name() : SubAgentName.of(parent.name(), vx.name());
                    var agent = agents.insert(
                            call, name, parent == null ? null : parent.id(), vx.description(), vx.profile(), access);
                    call.emit(EventType.AGENT_DEPLOYMENT_CREATED, AgentDeployment.of(agent, null));
                    if (remote.isEmpty()) {
                        return new AgentResponse(agent, agent.revision(), null);
                    }
                    var held = agents.read(call, name);
                    call.details(remotes.set(call, held.id(), remote.get()).words());
                    return new AgentResponse(agents.record(call, held), agent.revision(), null);
                });
    }

    /** Returns the caller's own agent of this name, which cannot end until the transaction does. */
    private LockedAgent parent(Call call, Name name) {
        var parent = agents.read(call, name);
        var bound = call.caller().boundAgent();
        if (parent.owner() != call.context().user().id() || bound != null && bound != parent.id()) {
            throw Problem.notPermitted(AccessNotes.notToHaveSubAgents(parent.name()));
        }
        if (parent.parent() != null) {
            throw Problem.conflict("'%s' is itself a sub-agent, and has none: name its parent, or leave out parent"
                    .formatted(parent.name()));
        }
        return parent;
    }

    private Tool<UpdateRequest, AgentResponse> update() {
        return Tool.named("AP_Update")
                .title("Replace an agent")
                .description("""
                        Replaces an agent's name and description, both required; profile and access only if given. AP_Modify changes \
                        single fields.""")
                .details("""
                        Name and description are both required. The revision increases if something changed. For the \
                        agent's owner and admins.""")
                .alsoCalled(
                        "give a bot a different personality",
                        "replace the instructions of an agent",
                        "redo its system prompt",
                        "overwrite an agent")
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfAgent.OWN)
                .effect(Effect.CHANGES)
                .example("vx.description", "Watches the tide tables and warns an hour before low water.")
                .handledBy(UpdateRequest.class, AgentResponse.class, (in, call) -> {
                    var vx = in.vx();
                    var agent = hold(call, in.target(), in.ifRevision());
                    return change(call, agent, new AgentChange(vx.name(), vx.description(), vx.profile(), vx.access()));
                });
    }

    private Tool<ModifyRequest, ModifyResponse> modify() {
        return Tool.named("AP_Modify")
                .title("Change an agent")
                .description("""
                        Changes only the fields of an agent that you give; AP_Update replaces name and description. With \
                        revisions: true, it changes nothing and returns earlier values.""")
                .details("""
                        Returns the record. If the values are the same as before, changed is false and the revision \
                        stays. revisions lists the names, descriptions and personas that were replaced in the last 30 days, \
                        at most 200, newest first. To restore one, send it as vx. guard limits the direct messages that the \
                        agent sends and is sent without a person: hops and per_minute. guard.more allows more, guard.stopped ends them until false is sent. \
                        With guard.incident it is for all your agents in that incident. remote says that the agent lives at an A2A address: direct messages to it are \
                        sent there, and its answers come back as its messages; AP_Read shows how that goes. The revision stays. For the agent's owner and admins.""")
                .alsoCalled(
                        "change a part of an agent's persona",
                        "add a sentence to its instructions",
                        "tweak a bot",
                        "correct a detail of a persona",
                        "rename a bot",
                        "edit an agent",
                        "new system prompt",
                        "make it public",
                        "change a persona",
                        "persona history",
                        "tweak")
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfAgent.OWN)
                .effect(Effect.CHANGES)
                .example("vx.description", "Watches the tide tables of three harbours.")
                .handledBy(ModifyRequest.class, ModifyResponse.class, (in, call) -> {
                    var where = remotes.prepared(in.remote(), call);
                    if (in.page() != null) {
                        throw Problem.invalid("page", "applies only with revisions: true");
                    }
                    var agent = hold(call, in.target(), in.ifRevision());
                    var vx = in.vx() == null ? new SomeOfAgent(null, null, null, null) : in.vx();
                    var change = new AgentChange(vx.name(), vx.description(), vx.profile(), vx.access());
                    var guard = in.guard() == null
                            ? null
                            : agents.guard(
                                    call, agent, in.guard().guard(), in.guard().incidentId());
                    var moved = where.map(each -> remotes.set(call, agent.id(), each));
                    var response = change(call, agent, change);
                    moved.filter(RemoteStore.Moved::isChanged).ifPresent(now -> {
                        call.details(now.words());
                        call.emit(
                                EventType.AGENT_DEPLOYMENT_UPDATED,
                                AgentDeployment.of(response.agent(), List.of("remote")));
                    });
                    var isChanged = Boolean.TRUE.equals(response.changed())
                            || guard != null && guard.isChanged()
                            || moved.isPresent() && moved.get().isChanged();
                    return new ModifyResponse(
                            response.agent(),
                            response.revision(),
                            isChanged,
                            guard == null ? null : guard.guard(),
                            moved.map(RemoteStore.Moved::remote).orElse(null),
                            null,
                            null);
                })
                .readingWith("revisions", "true", this::revisions);
    }

    private ModifyResponse revisions(ModifyRequest in, Call call) {
        if (in.vx() != null || in.guard() != null || in.remote() != null || in.ifRevision() != null) {
            throw Problem.invalid(
                    "revisions",
                    "only reads: leave out vx, guard, remote and if_revision, or leave out revisions to change the agent");
        }
        var history =
                earlier.list(call, in.target() == null ? null : in.target().agent(), in.page());
        return new ModifyResponse(
                history.agent(),
                history.agent().revision(),
                null,
                null,
                null,
                history.revisions().rows(),
                history.revisions().nextCursor());
    }

    /** The name of a sub-agent is its own part of the whole one. An agent with sub-agents keeps its name, which is part of theirs. */
    private AgentChange named(Call call, LockedAgent agent, AgentChange change) {
        var name = change.name();
        if (name == null) {
            return change;
        }
        var parent = agent.parent() == null ? null : SubAgentName.parent(agent.name());
        var isWhole = parent != null
                && SubAgentName.is(name)
                && Name.key(SubAgentName.parent(name.text())).equals(Name.key(parent));
        if (SubAgentName.is(name) && !isWhole) {
            throw Problem.invalid(
                    "vx.name",
                    parent == null
                            ? "has a slash, which only the name of a sub-agent has"
                            : "must be its own name, or begin with '%s/'".formatted(parent));
        }
        if (parent != null) {
            var whole = SubAgentName.of(parent, Name.of(SubAgentName.own(name)));
            return new AgentChange(whole, change.description(), change.profile(), change.access());
        }
        if (!name.text().equals(agent.name()) && !agents.subAgents(call, agent).isEmpty()) {
            throw Problem.conflict("'%s' has sub-agents, which are named after it: delete them first, or keep its name"
                    .formatted(agent.name()));
        }
        return change;
    }

    private AgentResponse change(Call call, LockedAgent before, AgentChange change) {
        var updated = agents.update(call, before, named(call, before, change));
        var agent = updated.agent();
        call.details(
                updated.changed().isEmpty() ? "changed nothing" : "changed " + String.join(", ", updated.changed()));
        if (!updated.changed().isEmpty()) {
            call.emit(EventType.AGENT_DEPLOYMENT_UPDATED, AgentDeployment.of(agent, updated.changed()));
            rename(call, new Ref(before.id(), agent.name()));
        }
        return new AgentResponse(agent, agent.revision(), !updated.changed().isEmpty());
    }

    /** Changes the agent's name in the call's own context. */
    private static void rename(Call call, Ref renamed) {
        var context = call.context();
        if (context.self() != null && context.self().id() == renamed.id()) {
            context = context.withSelf(renamed);
        }
        if (context.agent() != null && context.agent().id() == renamed.id()) {
            context = context.withAgent(renamed);
        }
        call.context(context);
    }

    private Tool<DestroyRequest, DestroyResponse> destroy() {
        return Tool.named("AP_Destroy")
                .title("Delete an agent")
                .description("""
                        Deletes an agent for everyone, permanently. AP_Remove only takes it off your roster.""")
                .details("""
                        Its memberships, permissions, roster entries and presence are deleted; its messages and \
                        memories stay under its name. For the agent's owner and admins.""")
                .alsoCalled(
                        "an agent is no longer needed",
                        "remove a bot for good",
                        "retire an assistant",
                        "delete agent",
                        "kill a bot",
                        "get rid of an assistant",
                        "erase a worker",
                        "terminate")
                .needs(Capability.AGENT_WRITE)
                .on(Requirement.OfAgent.OWN)
                .effect(Effect.DESTROYS)
                .handledBy(DestroyRequest.class, DestroyResponse.class, (in, call) -> {
                    var agent = agents.lock(call, in.target().agent());
                    AccessCheck.require(AgentAccess.missing(call, agent));
                    IfRevision.check(in.ifRevision(), agent.revision());
                    agents.subAgents(call, agent).forEach(each -> destroy(call, each));
                    destroy(call, agent);
                    return new DestroyResponse(true);
                });
    }

    private void destroy(Call call, LockedAgent agent) {
        agents.destroy(call, agent);
        call.emit(
                EventType.AGENT_DEPLOYMENT_DELETED,
                new AgentDeployment(agent.name(), agent.access(), agent.ownerName(), agent.revision(), null));
        forget(call, agent);
    }

    /** Removes the agent from the call's own context. */
    private void forget(Call call, LockedAgent agent) {
        var context = call.context();
        var wasSelf = context.self() != null && context.self().id() == agent.id();
        if (wasSelf) {
            context = context.withSelf(null);
        }
        if (context.agent() != null && context.agent().id() == agent.id()) {
            context = context.withAgent(null);
        }
        call.context(context);
        if (wasSelf) {
            messages.recount(call);
        }
    }

    private LockedAgent hold(Call call, Targets.@Nullable UserAgent target, @Nullable Long ifRevision) {
        var agent = agents.lock(call, nameOrSelf(call, target == null ? null : target.agent()));
        AccessCheck.require(AgentAccess.missing(call, agent));
        IfRevision.check(ifRevision, agent.revision());
        return agent;
    }

    /** Returns the named agent, else self. A write takes no other agent from the context. */
    public static Name nameOrSelf(Call call, @Nullable Name name) {
        if (name != null) {
            return name;
        }
        var self = call.context().self();
        if (self == null) {
            throw Problem.noContext("no agent is given: give target.agent, or log on as one with AP_LogOn");
        }
        return Name.of(self.name());
    }
}
