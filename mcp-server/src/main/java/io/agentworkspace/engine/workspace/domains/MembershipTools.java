package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.AccessNotes;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.agents.AgentTools;
import io.agentworkspace.engine.workspace.messages.MessageStore;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The tools for membership of domains: DM_Invite, DM_Kick, DM_Ban, DM_Unban. */
final class MembershipTools {
    private final DomainStore domains;
    private final MembershipStore memberships;
    private final MessageStore messages;

    public MembershipTools(DomainStore domains, MembershipStore memberships, MessageStore messages) {
        this.domains = domains;
        this.memberships = memberships;
        this.messages = messages;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(invite(), kick(), ban(), unban());
    }

    record InviteRequest(
            @Doc("Which agent, into which domain.") Targets.DomainSelf target) {}

    record MembershipRequest(
            @Doc("Which agent, of which domain.") Targets.NamedMember target) {}

    record InviteResponse(
            @Doc("The agent's state in the domain now.") Membership membership,
            @Doc("Whether this changed anything.") boolean changed) {}

    record MembershipResponse(
            @Doc("The agent's state in the domain now; absent if it has none.") @Nullable
            Membership membership,

            @Doc("Whether this changed anything.") boolean changed) {}

    /** An agent and a domain, both locked by the transaction, and the membership between them. */
    private record Pair(
            DomainStore.LockedDomain domain,
            AgentStore.LockedAgent agent,
            @Nullable Membership membership) {
        /** Returns whether the caller decides for the agent, as its owner or an admin. */
        boolean isOfCallersAgent(Call call) {
            return agent.owner() == call.context().user().id() || call.caller().isAdmin();
        }

        boolean isIn(MemberState state) {
            return membership != null && membership.state() == state;
        }

        void checkNotSelf(Call call) {
            var self = call.context().self();
            if (self != null && self.id() == agent.id()) {
                throw Problem.conflict(
                        "the agent '%s' cannot ban itself from the domain '%s': to leave it use DM_Kick with target.agent; to ban another agent give target.agent"
                                .formatted(agent.name(), domain.name()));
            }
        }

        void checkNotHost(String verb) {
            if (Objects.equals(domain.host(), agent.id())) {
                throw Problem.conflict(
                        "the agent '%s' is the host of the domain '%s' and cannot be %s; DM_Destroy ends the domain"
                                .formatted(agent.name(), domain.name(), verb));
            }
        }
    }

    /** @param agentName null for self */
    private Pair pair(Call call, Name domainName, @Nullable Name agentName) {
        var named = AgentTools.nameOrSelf(call, agentName);
        var domain = domains.lock(call, domainName);
        var agent = memberships.readAgent(call, domain, named);
        return new Pair(domain, agent, memberships.find(call, domain, agent).orElse(null));
    }

    private Tool<InviteRequest, InviteResponse> invite() {
        return Tool.named("DM_Invite")
                .title("Invite an agent, or join")
                .description("""
                        Invites an agent into a domain, asks to join, or accepts either. Next: ZN_Enter.""")
                .details("""
                        Both sides must agree: the domain's side (its owner, an admin, whoever is logged on as its \
                        host) and the agent's owner. The second of the two calls makes the agent a member. One call is \
                        enough if you decide for both sides or the domain is public. membership.state shows the \
                        progress. Repeating the call changes nothing. Refused while the agent is banned.""")
                .alsoCalled(
                        "add a member to the project",
                        "bring an agent into the team",
                        "give someone entry to a workspace",
                        "let somebody in",
                        "join a workspace",
                        "add a member",
                        "accept an invitation",
                        "let someone in",
                        "request access",
                        "enroll",
                        "bring in a colleague")
                .needs(Capability.DOMAIN_WRITE)
                .on(Requirement.OfDomain.LET_IN)
                .effect(Effect.CHANGES)
                .idempotent()
                .handledBy(InviteRequest.class, InviteResponse.class, (in, call) -> {
                    var target = in.target();
                    var pair = pair(call, target.domain(), target.agent());
                    var next = next(call, pair);
                    if (pair.membership() != null && pair.isIn(next)) {
                        return new InviteResponse(pair.membership(), false);
                    }
                    return new InviteResponse(memberships.put(call, pair.domain(), pair.agent(), next), true);
                });
    }

    /** Returns the membership state after the caller's decision. */
    private MemberState next(Call call, Pair pair) {
        var forDomain = pair.domain().isRunBy(call);
        var forAgent = pair.isOfCallersAgent(call);
        call.checked(OfDomain.LET_IN);
        if (!forDomain && !forAgent) {
            throw Problem.notPermitted(
                    "you manage neither the domain '%s' nor the agent '%s': %s can invite it, and its owner can request to join"
                            .formatted(pair.domain().name(), pair.agent().name(), side(pair)));
        }
        if (pair.isIn(MemberState.BANNED) || memberships.isParentBanned(call, pair.domain(), pair.agent())) {
            throw Problem.conflict(AccessNotes.banned(
                    pair.agent().name(), pair.domain().name(), pair.domain().ownerName()));
        }
        var agreed = (forDomain && forAgent)
                || pair.domain().open()
                || pair.isIn(MemberState.MEMBER)
                || pair.isIn(forDomain ? MemberState.REQUESTED : MemberState.INVITED);
        return agreed ? MemberState.MEMBER : forDomain ? MemberState.INVITED : MemberState.REQUESTED;
    }

