package io.agentworkspace.engine.integrations.joining;

import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.identity.credentials.InvitationCode;
import io.agentworkspace.engine.identity.credentials.KeyFormat;
import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.identity.keys.KeyLimitTexts;
import io.agentworkspace.engine.integrations.joining.Invitation.BankShare;
import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.AccessNotes;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfAgent;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.TenantTools;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.workspace.agents.AgentAccess;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.agents.SubAgentName;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Invitations: AK_Invite, AK_Invitations, AK_Uninvite. */
final class InviteTools {
    private static final long EXPIRES_SECONDS = 3_600;

    /** The toolset for coding agents, where there is one. */
    private static final List<String> TOOLSET = List.of(Toolset.isNamed("work") ? "work" : Toolset.DEFAULT);

    private final SecureRandom random = new SecureRandom();
    private final InvitationStore invitations;
    private final AgentStore agents;
    private final DomainStore domains;
    private final BankStore banks;
    private final KeyLimitTexts words;
    private final List<Tool<?, ?>> all;
    private final String baseUrl;

    /**
     * @param all all tools; may be filled later
     * @param installed the tools of the servers that tenants installed
     */
    public InviteTools(
            InvitationStore invitations,
            AgentStore agents,
            DomainStore domains,
            BankStore banks,
            List<Tool<?, ?>> all,
            TenantTools installed,
            String baseUrl) {
        this.invitations = invitations;
        this.agents = agents;
        this.domains = domains;
        this.banks = banks;
        this.words = new KeyLimitTexts(all, installed);
        this.all = all;
        this.baseUrl = baseUrl;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(list(), invite(), uninvite());
    }

    record ListRequest() {}

