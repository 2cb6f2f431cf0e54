package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Via;
import io.agentworkspace.engine.model.agent.Agent;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Permissions on a bank: MB_AgentList, MB_Permissions. */
final class PermissionTools {
    private final BankStore banks;
    private final BankGrantStore grants;

    public PermissionTools(BankStore banks, BankGrantStore grants) {
        this.banks = banks;
        this.grants = grants;
    }

    record ListRequest(
            @Doc("Which bank.") BankTargets.HolderTarget target,
            @Doc("Which part.") @Nullable Page page) {}

    record ListResponse(
            @Doc("The agents with a permission on the bank, by name.")
            List<Agent> profile,

            @Doc("For each of them, its permission and how many memories it stored.")
            List<AgentPermission> content,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    record AgentPermission(
            @Doc("The agent's name.") String agent,
            @Doc("What it may do with the bank.") Permission permission,

            @Doc(
                    value = "The source of that permission.",
                    oneOf = {"owner", "grant", "access"})
            @Nullable
            Via via,

            @Doc("Whether it has the bank attached as working memory.")
            boolean loaded,

            @Doc("How many readable memories it has stored there.")
            long memories) {}

    record NewPermission(
            @Doc(value = "Permission to set; each includes those before it.", mayBeBlank = true) @Nullable
            Permission access) {}

    record ChangeRequest(
            @Doc("Which bank; and which agent, to set its permission or narrow the report.")
            BankTargets.HolderTarget target,

            @Doc("What to set; left out to report only.") @Nullable
            NewPermission vx,

            @Doc("Which part of the report.") @Nullable Page page) {}

    record Report(
            @Doc("What each agent may do with the bank, by name; only target.agent if you name it.")
            List<PermissionEntry> permissions,

            @Doc("Whether this changed the permission.") boolean changed,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    record PermissionEntry(
            @Doc("The agent's name.") String agent,
            @Doc("What it may do with the bank.") Permission permission,

            @Doc(
                    value = "The source of that permission; absent if the agent has none and is not barred.",
                    oneOf = {"owner", "grant", "access"})
            @Nullable
            Via via,

            @Doc("The reason, in a sentence.") String why) {}

    public List<Tool<?, ?>> tools() {
        return List.of(list(), permissions());
    }

    private Tool<ListRequest, ListResponse> list() {
        return Tool.named("MB_AgentList")
                .title("List a bank's agents")
                .description("""
                        Lists the agents that have a permission on a memory bank. MB_Permissions explains and changes \
                        it.""")
                .details("""
                        profile contains their records; content shows each permission (read < append < write < manage), \
                        its source (owner, grant or access), whether the bank is attached, and how many memories the \
                        agent stored. Requires the permission read.""")
                .alsoCalled(
                        "what banks has an agent loaded",
                        "which knowledge does an agent use",
                        "collections of a bot",
                        "who can read the memory",
                        "who uses the notebook",
                        "contributors",
                        "subscribers of a bank")
                .needs(Capability.BANK_READ)
                .on(Requirement.OfBank.READ)
                .handledBy(ListRequest.class, ListResponse.class, (in, call) -> {
                    var found =
                            grants.list(call, in.target().bank(), in.target().agent(), in.page());
                    return new ListResponse(
                            found.rows().stream()
                                    .map(BankGrantStore.AgentPermission::agent)
                                    .toList(),
                            found.rows().stream()
                                    .map(PermissionTools::permissionOf)
                                    .toList(),
                            found.nextCursor());
                });
    }

    private static AgentPermission permissionOf(BankGrantStore.AgentPermission entry) {
        return new AgentPermission(
                entry.agent().name(), entry.permission(), entry.via(), entry.loaded(), entry.memories());
    }

    private Tool<ChangeRequest, Report> permissions() {
        return Tool.named("MB_Permissions")
                .title("Share a bank, or report permissions")
                .description("""
                        Reports what each agent may do with a memory bank, and why. With vx.access: sets target.agent's \
                        permission.""")
                .details("""
                        Without vx.access it only reads: it requires the permission read, and viewers and keys with \
                        bank:read may call it. Setting requires manage. none bars the agent, read reads, append adds \
                        memories and replaces its own, write replaces anyone's, manage does everything else. A permission \
                        that is set overrides what the agent would have through its owner or the bank's access.""")
                .alsoCalled(
                        "let somebody read a bank",
                        "grant or revoke access to notes",
                        "who may see these memories",
                        "share a bank with one person",
                        "share memory",
                        "grant access",
                        "give an agent access to knowledge",
                        "allow reading",
                        "acl",
                        "let another bot use the notes",
                        "revoke access to a bank",
                        "who may edit")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.READ_OR_GRANT)
                .effect(Effect.CHANGES)
                .example("vx.access", "write")
                .handledBy(ChangeRequest.class, Report.class, (in, call) -> {
                    var bank =
                            banks.lock(call, in.target().bank(), call.context().self());
                    var access = Objects.requireNonNull(in.vx()).access();
                    var changed = set(call, bank, in.target(), Objects.requireNonNull(access));
                    var found = grants.report(call, bank, in.target().agent(), in.page());
                    return report(found, bank.access(), changed);
                })
                .shownAgainBy((in, first, call) -> {
                    var report = reported(in, call, first.path("changed").asBoolean(false));
                    call.checked(Requirement.OfBank.READ_OR_GRANT); // A replay changes nothing, and may be read.
                    return report;
                })
                .readingWithout("vx.access", (in, call) -> reported(in, call, false));
    }

    private Report reported(ChangeRequest in, Call call, boolean changed) {
        var found = grants.report(call, in.target().bank(), in.target().agent(), in.page());
        return report(found.entries(), found.access(), changed);
    }

    private static Report report(ListSlice<BankGrantStore.AgentPermission> found, Access access, boolean changed) {
        var entries = found.rows().stream().map(entry -> entry(entry, access)).toList();
        return new Report(entries, changed, found.nextCursor());
    }

    private boolean set(Call call, BankStore.LockedBank bank, BankTargets.HolderTarget target, Permission access) {
        AccessCheck.require(BankAccess.missing(call, bank));
        bank.permission().require(Permission.MANAGE);
        call.checked(Requirement.OfBank.READ_OR_GRANT);
        if (target.agent() == null) {
            throw Problem.missing("target.agent");
        }
        return grants.grant(call, bank, target.agent(), access);
    }

    private static PermissionEntry entry(BankGrantStore.AgentPermission entry, Access access) {
        return new PermissionEntry(entry.agent().name(), entry.permission(), entry.via(), why(entry, access));
    }

    private static String why(BankGrantStore.AgentPermission entry, Access access) {
        var owner = entry.agent().owner();
        return switch (entry.via()) {
            case null ->
                "Nothing was set for it, it does not belong to the bank's owner, and the bank's access '%s' does not reach it."
                        .formatted(access.word());
            case OWNER -> "It belongs to '%s', who owns the bank.".formatted(owner);
            case ADMIN -> "It acts for an admin.";
            case GRANT ->
                entry.permission() == Permission.NONE
                        ? "It was barred with MB_Permissions."
                        : "It was set with MB_Permissions.";
            case ACCESS ->
                access == Access.PUBLIC
                        ? "The bank is public: everyone in the tenant may read it."
                        : "The bank's access is 'domain', and agents of its owner and of '%s' share one."
                                .formatted(owner);
        };
    }
}
