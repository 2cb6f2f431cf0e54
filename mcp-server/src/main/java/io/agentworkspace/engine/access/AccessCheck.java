package io.agentworkspace.engine.access;

import io.agentworkspace.engine.model.access.Requirement.OfCredential;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Optional;

/**
 * The result of an access check: nothing, or the refusal. Each kind of thing has its check in its own feature ({@code AgentAccess},
 * {@code DomainAccess}, {@code BankAccess}, {@code KeyAccess}, {@link UserAccess}); the tools refuse by them, and
 * {@code /api/auth/why} asks them beforehand.
 */
public final class AccessCheck {
    /** Nothing is missing. */
    public static final Optional<Problem> GRANTED = Optional.empty();

    /** The requirement depends on more than the thing itself: the tool's handler checks it. */
    public static final Optional<Problem> CHECKED_BY_THE_HANDLER = Optional.empty();

    private AccessCheck() {}

    /** @throws Problem what is missing */
    public static void require(Optional<Problem> missing) {
        missing.ifPresent(problem -> {
            throw problem;
        });
    }

    /** What the credential itself is missing, whatever the tool is run on. */
    public static Optional<Problem> ofCredential(Call call) {
        var caller = call.caller();
        return call.tool().findRequirement(OfCredential.class).flatMap(required -> switch (required) {
            case UNBOUND -> refusedIf(caller.boundAgent() != null, AccessNotes.BOUND_AND_USERS);
            case CURRENT -> refusedIf(caller.credential().outdated(), AccessNotes.OUTDATED);
        });
    }

    public static Optional<Problem> refusedIf(boolean refused, String note) {
        return refused ? Optional.of(Problem.notPermitted(note)) : GRANTED;
    }
}
