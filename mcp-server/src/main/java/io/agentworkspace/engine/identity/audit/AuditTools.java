package io.agentworkspace.engine.identity.audit;

import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tool that shows admins what was done in the tenant: AC_Audit. */
final class AuditTools {
    private final AuditQueries reads;
    private final List<Tool<?, ?>> all;

    /** @param all the list of all tools; may be filled later */
    public AuditTools(AuditQueries reads, List<Tool<?, ?>> all) {
        this.reads = reads;
        this.all = all;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(audit());
    }

    record AuditRequest(
            @Doc("Only what this user did.") @Nullable UserHandle user,

            @Doc(value = "Only runs of this tool, e.g. AP_Destroy.", max = 64) @Nullable
            String tool,

            @Doc(
                    value =
                            "Only what was done to this thing, as kind:name: agent:Ada, domain:Den, zone:Den/main, bank:Box, user:ann, document:guide.pdf;"
                                    + " with an id where it has one: key:<id>, endpoint:<id>, document:<id> for one version.",
                    max = 300)
            @Nullable
            String target,

            @Doc(
                    value = "Only this result: done, refused (any error), or an error's name, e.g. not_permitted.",
                    max = 64)
            @Nullable
            String result,

            @Doc("Only at this time or later.") @Nullable Instant since,
            @Doc("Only before this time.") @Nullable Instant until,
            @Doc("Which part.") @Nullable Page page) {}

    record AuditResponse(
            @Doc("The entries, newest first.") List<AuditEntry> entries,

            @Doc("Give it as page.cursor for older entries; absent when there are none.") @Nullable
            String nextCursor) {}

    private Tool<AuditRequest, AuditResponse> audit() {
        return Tool.named("AC_Audit")
                .title("Read the audit")
                .description("""
                        Lists who did what in the tenant, newest first, for admins. Of reads only refused ones.""")
                .details("""
                        For each call that changed something or was refused: user, key, agent, tool, the thing it \
                        concerned, endpoint, address, program, result, note, and names of its arguments, never contents. Refusals show within \
                        seconds. An entry must match all filters. Send next_cursor as page.cursor for more.""")
                .alsoCalled(
                        "who did what",
                        "history of changes",
                        "log of actions",
                        "which user changed this",
                        "trace an incident",
                        "audit trail",
                        "who deleted it",
                        "activity log",
                        "security log",
                        "who changed this",
                        "compliance",
                        "denied calls")
                .needs(Capability.ACCOUNT_READ)
                .atLeast(Role.ADMIN)
                .route("GET", "/api/audit")
                .handledBy(AuditRequest.class, AuditResponse.class, (in, call) -> {
                    var filter = new AuditQueries.AuditFilter(
                            in.user(),
                            tool(in.tool()),
                            target(in.target()),
                            result(in.result()),
                            in.since(),
                            in.until());
                    var found = reads.list(call, filter, in.page());
                    return new AuditResponse(found.rows(), found.nextCursor());
                });
    }

    private @Nullable String tool(@Nullable String name) {
        if (name != null && ForeignTool.isName(name)) {
            return name; // The server may have been removed.
        }
        var names = Stream.concat(all.stream().map(Tool::name), AuditEvent.words().stream())
                .toList();
        return checked(
                "tool",
                name,
                names,
                "the tools are listed at /api/mcp/tools, and besides there are "
                        + String.join(", ", AuditEvent.words()));
    }

    private static @Nullable String result(@Nullable String name) {
        var errors = Arrays.stream(Failure.values()).map(Failure::commandError);
        var names = Stream.concat(Stream.of(AuditEntry.DONE, AuditQueries.REFUSED), errors)
                .distinct()
                .toList();
        return checked("result", name, names, "the results are " + String.join(", ", names));
    }

    private static @Nullable String checked(String field, @Nullable String value, List<String> names, String rule) {
        if (value == null || value.isBlank()) {
            return null;
        }
        if (names.contains(value)) {
            return value;
        }
        var near = Near.nearest(value, names, 1);
        throw Problem.invalid(
                field,
                "is '%s'; %s%s"
                        .formatted(value, near.isEmpty() ? "" : "did you mean %s? ".formatted(near.getFirst()), rule));
    }

    private static AuditQueries.@Nullable AuditedThing target(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        var parts = text.strip().split(":", 2);
        if (parts.length < 2 || parts[0].isBlank() || parts[1].isBlank()) {
            throw Problem.invalid("target", "must be a kind and a name, like agent:Ada, zone:Den/main or key:<id>");
        }
        return new AuditQueries.AuditedThing(parts[0].strip(), parts[1].strip());
    }
}
