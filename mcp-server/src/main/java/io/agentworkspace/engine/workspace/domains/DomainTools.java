package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfAgent;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentAccess;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.agents.AgentTools;
import io.agentworkspace.engine.workspace.domains.DomainStore.DomainFields;
import io.agentworkspace.engine.workspace.domains.DomainStore.LockedDomain;
import io.agentworkspace.engine.workspace.guard.GuardLimits;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tools for domains: DM_List, DM_Read, DM_Create, DM_Update, DM_Destroy. */
final class DomainTools {
    static final String ACCESS = "Who else may see it.";

    private final DomainStore domains;
    private final DomainQueries reads;
    private final AgentStore agents;
    private final MessageStore messages;

    public DomainTools(DomainStore domains, DomainQueries reads, AgentStore agents, MessageStore messages) {
        this.domains = domains;
        this.reads = reads;
        this.agents = agents;
        this.messages = messages;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(list(), read(), create(), update(), destroy());
    }

    record NewDomain(
            @Doc("Unique in the tenant.") Name name,

            @Doc(value = "What the domain is for.", max = Limits.DESCRIPTION)
            String description,

            @Doc(value = "Its house rules.", max = Limits.PROFILE, mayBeBlank = true) @Nullable
            String profile,

            @Doc(
                    value = ACCESS + " Default: private (you).",
                    oneOf = {"private", "domain", "agent", "public"},
                    mayBeBlank = true)
            @Nullable
            Access access) {}

    record SameDomain(
            @Doc("The new name.") Name name,

            @Doc(value = "The new description.", max = Limits.DESCRIPTION)
            String description,

            @Doc(value = "Its house rules.", max = Limits.PROFILE, mayBeBlank = true) @Nullable
            String profile,

            @Doc(
                    value = "Who may see it.",
                    oneOf = {"private", "domain", "agent", "public"},
                    mayBeBlank = true)
            @Nullable
            Access access,

            @Doc(value = "Whether git worktrees share reservations.", mayBeBlank = true) @Nullable
            Worktrees worktrees) {}

    record ListRequest(
            @Doc("Which domains.") Targets.@Nullable DomainPrefix target,
            @Doc("Which part.") @Nullable Page page) {}

    record ReadRequest(
            @Doc("Which domain.") Targets.@Nullable EnteredDomainAgent target,
            @Doc("Which members.") @Nullable Page page) {}

    record NewGuard(
            @Doc(value = GuardLimits.HOPS, min = 1, max = GuardLimits.MOST_HOPS) @Nullable
            Integer hops,

            @Doc(value = GuardLimits.PER_MINUTE, min = 1, max = GuardLimits.MOST_PER_MINUTE) @Nullable
            Integer perMinute) {
        GuardLimits limits() {
            return new GuardLimits(hops, perMinute, null, null);
        }
    }

    record CreateRequest(
            @Doc("Its host; default self.") Targets.@Nullable NewHost target,

            @Doc("The domain.") NewDomain vx,
            @Doc("Loop guard.") @Nullable NewGuard guard) {}

    record UpdateRequest(
            @Doc("Which domain.") Targets.DomainOnly target,

            @Doc("The new values.") @Nullable SameDomain vx,

            @Doc("Loop guard.") @Nullable GuardLimits guard,

            @Doc(value = IfRevision.DOC, mayBeBlank = true) @Nullable
            Long ifRevision) {}

    record DestroyRequest(
            @Doc("Which domain.") Targets.DomainHost target,
            @Doc(IfRevision.DOC) @Nullable Long ifRevision) {}

    record DomainResponse(
            @Doc("The domain as it is now.") Domain domain,
            @Doc("Its revision.") long revision,
            @Doc("Whether anything was changed.") @Nullable Boolean changed,

            @Doc("The loop guard in its zones, if you sent it.") @Nullable
            GuardLimits guard) {}

    record DestroyResponse(@Doc("Always true.") boolean changed) {}

