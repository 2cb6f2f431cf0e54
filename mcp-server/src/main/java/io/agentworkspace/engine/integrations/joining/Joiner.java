package io.agentworkspace.engine.integrations.joining;

import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.identity.credentials.InvitationCode;
import io.agentworkspace.engine.identity.credentials.KeyFormat;
import io.agentworkspace.engine.integrations.joining.InvitationStore.TakenInvitation;
import io.agentworkspace.engine.kernel.db.CombinedCalls;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.key.JoinRequest;
import io.agentworkspace.engine.model.key.JoinResponse;
import io.agentworkspace.engine.model.key.Joining;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.workspace.agents.SubAgentName;
import io.agentworkspace.engine.workspace.delivery.hooks.ClientFolder;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Lets a program join with an invitation. It runs the tools that create the agent, its memberships, permissions and key
 * as the caller who invited, in one transaction, so each checks that this caller still may.
 */
public final class Joiner implements Joining {
    private static final int MAX_KEY_NAME = 100;
    /** Where the parts of the clients are in the script. */
    private static final String PARTS = "# @CLIENTS@\n";

    /** The files that the script installs, by the name in their address. Those of one client are in its folder. */
    private static final Map<String, String> FILES = Map.of(
            "SKILL.md",
            "workspace/skills/workspace/SKILL.md",
            "hook.sh",
            "workspace/hook.sh",
            "listener.sh",
            "workspace/listener.sh",
            "pre-commit",
            "pre-commit");

    /** These say that the tenant or the service cannot do it now; everything else means that the invitation is stale. */
    private static final Set<Failure> PASSING =
            Set.of(Failure.RATE_LIMITED, Failure.QUOTA_EXCEEDED, Failure.UNAVAILABLE, Failure.INTERNAL);

    private final PluginArchive plugin = new PluginArchive();
    private final Db db;
    private final InvitationStore invitations;
    private final Callers keys;
    private final ToolRunner runner;
    private final EventLog events;
    private final PublicAddresses published;
    private final Clock clock;

    /** @param keys finds the current caller of a key */
    public Joiner(
            Db db,
            InvitationStore invitations,
            Callers keys,
            ToolRunner runner,
            EventLog events,
            PublicAddresses published,
            Clock clock) {
        this.db = db;
        this.invitations = invitations;
        this.keys = keys;
        this.runner = runner;
        this.events = events;
        this.published = published;
        this.clock = clock;
    }

    @Override
    public String script() {
        var parts = ClientFolder.all().stream()
                .map(client -> client.file("join.sh").orElseThrow())
                .collect(Collectors.joining("\n"));
        return addressed(ClientFolder.text("join.sh").orElseThrow().replace(PARTS, parts));
    }

    @Override
    public String powershellScript() {
        return addressed(ClientFolder.text("join.ps1").orElseThrow());
    }

    /** Inserts the engine's addresses, each within single quotes. */
    private String addressed(String script) {
        return script.replace("@BASE_URL@", published.baseUrl().replace("'", "%27"))
                .replace("@MCP_URL@", published.mcpUrl().replace("'", "%27"));
    }

    @Override
    public Optional<String> file(String name) {
        return Optional.ofNullable(FILES.get(name))
                .or(() -> ClientFolder.all().stream()
                        .filter(client -> client.files().contains(name))
                        .map(client -> client.word() + "/" + name)
                        .findFirst())
                .flatMap(ClientFolder::text);
    }

    @Override
    public byte[] plugin() {
        return plugin.bytes();
    }

    @Override
    public ObjectNode marketplace() {
        return plugin.marketplace(published.baseUrl());
    }

    @Override
    public JoinResponse join(JoinRequest request, String requestId, RequestSource source) {
        var client = JoiningClient.of(request.client(), published.mcpUrl());
        var code = InvitationCode.find(request.code()).orElseThrow(Joiner::invalid);
        if (Boolean.TRUE.equals(request.preview())) {
            var agent = invitations.findAgent(code, clock.instant()).orElseThrow(Joiner::invalid);
            return new JoinResponse(null, agent, published.baseUrl(), published.mcpUrl(), List.of(), List.of());
        }
        var key = CombinedCalls.run(db, () -> {
            var invitation = invitations.take(code, clock.instant()).orElseThrow(Joiner::invalid);
            var steps = new Steps(invitation, inviter(invitation), requestId, source);
            return new Joined(invitation.agent().text(), steps.run(name(client, request.host())));
        });
        events.committed(); // The tools have reported this before the transaction was committed.
        return new JoinResponse(
                key.apiKey(), key.agent(), published.baseUrl(), published.mcpUrl(), client.files(), client.commands());
    }

    private record Joined(String agent, String apiKey) {}

