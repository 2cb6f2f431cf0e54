package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.change.Audience;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tools that show upstream servers and remove them: UP_List, UP_Read, UP_Approve, UP_Remove. They are for admins. */
final class UpstreamTools {
    static final String NAME = "The upstream server's name, as UP_List shows it.";

    private final UpstreamQueries reads;
    private final UpstreamStore store;
    private final UpstreamCalls calls;
    private final Tool<?, ?> approval;
    private final OfferRules rules;

    public UpstreamTools(Db db, UpstreamStore store, UpstreamCalls calls, Rules rules) {
        this.approval = approve();
        this.rules = new OfferRules(rules, approval);
        this.reads = new UpstreamQueries(db);
        this.store = store;
        this.calls = calls;
    }

    /** Returns the tools that read. */
    public List<Tool<?, ?>> reading() {
        return List.of(list(), read());
    }

    /** Returns the tools that change, which come after those that install. */
    public List<Tool<?, ?>> changing() {
        return List.of(approval, remove());
    }

    /** Returns the rules about what servers offer. */
    OfferRules rules() {
        return rules;
    }

    record ListRequest() {}

    record ListResponse(@Doc("The servers, by name.") List<Upstream> upstreams) {}

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("UP_List")
                .title("List upstream servers")
                .description("""
                        Lists the other MCP servers that are installed, with their state and how many of their tools are \
                        approved or held, for admins.""")
                .alsoCalled(
                        "which mcp servers are connected",
                        "installed integrations",
                        "external tools",
                        "are the other servers healthy",
                        "gateway status")
                .needs(Capability.UPSTREAM_READ)
                .atLeast(Role.ADMIN)
                .route("GET", "/api/mcp/upstreams")
                .handledBy(
                        ListRequest.class,
                        ListResponse.class,
                        (_, call) -> new ListResponse(reads.list(call).stream()
                                .map(row -> row.record(false))
                                .toList()));
    }

    record NameRequest(@Doc(value = NAME, max = 20) String name) {}

    record ReadResponse(@Doc("The server's record.") Upstream upstream) {}

    private Tool<NameRequest, ReadResponse> read() {
        return Tool.named("UP_Read")
                .title("Read an upstream server")
                .description("""
                        Reads an installed MCP server: its state, and each of its tools with the digest and what differs \
                        from what was approved, for admins. Next: UP_Approve.""")
                .alsoCalled(
                        "what changed in a tool",
                        "which tools wait for approval",
                        "details of an mcp server",
                        "why is a tool missing",
                        "latency of a server")
                .needs(Capability.UPSTREAM_READ)
                .atLeast(Role.ADMIN)
                .route("GET", "/api/mcp/upstreams/{name}")
                .example("name", "example")
                .handledBy(
                        NameRequest.class,
                        ReadResponse.class,
                        (in, call) ->
                                new ReadResponse(reads.read(call, in.name()).record(true)));
    }

    record ApproveRequest(
            @Doc(value = NAME, max = 20) String name,

            @Doc(
                    value =
                            "The held tools to approve, by name. Default: all against which nothing speaks; a tool whose text addresses agents must be named.",
                    max = 1_000)
            @Nullable
            List<String> tools,

            @Doc(
                    "true: refuses them instead. They are neither listed nor called, and wait no longer. Without tools: takes back all approvals.")
            @Nullable
            Boolean refuse,

            @Doc(IfRevision.DOC) @Nullable Long ifRevision) {}

    record ApproveResponse(
            @Doc("The server's record.") Upstream upstream,
            @Doc("Its revision.") long revision,

            @Doc("The names of the tools that were approved.")
            List<String> approved,

            @Doc("The names of the tools that were refused.")
            List<String> refused,

            @Doc("false if there was nothing to decide.") boolean changed) {}

    private Tool<ApproveRequest, ApproveResponse> approve() {
        return Tool.named("UP_Approve")
                .title("Approve tools of an upstream server")
                .description("""
                        Approves held tools of an installed MCP server, as UP_Read shows them now: they are listed and can \
                        be called, for admins.""")
                .details("""
                        Send the revision of the record that you read as if_revision: then you approve exactly what you \
                        saw. A tool that changes later is held again. refuse: true does the opposite.""")
                .alsoCalled(
                        "allow a new tool",
                        "accept the changed definition",
                        "release held tools",
                        "trust the tools of a server",
                        "unblock an external tool",
                        "refuse a changed tool",
                        "disable the tools of a server")
                .needs(Capability.UPSTREAM_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CHANGES)
                .idempotent()
                .route("POST", "/api/mcp/upstreams/{name}/approve")
                .example("name", "example")
                .handledBy(ApproveRequest.class, ApproveResponse.class, this::approved);
    }

    private ApproveResponse approved(ApproveRequest in, Call call) {
        if (in.tools() != null && in.tools().isEmpty()) {
            throw Problem.blank(List.of("tools"));
        }
        var upstream = store.lock(call, in.name());
        IfRevision.check(in.ifRevision(), upstream.revision());
        var refuses = Boolean.TRUE.equals(in.refuse());
        var decided = refuses
                ? ApprovedOffers.refused(upstream, in.tools())
                : ApprovedOffers.of(upstream, in.tools(), rules.of(upstream.name(), call), call.now());
        if (!decided.isEmpty()) {
            store.write(call, upstream.name(), decided);
            store.touch(call, upstream.name());
            changed(call);
        }
        var row = decided.isEmpty() ? upstream : store.lock(call, in.name());
        var names = decided.stream().map(UpstreamRow.OfferRow::name).toList();
        return new ApproveResponse(
                row.record(true),
                row.revision(),
                refuses ? List.of() : names,
                refuses ? names : List.of(),
                !decided.isEmpty());
    }

    /** Announces that the lists of tools, resources and prompts changed. */
    static void changed(Call call) {
        call.changed(List.of(
                Change.list(ChangeTopic.TOOLS, Audience.EVERYONE),
                Change.list(ChangeTopic.RESOURCES, Audience.EVERYONE),
                Change.list(ChangeTopic.PROMPTS, Audience.EVERYONE)));
    }

    record RemoveRequest(
            @Doc(value = NAME, max = 20) String name,
            @Doc(IfRevision.DOC) @Nullable Long ifRevision) {}

    record RemoveResponse(@Doc("Always true.") boolean changed) {}

    private Tool<RemoveRequest, RemoveResponse> remove() {
        return Tool.named("UP_Remove")
                .title("Remove an upstream server")
                .description("""
                        Removes an installed MCP server with its tools, its credential and all approvals, for admins.""")
                .alsoCalled(
                        "uninstall a server",
                        "disconnect an integration",
                        "delete external tools",
                        "forget its credential")
                .needs(Capability.UPSTREAM_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.DESTROYS)
                .route("DELETE", "/api/mcp/upstreams/{name}")
                .example("name", "example")
                .handledBy(RemoveRequest.class, RemoveResponse.class, (in, call) -> {
                    var upstream = store.lock(call, in.name());
                    IfRevision.check(in.ifRevision(), upstream.revision());
                    store.delete(call, upstream.name());
                    calls.forget(call.caller().tenant(), upstream.name());
                    changed(call);
                    return new RemoveResponse(true);
                });
    }
}
