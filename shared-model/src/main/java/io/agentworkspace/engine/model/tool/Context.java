package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.text.StorableText;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a principal has selected under one context name, and who it acts as.
 *
 * @param user the user acted for: the caller's own, or the one that an admin named in {@code target.user}
 * @param self the agent that the principal is logged on as
 * @param agent the selected agent, which messages are sent to
 * @param unread the number of unread messages of the speaker: self, else the user
 */
public record Context(
        String name,
        Ref user,
        @Nullable Ref self,
        @Nullable Ref agent,
        @Nullable Ref domain,
        @Nullable Ref zone,
        long unread) {

    /** A reference to a thing: its row id and its name. */
    public record Ref(long id, String name) {}

    public static final String DEFAULT = "default";

    /** Returns the context name in a request, if it is valid. */
    public static String named(ObjectNode arguments) {
        var name = arguments.at("/target/context").asString("").strip();
        return name.isEmpty() || name.codePointCount(0, name.length()) > Name.MAX || !StorableText.isStorable(name)
                ? DEFAULT
                : name;
    }

    /** Returns whether the other context selects the same things. The unread count is ignored. */
    boolean selectsAs(Context other) {
        return withUnread(0).equals(other.withUnread(0));
    }

    /** Returns the speaker: self, else the user. */
    public Ref speaker() {
        return self == null ? user : self;
    }

    public Context withUser(Ref renamed) {
        return new Context(name, renamed, self, agent, domain, zone, unread);
    }

    /** Returns the context with another self. The caller must count the new speaker's unread messages again. */
    public Context withSelf(@Nullable Ref newSelf) {
        return new Context(name, user, newSelf, agent, domain, zone, unread);
    }

    public Context withAgent(@Nullable Ref newAgent) {
        return new Context(name, user, self, newAgent, domain, zone, unread);
    }

    public Context withZone(@Nullable Ref newDomain, @Nullable Ref newZone) {
        return new Context(name, user, self, agent, newDomain, newZone, unread);
    }

    public Context withUnread(long newUnread) {
        return new Context(name, user, self, agent, domain, zone, newUnread);
    }
}
