package io.agentworkspace.engine.kernel.access;

import static io.agentworkspace.engine.kernel.access.AccessCheck.refusedIf;

import io.agentworkspace.engine.model.access.Requirement.OfUser;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;

/** Decides whether a caller may act for a user, or change one. */
public final class UserAccess {
    private UserAccess() {}

    /**
     * @param user the user that the call acts for or concerns
     * @param role this user's role
     */
    public static AccessCheck missing(Call call, long user, Role role) {
        var required = call.tool().requirement(OfUser.class);
        call.checked(required);
        return missing(required, call, user, role);
    }

    public static AccessCheck missing(OfUser required, Call call, long user, Role role) {
        return switch (required) {
            // Whether the caller may act for others is checked before a tool runs.
            case STAND_FOR -> AccessCheck.GRANTED;
            case KEY_OF -> ofRole(call, role);
            case GOVERN -> ofOwners(call, role);
            case REMOVE ->
                user == call.caller().user()
                        ? AccessCheck.refused(Problem.conflict(AccessNotes.NOT_YOURSELF_OUT))
                        : ofOwners(call, role);
        };
    }

    /**
     * Returns what the caller lacks to get a key of a user with this role: nobody can get more rights than their own.
     */
    public static AccessCheck ofRole(Call call, Role role) {
        return refusedIf(!call.caller().role().isAtLeast(role), AccessNotes.ofMoreThanYou(role));
    }

    /** Returns what the caller lacks to change a user with this role, or to assign the role. */
    public static AccessCheck ofOwners(Call call, Role role) {
        var own = call.caller().role();
        return refusedIf(role == Role.OWNER && own != Role.OWNER, AccessNotes.forOwners(own));
    }
}
