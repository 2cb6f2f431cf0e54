package io.agentworkspace.engine.kernel.access;

import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfCredential;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The result of an access check. Each feature checks its own kind of thing
 * ({@code AgentAccess}, {@code DomainAccess}, {@code BankAccess}, {@code DocumentAccess}, {@code KeyAccess},
 * {@link UserAccess}). The tools use these checks to refuse, and {@code /api/auth/why} uses them to explain.
 */
public sealed interface AccessCheck {
    AccessCheck GRANTED = new Granted();

    AccessCheck LEFT_TO_THE_HANDLER = new LeftToTheHandler();

    /** The caller may do this. */
    record Granted() implements AccessCheck {}

    /** The handler decides, because the requirement depends on more than the thing itself. It calls {@link Call#checked}. */
    record LeftToTheHandler() implements AccessCheck {}

    /** The caller may not do this. */
    record Refused(Problem problem) implements AccessCheck {}

    static AccessCheck refused(Problem problem) {
        return new Refused(problem);
    }

    static AccessCheck refusedIf(boolean refused, String note) {
        return refused ? refused(Problem.notPermitted(note)) : GRANTED;
    }

    /** @throws Problem if the check refuses */
    static void require(AccessCheck check) {
        check.refusal().ifPresent(problem -> {
            throw problem;
        });
    }

    /** @throws Problem {@code not_permitted} if there is an obstacle */
    static void requireNone(Optional<String> obstacle) {
        obstacle.map(Problem::notPermitted).ifPresent(problem -> {
            throw problem;
        });
    }

    /** Marks the requirement as checked, and returns the result of the check. */
    static AccessCheck checked(Call call, Requirement required, AccessCheck check) {
        call.checked(required);
        return check;
    }

    /** Checks the credential itself, for any target. */
    static AccessCheck ofCredential(Call call) {
        var caller = call.caller();
        return call.tool()
                .findRequirement(OfCredential.class)
                .map(required -> checked(
                        call,
                        required,
                        switch (required) {
                            case PERSONAL -> refusedIf(caller.boundAgent() != null, AccessNotes.BOUND_AND_INBOX);
                            case UNBOUND -> refusedIf(caller.boundAgent() != null, AccessNotes.BOUND_AND_USERS);
                            case CURRENT -> refusedIf(caller.credential().outdated(), AccessNotes.OUTDATED);
                        }))
                .orElse(GRANTED);
    }

    /** Returns the reason of a refusal. */
    default Optional<Problem> refusal() {
        return this instanceof Refused(var problem) ? Optional.of(problem) : Optional.empty();
    }

    default boolean isRefused() {
        return this instanceof Refused;
    }

    /** Returns this refusal, or else the result of a further check. */
    default AccessCheck and(Supplier<AccessCheck> further) {
        return isRefused() ? this : further.get();
    }
}