    private Tool<MembershipRequest, MembershipResponse> kick() {
        return Tool.named("DM_Kick")
                .title("Remove a member, or leave")
                .description("""
                        Ends an agent's membership of a domain, or lets your own agent leave. DM_Ban keeps it out.""")
                .details("""
                        It also ends an invitation or a request, and what its sub-agents have. The agent may be invited again. For the domain's side, \
                        and for the agent's owner, who names the agent even if it is self. The host cannot be kicked. If there is nothing to end, nothing \
                        changes.""")
                .alsoCalled(
                        "remove a member from the project",
                        "somebody disturbs the team",
                        "take an agent out of the domain",
                        "leave a workspace",
                        "remove a member",
                        "throw out",
                        "expel",
                        "quit the team",
                        "unsubscribe from the project")
                .needs(Capability.DOMAIN_WRITE)
                .on(Requirement.OfDomain.RUN_OR_OWN_AGENT)
                .effect(Effect.DESTROYS)
                .idempotent()
                .handledBy(MembershipRequest.class, MembershipResponse.class, (in, call) -> {
                    var pair = pair(call, in.target().domain(), in.target().agent());
                    if (!pair.domain().isRunBy(call) && !pair.isOfCallersAgent(call)) {
                        throw Problem.notPermitted(
                                "only %s may kick agents from the domain '%s'; the owner of the agent '%s' may let it leave"
                                        .formatted(
                                                side(pair),
                                                pair.domain().name(),
                                                pair.agent().name()));
                    }
                    call.checked(OfDomain.RUN_OR_OWN_AGENT);
                    pair.checkNotHost("kicked");
                    if (pair.membership() == null || pair.isIn(MemberState.BANNED)) {
                        return new MembershipResponse(pair.membership(), false);
                    }
                    memberships.end(call, pair.domain(), pair.agent());
                    messages.recountFewer(call);
                    return new MembershipResponse(null, true);
                });
    }

    private Tool<MembershipRequest, MembershipResponse> ban() {
        return Tool.named("DM_Ban")
                .title("Ban an agent from a domain")
                .description("Bans an agent from a domain until DM_Unban.")
                .details("""
                        Its membership ends, and invitations and requests are refused, also for its sub-agents. For the domain's side: its \
                        owner, an admin, whoever is logged on as its host. The host cannot be banned, and an agent \
                        cannot ban itself; DM_Kick lets it leave. Repeating the call changes nothing.""")
                .alsoCalled(
                        "block a member for good",
                        "never let somebody in again",
                        "a member must not return",
                        "spammer",
                        "block an agent",
                        "keep out",
                        "blacklist",
                        "exclude for good")
                .needs(Capability.DOMAIN_WRITE)
                .on(Requirement.OfDomain.RUN)
                .effect(Effect.DESTROYS)
                .idempotent()
                .handledBy(MembershipRequest.class, MembershipResponse.class, (in, call) -> {
                    var target = in.target();
                    var pair = pair(call, target.domain(), target.agent());
                    pair.checkNotSelf(call);
                    AccessCheck.require(DomainAccess.missing(call, pair.domain()));
                    pair.checkNotHost("banned");
                    if (pair.isIn(MemberState.BANNED)) {
                        return new MembershipResponse(pair.membership(), false);
                    }
                    var banned = memberships.put(call, pair.domain(), pair.agent(), MemberState.BANNED);
                    messages.recountFewer(call);
                    return new MembershipResponse(banned, true);
                });
    }

    private Tool<MembershipRequest, MembershipResponse> unban() {
        return Tool.named("DM_Unban")
                .title("Lift a ban")
                .description("Lifts a ban. DM_Invite then brings the agent back.")
                .details("""
                        For the domain's side. It restores nothing. If the agent is not banned, nothing changes.""")
                .alsoCalled(
                        "lift a ban",
                        "let a banned member return",
                        "pardon somebody",
                        "allow him back",
                        "unblock",
                        "forgive",
                        "allow back",
                        "pardon")
                .needs(Capability.DOMAIN_WRITE)
                .on(Requirement.OfDomain.RUN)
                .effect(Effect.CHANGES)
                .idempotent()
                .handledBy(MembershipRequest.class, MembershipResponse.class, (in, call) -> {
                    var target = in.target();
                    var pair = pair(call, target.domain(), target.agent());
                    AccessCheck.require(DomainAccess.missing(call, pair.domain()));
                    if (!pair.isIn(MemberState.BANNED)) {
                        return new MembershipResponse(pair.membership(), false);
                    }
                    memberships.end(call, pair.domain(), pair.agent());
                    return new MembershipResponse(null, true);
                });
    }

    private static String side(Pair pair) {
        return AccessNotes.side(pair.domain().ownerName());
    }
}