    /** Returns one refusal for every code that cannot be used, so that nobody learns anything from guessing. */
    private static Problem invalid() {
        return new Problem(
                Failure.NOT_FOUND,
                "the code is not valid: mistyped, used, withdrawn or expired; ask for a new invitation (AK_Invite)");
    }

    private static String name(JoiningClient client, @Nullable String host) {
        var where = host == null
                ? ""
                : host.replaceAll("[\\p{Cntrl}\\p{Cs}\\p{Cf}\\s]+", " ").strip();
        var name = where.isEmpty() ? client.title() : client.title() + " on " + KeyFormat.masked(where);
        return Excerpt.cut(name, MAX_KEY_NAME);
    }

    /** Returns the caller who invited, with what it may do now. If its key has ended, so has the invitation. */
    private Caller inviter(TakenInvitation taken) {
        var principal = "invitation:" + taken.id();
        if (taken.key() != null) {
            return keys.current("key:" + taken.key())
                    .map(current -> current.as(principal))
                    .orElseThrow(Joiner::invalid);
        }
        var powers = taken.powers();
        if (powers.isOver(clock.instant())) {
            throw invalid();
        }
        return new Caller(
                taken.tenant(),
                taken.tenantName(),
                taken.user(),
                taken.userName(),
                taken.role(),
                powers.capabilities(),
                principal,
                null,
                new Credential(null, false, powers.toolset(), powers.confirmDestructive(), powers.expiresAt(), false));
    }

    /** The calls by which a program joins, each as the caller who invited it. */
    private final class Steps {
        private final TakenInvitation taken;
        private final Caller inviter;
        private final String requestId;
        private final RequestSource source;

        private Steps(TakenInvitation taken, Caller inviter, String requestId, RequestSource source) {
            this.taken = taken;
            this.inviter = inviter;
            this.requestId = requestId;
            this.source = source;
        }

        /** Runs them, and returns the new key. */
        String run(String keyName) {
            var terms = taken.terms();
            if (!invitations.hasAgent(taken.tenant(), taken.agent())) {
                createAgent(terms);
            }
            terms.domains().forEach(this::enterDomain);
            terms.banks().forEach(share -> {
                var call = target("bank", share.bank().text());
                call.putObject("vx").put("access", share.access().word());
                call("MB_Permissions", call);
            });
            return createKey(terms, keyName);
        }

        private void createAgent(Terms terms) {
            var call = Json.object();
            if (terms.parent() != null) {
                call.put("parent", terms.parent());
            }
            call.putObject("vx")
                    .put("name", SubAgentName.own(taken.agent()))
                    .put(
                            "description",
                            terms.description() == null
                                    ? "A program that '%s' invited.".formatted(taken.userName())
                                    : terms.description());
            call("AP_Create", call);
        }

        private void enterDomain(String domain) {
            var state = call("DM_Invite", target("domain", domain)).at("/membership/state");
            if (!state.asString("").equals("member")) {
                throw stale("the domain '%s' does not admit it at once".formatted(domain));
            }
        }

        private String createKey(Terms terms, String keyName) {
            var call = Json.object()
                    .put("name", keyName)
                    .put("agent", taken.agent().text());
            terms.capabilities().forEach(call.putArray("capabilities")::add);
            toolset(terms.toolset()).forEach(call.putArray("toolset")::add);
            return call("AK_Create", call).path("api_key").asString();
        }

        /** A server that was removed since the invitation is left out, unless the key would then have no limit. */
        private List<String> toolset(List<String> words) {
            var servers = runner.catalogue().servers(inviter);
            var present = words.stream()
                    .filter(word -> Toolset.isNamed(word) || servers.contains(word))
                    .toList();
            return present.isEmpty() ? words : present;
        }

        private ObjectNode target(String kind, String name) {
            var call = Json.object();
            call.putObject("target").put("agent", taken.agent().text()).put(kind, name);
            return call;
        }

        private ObjectNode call(String tool, ObjectNode arguments) {
            var answer = runner.run(new ToolRunner.Request(
                    tool,
                    arguments,
                    inviter,
                    requestId,
                    true,
                    null,
                    Progress.SILENT,
                    source,
                    ResponseBudget.once(),
                    false));
            var problem = answer.problem();
            if (problem == null) {
                return answer.envelope();
            }
            throw PASSING.contains(problem.failure())
                    ? problem
                    : problem.failure() == Failure.UNAUTHENTICATED ? invalid() : stale(problem.note());
        }

        private Problem stale(String reason) {
            return Problem.conflict("the invitation of '%s' cannot be carried out now (%s); ask '%s' for a new one"
                    .formatted(taken.agent().text(), reason, taken.userName()));
        }
    }
}
