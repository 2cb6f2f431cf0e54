package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.kernel.access.AccessCheck.checked;
import static io.agentworkspace.engine.kernel.access.AccessCheck.refusedIf;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.AccessNotes;
import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Requirement.OfBank;
import io.agentworkspace.engine.model.access.Via;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import org.jspecify.annotations.Nullable;

/** Decides what a caller may do with a memory bank that it sees. */
public final class BankAccess {
    private BankAccess() {}

    public static AccessCheck missing(Call call, BankStore.LockedBank bank) {
        var permission = bank.permission();
        var required = call.tool().requirement(OfBank.class);
        return switch (required) {
            case SEE -> AccessCheck.GRANTED;
            case READ -> checked(call, required, missing(permission, Permission.READ));
            // The handler checks what a change requires.
            case READ_OR_GRANT, READ_OR_APPEND -> missing(permission, Permission.READ);
            case APPEND -> checked(call, required, missing(permission, Permission.APPEND));
            case MANAGE -> checked(call, required, missing(permission, Permission.MANAGE));
            case MANAGE_OR_OWN_SHARE, RESTORE -> AccessCheck.LEFT_TO_THE_HANDLER;
            // The handler checks a share.
            case OWN_OR_SHARE ->
                checked(
                        call,
                        required,
                        refusedIf(!isOwn(call, bank), AccessNotes.notToDestroy(bank.name(), permission.owner()))
                                .and(() -> permission.via() == Via.GRANT
                                        ? missing(permission, Permission.MANAGE)
                                        : AccessCheck.GRANTED));
        };
    }

    /** Returns what the caller may do with the tool if its permission on the bank covers only part of the tool. */
    @Nullable
    public static String limit(OfBank need, Permission permission) {
        return switch (need) {
            case APPEND ->
                permission.includes(Permission.WRITE) ? null : "adding, and replacing what the same author stored";
            case MANAGE_OR_OWN_SHARE, RESTORE ->
                permission == Permission.MANAGE ? null : "what agents of your own stored";
            case READ_OR_GRANT -> permission == Permission.MANAGE ? null : "seeing who holds what";
            case READ_OR_APPEND ->
                permission.includes(Permission.WRITE)
                        ? null
                        : permission.includes(Permission.APPEND)
                                ? "viewing, adding, and changing what the same author stored"
                                : "viewing";
            case SEE, READ, MANAGE, OWN_OR_SHARE -> null;
        };
    }

    /**
     * Requires the permission read, for a statement that reads the bank and has found the caller's permission. It is
     * enough for tools that only read; the handler of a tool that can change something decides itself.
     */
    public static void requireRead(Call call, BankPermissionRow permission) {
        permission.require(Permission.READ);
        var required = call.tool().requirement(OfBank.class);
        var isEnough = switch (required) {
            case READ -> true;
            case READ_OR_GRANT, READ_OR_APPEND -> call.tool().effect().reads();
            case SEE, APPEND, MANAGE, MANAGE_OR_OWN_SHARE, RESTORE, OWN_OR_SHARE -> false;
        };
        if (isEnough) {
            call.checked(required);
        }
    }

    private static AccessCheck missing(BankPermissionRow permission, Permission needed) {
        return permission
                .missing(needed)
                .map(Problem::notPermitted)
                .map(AccessCheck::refused)
                .orElse(AccessCheck.GRANTED);
    }

    /** Returns whether the caller may delete or destroy the bank: its owner and admins. */
    public static boolean isOwn(Call call, BankStore.LockedBank bank) {
        return bank.owner() == call.context().user().id() || call.caller().isAdmin();
    }
}