    record ListResponse(
            @Doc("The invitations that you may withdraw, newest first, without their codes.")
            List<Invitation> invitations) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("AK_Invitations")
                .title("List open invitations")
                .description("Lists the invitations of agents that are neither used nor expired, newest first.")
                .details("""
                        Yours; for admins all of the tenant. A key that is bound to an agent, or is another key's child, \
                        sees those that it made. Codes are never shown again.""")
                .alsoCalled(
                        "who is invited",
                        "pending invites",
                        "which join codes are open",
                        "agents that have not joined yet",
                        "unused invitations")
                .needs(Capability.KEY_READ)
                .route("GET", "/api/invitations")
                .handledBy(
                        ListRequest.class, ListResponse.class, (_, call) -> new ListResponse(invitations.list(call)));
    }

    record InviteRequest(
            @Doc("The agent that joins: your own, or the name of a new one.")
            Name agent,

            @Doc(value = "What a new agent is for.", max = 2_000, mayBeBlank = true) @Nullable
            String description,

            @Doc(value = "Banks that it gets a permission on.", max = 20, mayBeBlank = true) @Nullable
            List<BankShare> banks,

            @Doc(value = "Domains that it becomes a member of.", max = 20, mayBeBlank = true) @Nullable
            List<Name> domains,

            @Doc(
                    value =
                            "What its key may do, at most what yours may: upstream:<name> for the tools of an installed server. Default: talk, read, remember.",
                    max = 50)
            @Nullable
            List<String> capabilities,

            @Doc(value = "The toolset of its key. Default: the one for coding agents.", max = 20) @Nullable
            List<String> toolset,

            @Doc(value = "When the code expires. Default 3600.", min = 1, max = 604_800) @Nullable
            Long expiresSeconds,

            @Doc(
                    value =
                            "The id of your own key, which is bound to an agent: a sub-agent of it joins, as <your agent>/<agent>. It ends with your key.",
                    max = 64)
            @Nullable
            String parent) {}

    record NewInvitation(
            @Doc("Identifies the invitation in AK_Uninvite.")
            String id,

            @Doc("The agent that joins.") String agent,

            @Doc("Whether joining creates the agent. If not, the program becomes the agent that exists.")
            boolean newAgent,

            @Doc(value = "The code, for one use. It is never shown again.", once = true) @Nullable
            String code,

            @Doc(value = "The line to type where the agent runs: it joins and configures the client.", once = true)
            @Nullable
            String command,

            @Doc("When it expires.") Instant expiresAt) {}

    record InviteResponse(@Doc("The invitation.") NewInvitation invitation) {}

    private Tool<InviteRequest, InviteResponse> invite() {
        return Tool.named("AK_Invite")
                .title("Invite an agent")
                .description("""
                        Makes a code with which one program joins as an agent: run the command of the answer where it runs.""")
                .details("""
                        Joining creates what the invitation names, all or nothing: the agent, if it is new, its memberships \
                        and permissions, and a key that is bound to it. You must be able to do each of these yourself, now \
                        and when it joins. AK_Uninvite withdraws the code. With parent, the key is a child of yours, for 24 hours \
                        at most.""")
                .alsoCalled(
                        "connect a coding agent",
                        "add claude code to the workspace",
                        "onboard an agent",
                        "join code",
                        "one line to connect",
                        "let another program join",
                        "set up codex",
                        "set up gemini",
                        "a name of its own for a sub-agent")
                .needs(Capability.KEY_WRITE)
                .on(Requirement.OfCredential.CURRENT, Requirement.OfAgent.BIND)
                .effect(Effect.CREATES)
                .route("POST", "/api/invitations")
                .handledBy(InviteRequest.class, InviteResponse.class, this::make);
    }

    private InviteResponse make(InviteRequest in, Call call) {
        AccessCheck.require(AccessCheck.ofCredential(call));
        if (call.actingFor() != null) { // Over REST every tool takes it.
            throw Problem.invalid("target.user", "must be left out: the key of an invitation belongs to who invites");
        }
        requireTool(call, "AK_Create");
        var parent = in.parent() == null ? null : parent(in.parent(), call);
        var agent = parent == null ? in.agent() : whole(parent, in.agent());
        var isNew = parent == null ? checkAgent(agent, call) : checkSubAgent(agent, call);
        var shares = in.banks() == null ? List.<BankShare>of() : in.banks();
        var places = in.domains() == null ? List.<Name>of() : in.domains();
        shares.forEach(share -> checkBank(share, call));
        places.forEach(place -> checkDomain(place, call));
        var capabilities = capabilities(in, call);
        var terms = new Terms(
                parent,
                in.description(),
                shares,
                places.stream().map(Name::text).toList(),
                capabilities,
                toolset(in, capabilities, call));
        var powers = Grant.of(call.caller());
        var grant = new Grant(
                Set.copyOf(terms.capabilities()),
                Toolset.of(terms.toolset()),
                powers.confirmDestructive(),
                powers.expiresAt(),
                null);
        grant.excess(powers).ifPresent(excess -> {
            throw Problem.notPermitted(AccessNotes.notToGive(excess));
        });
        return insert(in, agent, call, terms, isNew);
    }

    /** Returns the agent of the caller's own key, which must be the parent. */
    private static String parent(String key, Call call) {
        var caller = call.caller();
        var self = call.context().self();
        if (caller.boundAgent() == null
                || self == null
                || !key.equals(caller.credential().key())) {
            throw Problem.invalid(
                    "parent",
                    caller.boundAgent() == null || caller.credential().key() == null
                            ? "requires an API key that is bound to an agent, and yours is not: leave it out, or call as that agent"
                            : "must be the id of the key that you call with, '%s', or be left out"
                                    .formatted(caller.credential().key()));
        }
        if (SubAgentName.is(Name.of(self.name()))) {
            throw Problem.conflict("'%s' is itself a sub-agent, and has none".formatted(self.name()));
        }
        return self.name();
    }

    /** Returns the whole name of a sub-agent, of which the caller may send only the last part. */
    private static Name whole(String parent, Name agent) {
        var whole = Name.mentioned("agent", parent + "/" + SubAgentName.own(agent));
        if (SubAgentName.is(agent) && !whole.key().equals(agent.key())) {
            throw Problem.invalid(
                    "agent",
                    "is '%s', which is no sub-agent of '%s': send its own name only".formatted(agent.text(), parent));
        }
        return whole;
    }

    /** Returns whether joining creates the sub-agent. */
    private boolean checkSubAgent(Name agent, Call call) {
        var present = agents.find(call, agent);
        present.ifPresentOrElse(
                found -> AccessCheck.require(AgentAccess.missing(call, found)), () -> call.checked(OfAgent.BIND));
        if (present.isEmpty()) {
            requireTool(call, "AP_Create");
        }
        return present.isEmpty();
    }

    private InviteResponse insert(InviteRequest in, Name agent, Call call, Terms terms, boolean isNew) {
        var code = InvitationCode.generate(random);
        var id = KeyFormat.randomId(random);
        var seconds = in.expiresSeconds() == null ? EXPIRES_SECONDS : in.expiresSeconds();
        var expires = call.now().plusSeconds(seconds);
        invitations.insert(call, id, code, agent, terms, expires);
        call.about(new Call.About(agent.text(), id));
        return new InviteResponse(
                new NewInvitation(id, agent.text(), isNew, code.reveal(), command(code, agent), expires));
    }

    /** An agent that is named after a client is joined from it. Otherwise the script finds the client. */
    private String command(InvitationCode code, Name agent) {
        return "curl -fsS %s/join | sh -s -- %s%s"
                .formatted(
                        baseUrl,
                        JoiningClient.namedIn(agent.key())
                                .map("--client %s "::formatted)
                                .orElse(""),
                        code.reveal());
    }

    /** Returns whether joining creates the agent. */
    private boolean checkAgent(Name agent, Call call) {
        var present = agents.find(call, agent);
        if (present.isPresent()) {
            AccessCheck.require(AgentAccess.missing(call, present.get()));
            return false;
        }
        call.checked(OfAgent.BIND); // The new agent belongs to the caller.
        requireTool(call, "AP_Create");
        if (SubAgentName.is(agent)) {
            throw Problem.invalid(
                    "agent",
                    "is '%s', and only a sub-agent has a slash in its name: send parent, or a name without it"
                            .formatted(agent.text()));
        }
        if (call.caller().boundAgent() != null) {
            throw Problem.notPermitted(AccessNotes.boundNotToBind(
                    agent.text(), call.context().user().name()));
        }
        if (invitations.hasAgent(call.caller().tenant(), agent)) {
            throw Problem.alreadyExists("agent", agent.text());
        }
        return true;
    }

    private void checkBank(BankShare share, Call call) {
        requireTool(call, "MB_Permissions");
        var self = call.caller().boundAgent() == null ? null : call.context().self();
        banks.read(call, share.bank(), self).permission().require(Permission.MANAGE);
    }

    private void checkDomain(Name name, Call call) {
        requireTool(call, "DM_Invite");
        var domain = domains.read(call, name);
        var hosts = call.caller().isConfined() && domain.isHostedBy(call);
        if (!domain.isOwnedBy(call) && !domain.open() && !hosts) {
            throw Problem.notPermitted(AccessNotes.notOfItsSide(domain.name(), domain.ownerName()));
        }
    }

    /** Refuses to promise what the caller could not do itself. */
    private void requireTool(Call call, String name) {
        all.stream()
                .filter(tool -> tool.name().equals(name))
                .findFirst()
                .ifPresent(tool -> AccessCheck.requireNone(call.caller().obstacle(tool)));
    }

    private static Set<String> capabilities(InviteRequest in, Call call) {
        if (in.capabilities() != null) {
            return KeyLimitTexts.capabilities(in.capabilities());
        }
        var usual = new LinkedHashSet<>(ProtectedResource.WORK);
        usual.retainAll(KeyLimitTexts.all());
        if (!call.caller().capabilities().contains(Capability.ALL)) {
            usual.retainAll(call.caller().capabilities());
        }
        if (usual.isEmpty()) {
            throw Problem.missing("capabilities");
        }
        return usual;
    }

    /** Returns the toolset of the key. By default it lists the tools of those servers that the invitation names. */
    private List<String> toolset(InviteRequest in, Set<String> capabilities, Call call) {
        if (in.toolset() != null) {
            return words.toolset(in.toolset(), call.caller()).words();
        }
        var servers = words.servers(call.caller()).stream()
                .filter(name -> capabilities.contains(Capability.ofUpstream(name)));
        return Stream.concat(TOOLSET.stream(), servers).toList();
    }

    record UninviteRequest(
            @Doc(value = "The invitation's id, as AK_Invitations shows it.", max = 64)
            String id) {}

    record UninviteResponse(
            @Doc("The agent that was invited.") String agent,
            @Doc("Always true.") boolean changed) {}

    private Tool<UninviteRequest, UninviteResponse> uninvite() {
        return Tool.named("AK_Uninvite")
                .title("Withdraw an invitation")
                .description("Withdraws an open invitation: its code can no longer be used.")
                .details("""
                        A program that has joined keeps its key, which AK_Revoke stops.""")
                .alsoCalled(
                        "cancel an invite",
                        "revoke a join code",
                        "the code was sent to the wrong person",
                        "take back an invitation")
                .needs(Capability.KEY_WRITE)
                .effect(Effect.DESTROYS)
                .route("DELETE", "/api/invitations/{id}")
                .example("id", "7kQm2pXv9LbT")
                .handledBy(UninviteRequest.class, UninviteResponse.class, (in, call) -> {
                    var agent = invitations.delete(call, in.id());
                    call.about(new Call.About(agent, in.id()));
                    return new UninviteResponse(agent, true);
                });
    }
}
