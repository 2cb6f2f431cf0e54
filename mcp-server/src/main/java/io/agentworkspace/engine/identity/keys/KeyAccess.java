package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.AccessNotes;
import io.agentworkspace.engine.kernel.access.UserAccess;
import io.agentworkspace.engine.model.access.Requirement.OfKey;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Decides what a caller may do with an API key that it manages. */
public final class KeyAccess {
    private KeyAccess() {}

    /** @param powers what the caller can grant; read only if needed */
    public static Optional<Problem> missing(Call call, KeyChangeStore.LockedKey key, Supplier<Grant> powers) {
        var role = UserAccess.ofRole(call, key.role());
        var required = call.tool().requirement(OfKey.class);
        call.checked(required);
        return switch (required) {
            case SEE -> AccessCheck.GRANTED;
            case END -> role;
            case CHANGE -> role.or(() -> ofRevoked(key));
            case HOLD ->
                ofRevoked(key)
                        .or(() -> key.grant().isOver(call.now())
                                ? Optional.of(Problem.conflict(AccessNotes.KEY_ENDED))
                                : AccessCheck.GRANTED)
                        .or(() -> role)
                        .or(() -> ofPowers(key.grant(), powers.get()));
        };
    }

    /** Returns what the caller is limited to with a key that it may change; null: nothing. */
    @Nullable
    public static String limit(OfKey need, Grant grant, Grant powers) {
        return need == OfKey.CHANGE
                ? grant.excess(powers)
                        .map(excess -> "taking away: your key " + excess)
                        .orElse(null)
                : null;
    }

    private static Optional<Problem> ofRevoked(KeyChangeStore.LockedKey key) {
        return key.revoked() || key.grant().revokedAt() != null
                ? Optional.of(Problem.conflict(AccessNotes.KEY_REVOKED))
                : AccessCheck.GRANTED;
    }

    /** Returns what the caller's own key lacks to grant this to another key. */
    static Optional<Problem> ofPowers(Grant grant, Grant powers) {
        return grant.excess(powers).map(AccessNotes::notToGive).map(Problem::notPermitted);
    }
}
