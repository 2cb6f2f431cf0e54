package io.agentworkspace.engine.tools;

import static io.agentworkspace.engine.tools.AccessCheck.refusedIf;

import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Requirement.OfDomain;
import io.agentworkspace.engine.store.DomainStore;
import java.util.Optional;

/** Decides what a caller may do with a domain that it sees. */
final class DomainAccess {
    private DomainAccess() {}

    static Optional<Problem> missing(Call call, DomainStore.Held held) {
        return switch (call.tool().requirement(OfDomain.class)) {
            case SEE -> AccessCheck.GRANTED;
            case OWN -> refusedIf(!held.isOwnedBy(call), AccessNotes.notYours("domain", held.name(), held.ownerName()));
            case RUN -> refusedIf(!held.isRunBy(call), AccessNotes.notOfItsSide(held.name(), held.ownerName()));
            case TAKE_PART, HEAR, RUN_OR_OWN_AGENT, LET_IN -> AccessCheck.CHECKED_BY_THE_HANDLER;
        };
    }
}