    record ListResponse(
            @Doc("The domains, by name.") List<Domain> profile,

            @Doc("For each of them, the state of your agents in it.")
            List<Participation> content,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    record Participation(
            @Doc("The domain's name.") String domain,

            @Doc("The state of your agent that is closest to membership; absent if none of your agents has one.")
            @Nullable
            MemberState state,

            @Doc("How many agents are members.") long members) {}

    record ReadResponse(
            @Doc("The domain.") List<Domain> profile,

            @Doc(
                    "Its members, invited agents, and agents that asked to join, by name; for its owner and admins also banned ones.")
            List<Member> content,

            @Doc("Its zones, 'main' first, then by name; at most 200, ZN_List has them all.")
            List<Zone> zones,

            @Doc("The latest 20 messages of all its zones, oldest first; absent unless you take part in the domain.")
            @Nullable
            List<Message> messages,

            @Doc("The loop guard in its zones; for its owner and admins only.") @Nullable
            GuardLimits guard,

            @Doc("Give it as page.cursor for the next members; absent on the last page.") @Nullable
            String nextCursor) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("DM_List")
                .title("List domains")
                .description("""
                        Lists the domains that you may see. Next: DM_Read, ZN_Enter.""")
                .details("""
                        With target.domain: those whose names start with it. content shows the state of your agents in \
                        each (member, invited, requested, banned) and the number of members. DM_Invite joins a domain \
                        or accepts an invitation; ZN_Enter lets you talk there.""")
                .alsoCalled(
                        "which projects are there",
                        "the workspaces that i am in",
                        "find a team space",
                        "which workspaces exist",
                        "my projects",
                        "teams",
                        "servers",
                        "my invitations",
                        "where can i go")
                .needs(Capability.DOMAIN_READ)
                .handledBy(ListRequest.class, ListResponse.class, (in, call) -> {
                    var found = reads.list(
                            call, in.target() == null ? null : in.target().domain(), in.page());
                    return new ListResponse(
                            found.rows().stream()
                                    .map(DomainQueries.DomainSummary::domain)
                                    .toList(),
                            found.rows().stream()
                                    .map(entry ->
                                            new Participation(entry.domain().name(), entry.state(), entry.members()))
                                    .toList(),
                            found.nextCursor());
                });
    }

    private Tool<ReadRequest, ReadResponse> read() {
        return Tool.named("DM_Read")
                .title("Read a domain")
                .description("""
                        Reads a domain: record, members, zones, latest messages. Default: the entered domain.""")
                .details("""
                        profile contains the record, content the members (agent, role, online, since, state). \
                        target.agent shows only that member. messages contains the latest messages, oldest first, if \
                        you own the domain or one of your agents is a member. The call marks nothing as read; ZN_Read \
                        does.""")
                .alsoCalled(
                        "members of a project",
                        "details of a workspace",
                        "who belongs to the team",
                        "who is in this domain",
                        "who is in the workspace",
                        "members of the team",
                        "participants",
                        "workspace details")
                .needs(Capability.DOMAIN_READ)
                .on(Requirement.OfDomain.SEE)
                .handledBy(ReadRequest.class, ReadResponse.class, (in, call) -> {
                    var target = in.target() == null ? new Targets.EnteredDomainAgent(null, null, null) : in.target();
                    var found = reads.read(call, target.domain(), target.agent(), in.page());
                    return new ReadResponse(
                            List.of(found.domain()),
                            found.members().rows(),
                            found.zones(),
                            found.messages(),
                            found.guard(),
                            found.members().nextCursor());
                });
    }

    private Tool<CreateRequest, DomainResponse> create() {
        return Tool.named("DM_Create")
                .title("Create a domain")
                .description("""
                        Creates a domain, a workspace for agents, with the zone 'main'. Next: DM_Invite, ZN_Enter.""")
                .details("""
                        vx.access: private (you), domain (the members), agent (your own agents) or public (everyone in the tenant; \
                        joining then needs no invitation). target.agent (your own), else the agent you are logged on as, becomes the host and first \
                        member. Without either the domain has no members. ZN_Create adds more zones.""")
                .alsoCalled(
                        "a new project for a team",
                        "open a shared space",
                        "a place to work together",
                        "start a team",
                        "new workspace",
                        "start a project",
                        "make a team",
                        "create a server",
                        "set up a group",
                        "shared room")
                .needs(Capability.DOMAIN_WRITE)
                .on(Requirement.OfAgent.HOST)
                .effect(Effect.CREATES)
                .handledBy(CreateRequest.class, DomainResponse.class, (in, call) -> {
                    var vx = in.vx();
                    var host =
                            host(call, in.target() == null ? null : in.target().agent());
                    var words = new DomainFields(vx.name(), vx.description(), vx.profile(), vx.access(), null);
                    var domain = domains.insert(call, words, host);
                    var guard = in.guard() == null
                            ? null
                            : domains.guard(
                                    call,
                                    domains.lock(call, vx.name()),
                                    in.guard().limits());
                    return new DomainResponse(domain, domain.revision(), null, guard == null ? null : guard.guard());
                });
    }

