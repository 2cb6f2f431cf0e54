package io.agentworkspace.engine.banks;

import static io.agentworkspace.engine.access.AccessCheck.refusedIf;

import io.agentworkspace.engine.access.AccessCheck;
import io.agentworkspace.engine.access.AccessNotes;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Requirement.OfBank;
import io.agentworkspace.engine.model.access.Via;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Optional;

/** Decides what a caller may do with a memory bank that it sees. */
public final class BankAccess {
    private BankAccess() {}

    public static Optional<Problem> missing(Call call, BankStore.Held held) {
        var permission = held.permission();
        return switch (call.tool().requirement(OfBank.class)) {
            case SEE -> AccessCheck.GRANTED;
            case READ, READ_OR_GRANT -> permission.lack(Permission.READ).map(Problem::notPermitted);
            case APPEND -> permission.lack(Permission.APPEND).map(Problem::notPermitted);
            case MANAGE -> permission.lack(Permission.MANAGE).map(Problem::notPermitted);
            case MANAGE_OR_OWN_SHARE, RESTORE -> AccessCheck.CHECKED_BY_THE_HANDLER;
            case OWN ->
                refusedIf(!isOwn(call, held), AccessNotes.notToDestroy(held.name(), permission.owner()))
                        .or(() -> Optional.of(permission)
                                .filter(found -> found.via() == Via.GRANT)
                                .flatMap(found -> found.lack(Permission.MANAGE))
                                .map(Problem::notPermitted));
        };
    }

    /** Whether the caller may end the bank: its owner and the admins. */
    public static boolean isOwn(Call call, BankStore.Held bank) {
        return bank.owner() == call.context().user().id() || call.caller().isAdmin();
    }
}
