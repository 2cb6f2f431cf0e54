package io.agentworkspace.engine.tools;

import static io.agentworkspace.engine.tools.AccessCheck.refusedIf;

import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Permission;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Requirement.OfBank;
import io.agentworkspace.engine.model.Via;
import io.agentworkspace.engine.store.BankStore;
import java.util.Optional;

/** Decides what a caller may do with a memory bank that it sees. */
final class BankAccess {
    private BankAccess() {}

    static Optional<Problem> missing(Call call, BankStore.Held held) {
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
    static boolean isOwn(Call call, BankStore.Held bank) {
        return bank.owner() == call.context().user().id() || call.caller().isAdmin();
    }
}
