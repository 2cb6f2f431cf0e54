package io.agentworkspace.engine.model.change;

import io.agentworkspace.engine.model.access.Access;
import java.util.HashSet;
import java.util.Set;

/**
 * The users who may learn of a change, besides the admins of the tenant.
 *
 * @param everyone whether all users of the tenant may
 */
public record Audience(boolean everyone, Set<Long> users) {
    public static final Audience EVERYONE = new Audience(true, Set.of());

    /** The admins only. */
    public static final Audience NOBODY = new Audience(false, Set.of());

    public Audience {
        users = Set.copyOf(users);
    }

    public static Audience of(long user) {
        return new Audience(false, Set.of(user));
    }

    /** Returns the users who may know that a thing with this access exists. */
    public static Audience of(Access access, long owner) {
        return access == Access.PRIVATE ? of(owner) : EVERYONE;
    }

    Audience or(Audience other) {
        var both = new HashSet<>(users);
        both.addAll(other.users);
        return new Audience(everyone || other.everyone, both);
    }
}
