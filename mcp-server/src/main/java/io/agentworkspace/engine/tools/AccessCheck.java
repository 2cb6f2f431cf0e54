package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Requirement.OfCredential;
import java.util.Optional;

/**
 * What an access check found: nothing, or the refusal. The checks of each kind of thing stand beside it ({@link AgentAccess},
 * {@link DomainAccess}, {@link BankAccess}, {@link KeyAccess}, {@link UserAccess}); the tools refuse by them, and
 * {@code /api/auth/why} asks them beforehand.
 */
final class AccessCheck {
    /** Nothing is missing. */
    static final Optional<Problem> GRANTED = Optional.empty();

    /** The requirement depends on more than the thing itself: the tool's handler checks it. */
    static final Optional<Problem> CHECKED_BY_THE_HANDLER = Optional.empty();

    private AccessCheck() {}

    /** @throws Problem what is missing */
    static void require(Optional<Problem> missing) {
        missing.ifPresent(problem -> {
            throw problem;
        });
    }

    /** What the credential itself is missing, whatever the tool is run on. */
    static Optional<Problem> ofCredential(Call call) {
        var caller = call.caller();
        return call.tool().findRequirement(OfCredential.class).flatMap(required -> switch (required) {
            case UNBOUND -> refusedIf(caller.boundAgent() != null, AccessNotes.BOUND_AND_USERS);
            case CURRENT -> refusedIf(caller.credential().outdated(), AccessNotes.OUTDATED);
        });
    }

    static Optional<Problem> refusedIf(boolean refused, String note) {
        return refused ? Optional.of(Problem.notPermitted(note)) : GRANTED;
    }
}
