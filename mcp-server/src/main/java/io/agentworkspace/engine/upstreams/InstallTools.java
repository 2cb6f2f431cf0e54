package io.agentworkspace.engine.upstreams;

import io.agentworkspace.engine.context.IfRevision;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.model.upstream.Upstream;
import io.agentworkspace.engine.model.upstream.UpstreamCredential;
import io.agentworkspace.engine.upstreams.UpstreamRow.OfferRow;
import io.agentworkspace.engine.upstreams.client.Connections;
import io.agentworkspace.engine.upstreams.client.Target;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The tools that reach upstream servers: UP_Install, UP_Update, UP_Refresh. They are for admins. */
public final class InstallTools {
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

            @Doc(value = TIMEOUT + " Default: 30000.", min = 100, max = 300_000) @Nullable
            Integer timeoutMs,

            @Doc(
                    value =
                            "all: its tools can be used at once, unless something speaks against one; none (default): you approve them.",
                    oneOf = {"none", ALL})
            @Nullable
            String approve,

            @Doc("true: only shows what the server offers; nothing is installed.") @Nullable
            Boolean dryRun) {}

    record UpstreamResponse(
            @Doc("The server's record, with its tools.") Upstream upstream,
            @Doc("Its revision.") long revision) {}

    /** What a server answered before the transaction, and the sealed secret. */
    private record Prepared(
            URI url,
            UpstreamCredential credential,
            @Nullable String sealed,
            boolean newSecret,
            UpstreamProbe.Seen seen) {}

    private Tool<InstallRequest, UpstreamResponse> install() {
        return Tool.named("UP_Install")
                .title("Install an upstream server")
                .description("""
                        Installs another MCP server by its URL: its tools appear as <name>_<tool> beside the engine's. They \
                        are held until UP_Approve, for admins. Next: UP_Read.""")
                .details("""
                        A server that does not answer is installed, too: its state is failing, and UP_Refresh tries again. \
                        Keys need the capability upstream:<name> to call its tools. dry_run shows what it offers first.""")
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
                url,
                credential,
                secret == null ? null : store.seal(tenant, in.name(), secret),
                true,
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

            @Doc(value = URL + " If given, the engine reads its tools again.", max = 2_000) @Nullable
            String url,

            @Doc("How the engine authenticates there; it replaces the whole credential.") @Nullable
            CredentialRequest credential,

            @Doc(value = TIMEOUT, min = 100, max = 300_000) @Nullable
            Integer timeoutMs,

            @Doc(IfRevision.DOC) @Nullable Long ifRevision) {}

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
        var hasSecret = was.secret() != null;
        if (hasSecret && in.credential() == null && !isSameServer(url, URI.create(was.url()))) {
            throw Problem.missing("credential");
        }
        var credential = in.credential() == null ? was.credential() : credential(in.credential());
        var secret = in.credential() == null
                ? store.opened(tenant, was.name(), was.secret())
                : in.credential().secret();
        var limit = in.timeoutMs() == null ? was.timeoutMs() : in.timeoutMs();
        var target = target(tenant, was.name(), url, credential, () -> secret == null ? "" : secret, limit);
        return new Prepared(
                url,
                credential,
                in.credential() == null || secret == null ? null : store.seal(tenant, was.name(), secret),
                in.credential() != null,
                probe.of(target, call.caller()));
    }

    private static boolean isSameServer(URI one, URI other) {
        return one.getScheme().equals(other.getScheme()) && one.getAuthority().equals(other.getAuthority());
    }

    private UpstreamResponse updated(UpdateRequest in, Prepared prepared, Call call) {
        var upstream = store.lock(call, in.name());
        IfRevision.check(in.ifRevision(), upstream.revision());
        store.update(
                call,
                upstream,
                prepared.url().toString(),
                prepared.credential(),
                prepared.sealed(),
                prepared.newSecret(),
                in.timeoutMs() == null ? upstream.timeoutMs() : in.timeoutMs());
        return refreshed(upstream, prepared.seen(), call);
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
                .handledBy(
                        RefreshRequest.class,
                        UpstreamResponse.class,
                        this::probe,
                        (in, seen, call) -> refreshed(store.lock(call, in.name()), seen, call));
    }

    private UpstreamProbe.Seen probe(RefreshRequest in, Call call) {
        var tenant = call.caller().tenant();
        var upstream = store.connected(tenant, in.name());
        var target = target(
                tenant,
                upstream.name(),
                URI.create(upstream.url()),
                upstream.credential(),
                () -> store.opened(tenant, upstream.name(), upstream.secret()),
                upstream.timeoutMs());
        return probe.of(target, call.caller());
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
