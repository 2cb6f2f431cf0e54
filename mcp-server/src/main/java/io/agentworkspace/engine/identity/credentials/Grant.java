package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Toolset;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a key grants to its holder, and for how long.
 *
 * @param capabilities the names of capabilities, {@code *} for all
 * @param expiresAt null for never
 */
public record Grant(
        Set<String> capabilities,
        Toolset toolset,
        boolean confirmDestructive,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt) {

    public Grant {
        capabilities = Collections.unmodifiableSet(new LinkedHashSet<>(capabilities));
    }

    /** Returns the effective grant of a key: its own, limited by those of all keys above it. */
    public static Grant of(List<Grant> chain) {
        return chain.stream().reduce(Grant::under).orElseThrow();
    }

    /** Returns what this caller can grant. */
    public static Grant of(Caller caller) {
        var credential = caller.credential();
        return new Grant(
                caller.capabilities(),
                credential.toolset(),
                credential.confirmsDestructive(),
                credential.expiresAt(),
                null);
    }

    /** Returns this grant, limited to what the other has too. */
    public Grant under(Grant above) {
        return new Grant(
                common(above),
                toolset.under(above.toolset),
                confirmDestructive || above.confirmDestructive,
                earlier(expiresAt, above.expiresAt),
                earlier(revokedAt, above.revokedAt));
    }

    private Set<String> common(Grant above) {
        if (above.capabilities.contains(Capability.ALL)) {
            return capabilities;
        }
        if (capabilities.contains(Capability.ALL)) {
            return above.capabilities;
        }
        var both = new LinkedHashSet<>(capabilities);
        both.retainAll(above.capabilities);
        return both;
    }

    private static @Nullable Instant earlier(@Nullable Instant one, @Nullable Instant other) {
        return one == null || (other != null && other.isBefore(one)) ? other : one;
    }

    /** Returns whether the grant has expired. */
    public boolean isOver(Instant now) {
        return revokedAt != null || (expiresAt != null && !now.isBefore(expiresAt));
    }

    /** Returns what the other grant lacks of this one, as a note about the other's key; empty if it lacks nothing. */
    public Optional<String> excess(Grant other) {
        var more = new LinkedHashSet<>(capabilities);
        more.removeAll(other.capabilities);
        if (!more.isEmpty() && !other.capabilities.contains(Capability.ALL)) {
            return Optional.of(
                    "lacks %s (it has %s)".formatted(String.join(", ", more), String.join(", ", other.capabilities)));
        }
        if (!toolset.isWithin(other.toolset)) {
            return Optional.of("is limited to the toolset %s".formatted(other.toolset));
        }
        if (other.confirmDestructive && !confirmDestructive) {
            return Optional.of("asks before something is destroyed (confirm_destructive)");
        }
        if (other.expiresAt != null && (expiresAt == null || expiresAt.isAfter(other.expiresAt))) {
            return Optional.of("ends at %s (expires_at)".formatted(other.expiresAt));
        }
        return Optional.empty();
    }
}
