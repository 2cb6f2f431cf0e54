package io.agentworkspace.engine.access;

import static io.agentworkspace.engine.access.AccessCheck.refusedIf;

import io.agentworkspace.engine.model.access.Requirement.OfUser;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Optional;

/** Decides what a caller may do for a user, or about one. */
public final class UserAccess {
    private UserAccess() {}

    /** @param user the user that the call acts for, or concerns, with its role */
    public static Optional<Problem> missing(Call call, long user, Role role) {
        return missing(call.tool().requirement(OfUser.class), call, user, role);
    }

    public static Optional<Problem> missing(OfUser required, Call call, long user, Role role) {
        return switch (required) {
            // Who may act for others at all is decided before a tool runs.
            case STAND_FOR -> AccessCheck.GRANTED;
            case KEY_OF -> ofRole(call, role);
            case GOVERN -> ofOwners(call, role);
            case REMOVE ->
                user == call.caller().user()
                        ? Optional.of(Problem.conflict(AccessNotes.NOT_YOURSELF_OUT))
                        : ofOwners(call, role);
        };
    }

    /** Nobody can obtain a key of a user with more rights. */
    public static Optional<Problem> ofRole(Call call, Role role) {
        return refusedIf(!call.caller().role().isAtLeast(role), AccessNotes.ofMoreThanYou(role));
    }

    /** What is missing to decide about a user of that role, or to give it. */
    public static Optional<Problem> ofOwners(Call call, Role role) {
        var own = call.caller().role();
        return refusedIf(role == Role.OWNER && own != Role.OWNER, AccessNotes.forOwners(own));
    }
}
