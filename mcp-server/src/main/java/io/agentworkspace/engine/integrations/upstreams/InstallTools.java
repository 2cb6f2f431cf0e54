package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.UpstreamRow.OfferRow;
import io.agentworkspace.engine.integrations.upstreams.UpstreamStore.Connected;
import io.agentworkspace.engine.integrations.upstreams.client.Connections;
import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamCredential;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.Toolset;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The tools that reach upstream servers: UP_Install, UP_Update, UP_Refresh. They are for admins. */
final class InstallTools {
    static final String URL =
            "The address of its MCP endpoint, over Streamable HTTP: an https URL without user info or fragment.";
    static final String TIMEOUT = "How many milliseconds a call may take.";
    private static final String ALL = "all";
    private static final int DEFAULT_TIMEOUT = 30_000;
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,19}");

    /** Names that already mean something: of capabilities, {@code upstream:read} and {@code upstream:write}. */
    private static final Set<String> RESERVED = Set.of("read", "write");

    private final UpstreamStore store;
    private final Connections connections;
    private final UpstreamCalls calls;
    private final UpstreamProbe probe;
    private final OfferRules rules;

    /** @param approvals the tools whose rules also hold what is installed */
    public InstallTools(
            UpstreamStore store,
            Connections connections,
            UpstreamCalls calls,
            UpstreamProbe probe,
            UpstreamTools approvals) {
        this.rules = approvals.rules();
        this.store = store;
        this.connections = connections;
        this.calls = calls;
        this.probe = probe;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(install(), update(), refresh());
    }

    record InstallRequest(
            @Doc(value = "At most 20 lower-case letters, digits or '-'. It begins the names of its tools.", max = 20)
            String name,

            @Doc(value = URL, max = 2_000) String url,

            @Doc("How the engine authenticates there. Default: none.") @Nullable
            CredentialRequest credential,

            @Doc(value = TIMEOUT + " Default: 30000.", min = 100, max = 300_000, mayBeBlank = true) @Nullable
            Integer timeoutMs,

            @Doc(
                    value =
                            "all: its tools can be used at once, unless one looks unsafe; none (default): you approve them.",
                    oneOf = {"none", ALL},
                    mayBeBlank = true)
            @Nullable
            String approve,

            @Doc("true: only shows what the server offers; nothing is installed.") @Nullable
            Boolean dryRun) {}

    record UpstreamResponse(
            @Doc("The server's record, with its tools.") Upstream upstream,
            @Doc("Its revision.") long revision) {}

    /**
     * What a server answered before the transaction, and the sealed secret.
     *
     * @param was the record that it was reached with; null if there was none
     */
    private record Prepared(
            @Nullable Connected was,
            URI url,
            UpstreamCredential credential,
            @Nullable String sealed,
            UpstreamProbe.Seen seen) {}

    private Tool<InstallRequest, UpstreamResponse> install() {
        return Tool.named("UP_Install")
                .title("Install an upstream server")
                .description("""
                        Installs another MCP server: its tools appear as <name>_<tool>, once UP_Approve approves them. For admins.""")
                .details("""
                        A server that does not answer is installed, too: its state is failing, and UP_Refresh tries again. \
                        Keys need the capability upstream:<name> to call its tools (AK_Update). dry_run shows what it offers first. \
                        With user_oauth each user connects an account of their own at the server: you first, then \
                        UP_Refresh reads its tools. A \
                        tenant has at most %d servers.""".formatted(UpstreamStore.MOST))
                .alsoCalled(
                        "connect another mcp server",
                        "add external tools",
                        "use the github server through here",
                        "proxy a remote server",
                        "register a gateway upstream",
                        "aggregate tools",
                        "probe an mcp server")
                .needs(Capability.UPSTREAM_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CREATES)
                .route("POST", "/api/mcp/upstreams")
                .example("name", "example")
                .example("url", "https://mcp.example.com/mcp")
                .handledBy(InstallRequest.class, UpstreamResponse.class, this::prepared, this::installed);
    }

    private Prepared prepared(InstallRequest in, Call call) {
        checkName(in.name());
        var url = connections.parse(in.url());
        var credential = credential(in.credential());
        var secret = in.credential() == null ? null : in.credential().secret();
        var tenant = call.caller().tenant();
        var limit = in.timeoutMs() == null ? DEFAULT_TIMEOUT : in.timeoutMs();
        var target = target(tenant, in.name(), url, credential, () -> secret == null ? "" : secret, limit);
        return new Prepared(
                null,
                url,
                credential,
                secret == null ? null : store.seal(tenant, in.name(), secret),
                probe.of(target, call.caller()));
    }

    private static Target target(
            long tenant, String name, URI url, UpstreamCredential credential, Supplier<String> secret, int limit) {
        return new Target(tenant, name, Instant.EPOCH, 0, url, credential, secret, Duration.ofMillis(limit), null);
    }

    private UpstreamCredential credential(@Nullable CredentialRequest request) {
        var credential = request == null ? UpstreamCredential.NONE : request.credential();
        if (credential.tokenUrl() != null) {
            connections.parse(credential.tokenUrl());
        }
        return credential;
    }

    private static void checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw Problem.invalid(
                    "name",
                    "must have 1 to 20 lower-case letters, digits or '-', and begin with a letter or digit, like github");
        }
        var isToolset = Toolset.isNamed(name)
                || Arrays.stream(Family.values())
                        .anyMatch(family -> family.word().equals(name));
        if (isToolset || RESERVED.contains(name)) {
            throw Problem.invalid("name", "is '%s', which already means something: choose another".formatted(name));
        }
    }

    private UpstreamResponse installed(InstallRequest in, Prepared prepared, Call call) {
        var seen = prepared.seen();
        var rows = HeldOffers.of(
                in.name(), List.of(), seen.offers(), ALL.equals(in.approve()), rules.of(in.name(), call), call.now());
        if (Boolean.TRUE.equals(in.dryRun())) {
            call.dryRun();
            return previewed(in, prepared, rows, call);
        }
        store.insert(
                call,
                new UpstreamStore.Draft(
                        in.name(),
                        prepared.url().toString(),
                        prepared.credential(),
                        prepared.sealed(),
                        in.timeoutMs() == null ? DEFAULT_TIMEOUT : in.timeoutMs(),
                        seen.era(),
                        seen.error()));
        store.write(call, in.name(), rows);
        return changed(call, in.name());
    }

    /** Returns what would be installed. */
    private UpstreamResponse previewed(InstallRequest in, Prepared prepared, List<OfferRow> rows, Call call) {
        if (store.names(call).contains(in.name())) {
            throw Problem.alreadyExists("upstream", in.name());
        }
        var seen = prepared.seen();
        var now = call.now();
        var failed = seen.error() == null ? null : now;
        var row = new UpstreamRow(
                in.name(),
                prepared.url().toString(),
                prepared.credential(),
                in.timeoutMs() == null ? DEFAULT_TIMEOUT : in.timeoutMs(),
                seen.era(),
                0,
                now,
                now,
                failed == null ? now : null,
                failed,
                seen.error(),
                failed,
                null,
                null,
                UpstreamRow.counts(rows, true),
                UpstreamRow.counts(rows, false),
                null,
                rows);
        return new UpstreamResponse(row.record(true), 0);
    }

    private UpstreamResponse changed(Call call, String name) {
        UpstreamTools.changed(call);
        calls.forget(call.caller().tenant(), name);
        var row = store.lock(call, name);
        return new UpstreamResponse(row.record(true), row.revision());
    }

    record UpdateRequest(
            @Doc(value = UpstreamTools.NAME, max = 20) String name,

            @Doc(value = URL + " If given, the engine reads its tools again.", max = 2_000, mayBeBlank = true) @Nullable
            String url,

            @Doc("How the engine authenticates there; it replaces the whole credential.") @Nullable
            CredentialRequest credential,

            @Doc(value = TIMEOUT, min = 100, max = 300_000, mayBeBlank = true) @Nullable
            Integer timeoutMs,

            @Doc(value = IfRevision.DOC, mayBeBlank = true) @Nullable
            Long ifRevision) {}

    private Tool<UpdateRequest, UpstreamResponse> update() {
        return Tool.named("UP_Update")
                .title("Change an upstream server")
                .description("""
                        Changes only the fields of an installed MCP server that you give, and reads its tools again, for \
                        admins.""")
                .details("A new address needs its credential again, so that a secret never goes to another server.")
                .alsoCalled(
                        "new address of a server",
                        "replace the token of an integration",
                        "longer timeout for external tools",
                        "rotate its credential")
                .needs(Capability.UPSTREAM_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CHANGES)
                .route("PATCH", "/api/mcp/upstreams/{name}")
                .example("name", "example")
                .example("timeout_ms", "10000")
                .handledBy(UpdateRequest.class, UpstreamResponse.class, this::looked, this::updated);
    }

    private Prepared looked(UpdateRequest in, Call call) {
        var tenant = call.caller().tenant();
        var was = store.connected(tenant, in.name());
        var url = in.url() == null ? URI.create(was.url()) : connections.parse(in.url());
        var hasCredential = !was.credential().kind().equals(UpstreamCredential.NO_CREDENTIAL);
        if (hasCredential && in.credential() == null && !isSameServer(url, URI.create(was.url()))) {
            throw Problem.missing("credential");
        }
        var credential = in.credential() == null ? was.credential() : credential(in.credential());
        var secret = in.credential() == null
                ? store.opened(tenant, was.name(), was.secret())
                : in.credential().secret();
        var limit = in.timeoutMs() == null ? was.timeoutMs() : in.timeoutMs();
        var target = target(tenant, was.name(), url, credential, () -> secret == null ? "" : secret, limit);
        return new Prepared(
                was,
                url,
                credential,
                in.credential() == null || secret == null ? null : store.seal(tenant, was.name(), secret),
                probe.of(target, call.caller()));
    }

    private static boolean isSameServer(URI one, URI other) {
        return one.getScheme().equals(other.getScheme()) && one.getAuthority().equals(other.getAuthority());
    }

    private UpstreamResponse updated(UpdateRequest in, Prepared prepared, Call call) {
        var upstream = store.lock(call, in.name());
        IfRevision.check(in.ifRevision(), upstream.revision());
        var was = Objects.requireNonNull(prepared.was());
        if (was.revision() != upstream.revision() || !was.createdAt().equals(upstream.createdAt())) {
            throw changedMeanwhile(upstream);
        }
        store.update(
                call,
                upstream,
                new UpstreamStore.Change(
                        in.url() == null ? null : prepared.url().toString(),
                        in.credential() == null ? null : prepared.credential(),
                        prepared.sealed(),
                        in.timeoutMs()));
        return refreshed(upstream, prepared.seen(), call);
    }

    private static Problem changedMeanwhile(UpstreamRow upstream) {
        return Problem.conflict(
                "the upstream server '%s' was changed while it was asked, and this changed nothing: UP_Read shows what it is now; then send it again"
                        .formatted(upstream.name()));
    }

    record RefreshRequest(
            @Doc(value = UpstreamTools.NAME, max = 20) String name) {}

    private Tool<RefreshRequest, UpstreamResponse> refresh() {
        return Tool.named("UP_Refresh")
                .title("Read the tools of an upstream server again")
                .description("""
                        Asks an installed MCP server which tools it has now, for admins. New and changed ones are held. \
                        Next: UP_Approve.""")
                .alsoCalled(
                        "did the tools of a server change",
                        "reconnect to a server",
                        "try the integration again",
                        "sync external tools")
                .needs(Capability.UPSTREAM_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CHANGES)
                .idempotent()
                .route("POST", "/api/mcp/upstreams/{name}/refresh")
                .example("name", "example")
                .handledBy(RefreshRequest.class, UpstreamResponse.class, this::probe, (in, probed, call) -> {
                    var upstream = store.lock(call, in.name());
                    if (!probed.was().isConnectedLike(upstream)) {
                        throw changedMeanwhile(upstream); // These would be the tools of another server.
                    }
                    return refreshed(upstream, probed.seen(), call);
                });
    }

    /** What a server answered that was reached with this record. */
    private record Probed(Connected was, UpstreamProbe.Seen seen) {}

    private Probed probe(RefreshRequest in, Call call) {
        var tenant = call.caller().tenant();
        var upstream = store.connected(tenant, in.name());
        var target = target(
                tenant,
                upstream.name(),
                URI.create(upstream.url()),
                upstream.credential(),
                () -> store.opened(tenant, upstream.name(), upstream.secret()),
                upstream.timeoutMs());
        return new Probed(upstream, probe.of(target, call.caller()));
    }

    private UpstreamResponse refreshed(UpstreamRow upstream, UpstreamProbe.Seen seen, Call call) {
        store.probed(call, upstream.name(), seen.era(), seen.error());
        if (seen.error() == null) {
            var rows = HeldOffers.of(
                    upstream.name(),
                    upstream.offerRows(),
                    seen.offers(),
                    false,
                    rules.of(upstream.name(), call),
                    call.now());
            store.write(call, upstream.name(), rows);
        }
        return changed(call, upstream.name());
    }
}
