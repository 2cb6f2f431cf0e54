package io.agentworkspace.engine.kernel.access;

import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfCredential;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Optional;

/**
 * The result of an access check: nothing, or the refusal. Each feature checks its own kind of thing
 * ({@code AgentAccess}, {@code DomainAccess}, {@code BankAccess}, {@code DocumentAccess}, {@code KeyAccess},
 * {@link UserAccess}). The tools use these checks to refuse, and {@code /api/auth/why} uses them to explain.
 */
public final class AccessCheck {
    /** Access is granted. */
    public static final Optional<Problem> GRANTED = Optional.empty();

    /** The handler decides, because the requirement depends on more than the thing itself. It calls {@link Call#checked}. */
    public static final Optional<Problem> CHECKED_BY_THE_HANDLER = Optional.empty();

    private AccessCheck() {}

    /** @throws Problem if something is missing */
    public static void require(Optional<Problem> missing) {
        missing.ifPresent(problem -> {
            throw problem;
        });
    }

    /** @throws Problem {@code not_permitted} if there is an obstacle */
    public static void requireNone(Optional<String> obstacle) {
        require(obstacle.map(Problem::notPermitted));
    }

    /** Marks the requirement as checked, and returns the result of the check. */
    public static Optional<Problem> checked(Call call, Requirement required, Optional<Problem> missing) {
        call.checked(required);
        return missing;
    }

    /** Returns what the credential itself lacks, for any target. */
    public static Optional<Problem> ofCredential(Call call) {
        var caller = call.caller();
        return call.tool().findRequirement(OfCredential.class).flatMap(required -> {
            call.checked(required);
            return switch (required) {
                case PERSONAL -> refusedIf(caller.boundAgent() != null, AccessNotes.BOUND_AND_INBOX);
                case UNBOUND -> refusedIf(caller.boundAgent() != null, AccessNotes.BOUND_AND_USERS);
                case CURRENT -> refusedIf(caller.credential().outdated(), AccessNotes.OUTDATED);
            };
        });
    }

    public static Optional<Problem> refusedIf(boolean refused, String note) {
        return refused ? Optional.of(Problem.notPermitted(note)) : GRANTED;
    }
}
