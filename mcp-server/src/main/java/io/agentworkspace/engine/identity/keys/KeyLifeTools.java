package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.context.IfRevision;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tools that rotate and end API keys: AK_Rotate, AK_Revoke, AK_Delete. */
final class KeyLifeTools {
    private final SecureRandom random = new SecureRandom();
    private final KeyChangeStore keys;

    public KeyLifeTools(KeyChangeStore keys) {
        this.keys = keys;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(rotate(), revoke(), delete());
    }

    record RotateRequest(
            @Doc(value = KeyTools.ID, max = 64) String id,

            @Doc(value = "For how many seconds the old secret still works, at most 7 days; default 0.", max = 604_800)
            @Nullable
            Long overlapSeconds,

            @Doc(IfRevision.DOC) @Nullable Long ifRevision) {}

    private Tool<RotateRequest, KeyTools.SecretResponse> rotate() {
        return Tool.named("AK_Rotate")
                .title("Give an API key a new secret")
                .hints(Guide.Hint.MAY_REMOVE)
                .description("Gives a key a new secret and shows the whole new key this once.")
                .details("""
                        The id stays. The old secret stops at once, or after overlap_seconds; AK_List shows as \
                        previous_last_used_at whether it is still used. Keys of its sub-agents end with the old \
                        secret, and its open invitations are withdrawn; other keys that it made stay, so AK_Revoke a stolen one. You cannot rotate a key that has more than your \
                        own.""")
                .alsoCalled(
                        "exchange a key for a new one",
                        "renew a secret regularly",
                        "new key while the old one still works",
                        "renew a token",
                        "leaked key",
                        "change the secret",
                        "refresh credentials",
                        "compromised")
                .needs(Capability.KEY_WRITE)
                .on(Requirement.OfCredential.CURRENT, Requirement.OfKey.HOLD)
                .effect(Effect.CHANGES)
                .route("POST", "/api/keys/{id}/rotate")
                .handledBy(RotateRequest.class, KeyTools.SecretResponse.class, (in, call) -> {
                    var locked = keys.lock(call, in.id());
                    var before = locked.key();
                    AccessCheck.require(AccessCheck.ofCredential(call));
                    IfRevision.check(in.ifRevision(), before.revision());
                    AccessCheck.require(KeyAccess.missing(call, before, locked.powers()));
                    if (locked.isAccess()) {
                        throw Problem.conflict(
                                "this is the access of a program, which gets new tokens by itself (OAuth): end it with AK_Revoke, or create a key with AK_Create");
                    }
                    var key = ApiKey.withId(before.id(), random);
                    var overlap = in.overlapSeconds() == null ? 0 : in.overlapSeconds();
                    return new KeyTools.SecretResponse(
                            keys.rotate(call, key, Duration.ofSeconds(overlap)), key.reveal());
                });
    }

    private Tool<KeyTools.KeyRequest, KeyTools.KeyResponse> revoke() {
        return Tool.named("AK_Revoke")
                .title("Revoke an API key")
                .description("""
                        Stops a key, and all keys below it, permanently. It stays listed; AK_Delete removes it.""")
                .details("""
                        It stops on every replica within a second. Repeating the call changes nothing. The last key by which an \
                        owner can manage keys cannot be revoked.""")
                .alsoCalled(
                        "disable a key immediately",
                        "a token was stolen",
                        "a secret became public",
                        "lock out a compromised key",
                        "disable a token",
                        "invalidate credentials",
                        "block a key",
                        "kill a token")
                .needs(Capability.KEY_WRITE)
                .on(Requirement.OfKey.END)
                .effect(Effect.DESTROYS)
                .idempotent()
                .route("POST", "/api/keys/{id}/revoke")
                .handledBy(KeyTools.KeyRequest.class, KeyTools.KeyResponse.class, (in, call) -> {
                    var before = lockedToEnd(call, in.id());
                    var key = keys.revoke(call, before);
                    return new KeyTools.KeyResponse(key, key.revision(), !before.revoked());
                });
    }

    record DeleteResponse(@Doc("Always true.") boolean changed) {}

    private Tool<KeyTools.KeyRequest, DeleteResponse> delete() {
        return Tool.named("AK_Delete")
                .title("Delete an API key")
                .description("""
                        Stops a key like AK_Revoke and removes it from the list, with all keys below it.""")
                .details("""
                        Their usage counts are deleted, too. AK_Revoke keeps the record.""")
                .alsoCalled(
                        "remove revoked keys from the list",
                        "tidy up old credentials",
                        "remove a token",
                        "clean up old keys")
                .needs(Capability.KEY_WRITE)
                .on(Requirement.OfKey.END)
                .effect(Effect.DESTROYS)
                .route("DELETE", "/api/keys/{id}")
                .handledBy(KeyTools.KeyRequest.class, DeleteResponse.class, (in, call) -> {
                    keys.delete(call, lockedToEnd(call, in.id()));
                    return new DeleteResponse(true);
                });
    }

    /**
     * Returns a key, locked to be ended. The caller needs at least the role of the key's user, and the owners must
     * keep access.
     */
    private KeyChangeStore.LockedKey lockedToEnd(Call call, String id) {
        var locked = keys.lock(call, id);
        var key = locked.key();
        AccessCheck.require(KeyAccess.missing(call, key, locked.powers()));
        if (key.role() == Role.OWNER) {
            keys.keepOwners(call, key);
        }
        return key;
    }
}
