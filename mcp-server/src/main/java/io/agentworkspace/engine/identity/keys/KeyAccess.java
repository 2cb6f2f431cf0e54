package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.AccessNotes;
import io.agentworkspace.engine.kernel.access.UserAccess;
import io.agentworkspace.engine.model.access.Requirement.OfKey;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Decides what a caller may do with an API key that it manages. */
public final class KeyAccess {
    private KeyAccess() {}

    /** @param powers what the caller can grant; read only if needed */
    public static AccessCheck missing(Call call, KeyChangeStore.LockedKey key, Supplier<Grant> powers) {
        var role = UserAccess.ofRole(call, key.role());
        var required = call.tool().requirement(OfKey.class);
        call.checked(required);
        return switch (required) {
            case SEE -> AccessCheck.GRANTED;
            case END -> role;
            case CHANGE -> role.and(() -> ofRevoked(key));
            case HOLD ->
                ofRevoked(key)
                        .and(() -> key.grant().isOver(call.now())
                                ? AccessCheck.refused(Problem.conflict(AccessNotes.KEY_ENDED))
                                : AccessCheck.GRANTED)
                        .and(() -> role)
                        .and(() -> ofPowers(key.grant(), powers.get()));
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

    private static AccessCheck ofRevoked(KeyChangeStore.LockedKey key) {
        return key.revoked() || key.grant().revokedAt() != null
                ? AccessCheck.refused(Problem.conflict(AccessNotes.KEY_REVOKED))
                : AccessCheck.GRANTED;
    }

    /** Returns what the caller's own key lacks to grant this to another key. */
    static AccessCheck ofPowers(Grant grant, Grant powers) {
        return grant.excess(powers)
                .map(AccessNotes::notToGive)
                .map(Problem::notPermitted)
                .map(AccessCheck::refused)
                .orElse(AccessCheck.GRANTED);
    }
}