    private @Nullable Long host(Call call, @Nullable Name name) {
        if (name == null && call.context().self() == null) {
            call.checked(OfAgent.HOST); // The domain gets no host.
            return null;
        }
        var agent = agents.read(call, AgentTools.nameOrSelf(call, name));
        AccessCheck.require(AgentAccess.missing(call, agent));
        return agent.id();
    }

    private Tool<UpdateRequest, DomainResponse> update() {
        return Tool.named("DM_Update")
                .title("Replace a domain")
                .description("""
                        Replaces a domain's name and description, both required; the others only if given.""")
                .details("""
                        guard alone needs no name and description. The revision increases if something changed. guard \
                        limits agents in its zones without a person: hops and per_minute. guard.more allows more messages, guard.stopped ends \
                        them until false is sent. guard can be sent alone, and the revision stays. For the domain's owner and admins.""")
                .alsoCalled(
                        "give a workspace another name",
                        "change what a project is about",
                        "make a project private",
                        "rename a workspace",
                        "edit the project",
                        "change the house rules",
                        "make the workspace public")
                .needs(Capability.DOMAIN_WRITE)
                .on(Requirement.OfDomain.OWN)
                .effect(Effect.CHANGES)
                .example("vx.name", "harbour")
                .example("vx.description", "Where the crew talks about the day and plans the next.")
                .handledBy(UpdateRequest.class, DomainResponse.class, (in, call) -> {
                    if (in.vx() == null && in.guard() == null) {
                        throw Problem.missing(List.of("vx.name", "vx.description"));
                    }
                    var current = hold(call, in.target().domain(), in.ifRevision());
                    var domain = in.vx() == null ? domains.record(call, current) : replace(call, current, in.vx());
                    var guard = in.guard() == null ? null : domains.guard(call, current, in.guard());
                    return new DomainResponse(
                            domain,
                            domain.revision(),
                            domain.revision() != current.revision() || (guard != null && guard.isChanged()),
                            guard == null ? null : guard.guard());
                });
    }

    private Domain replace(Call call, LockedDomain current, SameDomain vx) {
        var domain = domains.update(
                call,
                current,
                new DomainFields(vx.name(), vx.description(), vx.profile(), vx.access(), vx.worktrees()));
        rename(call, current, domain.name());
        return domain;
    }

    private static void rename(Call call, LockedDomain current, String name) {
        var context = call.context();
        if (current.ref().equals(context.domain())) {
            call.context(context.withZone(new Ref(current.id(), name), context.zone()));
        }
    }

    private Tool<DestroyRequest, DestroyResponse> destroy() {
        return Tool.named("DM_Destroy")
                .title("Delete a domain")
                .description("""
                        Deletes a domain with its zones, messages and memberships, permanently. The agents live on.""")
                .details("""
                        To end only one membership, use DM_Kick. For the domain's owner and admins.""")
                .alsoCalled(
                        "a project has ended",
                        "close a team space for good",
                        "remove a workspace with everything",
                        "delete a workspace",
                        "close the project",
                        "remove a team",
                        "shut down the server")
                .needs(Capability.DOMAIN_WRITE)
                .on(Requirement.OfDomain.OWN)
                .effect(Effect.DESTROYS)
                .exampleWithout("target.agent")
                .handledBy(DestroyRequest.class, DestroyResponse.class, (in, call) -> {
                    var current = hold(call, in.target().domain(), in.ifRevision());
                    checkActing(call, current, in.target().agent());
                    domains.destroy(call, current);
                    if (current.ref().equals(call.context().domain())) {
                        call.context(call.context().withZone(null, null));
                    }
                    messages.recountFewer(call);
                    return new DestroyResponse(true);
                });
    }

    /**
     * Refuses another user's agent as the target: the caller may have meant DM_Kick, and must not destroy the whole
     * domain by mistake.
     */
    private void checkActing(Call call, LockedDomain current, @Nullable Name name) {
        if (name == null) {
            return;
        }
        var agent = agents.read(call, name);
        var isHost = current.host() != null && current.host() == agent.id();
        if (!isHost && agent.owner() != call.context().user().id()) {
            throw Problem.invalid(
                    "target.agent",
                    "may only be the domain's host or an agent of yours: DM_Destroy ends the domain for everyone; to end the membership of '%s' alone use DM_Kick"
                            .formatted(agent.name()));
        }
    }

    private LockedDomain hold(Call call, Name name, @Nullable Long ifRevision) {
        var current = domains.lock(call, name);
        AccessCheck.require(DomainAccess.missing(call, current));
        IfRevision.check(ifRevision, current.revision());
        return current;
    }
}
