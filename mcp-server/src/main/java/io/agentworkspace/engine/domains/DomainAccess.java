package io.agentworkspace.engine.domains;

import static io.agentworkspace.engine.access.AccessCheck.checked;
import static io.agentworkspace.engine.access.AccessCheck.refusedIf;

import io.agentworkspace.engine.access.AccessCheck;
import io.agentworkspace.engine.access.AccessNotes;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Optional;

/** Decides what a caller may do with a domain that it sees. */
public final class DomainAccess {
    private DomainAccess() {}

    public static Optional<Problem> missing(Call call, DomainStore.LockedDomain held) {
        var required = call.tool().requirement(OfDomain.class);
        return switch (required) {
            case SEE -> AccessCheck.GRANTED;
            case OWN ->
                checked(
                        call,
                        required,
                        refusedIf(
                                !held.isOwnedBy(call), AccessNotes.notYours("domain", held.name(), held.ownerName())));
            case RUN ->
                checked(
                        call,
                        required,
                        refusedIf(!held.isRunBy(call), AccessNotes.notOfItsSide(held.name(), held.ownerName())));
            case TAKE_PART, HEAR, RUN_OR_OWN_AGENT, LET_IN -> AccessCheck.CHECKED_BY_THE_HANDLER;
        };
    }
}
