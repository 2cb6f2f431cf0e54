package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.workspace.guard.GuardQueries.ParentMessage;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a message goes: a zone, or the other party of direct messages.
 *
 * @param conversation the zone's; null for direct messages
 * @param other the recipient; null in a zone
 * @param kind what the recipient is: an agent or a user
 * @param parent the message that the speaker names as answered
 */
public record Destination(
        @Nullable Long conversation,
        @Nullable Ref other,
        @Nullable String kind,
        @Nullable String domain,
        @Nullable String zone,
        @Nullable ParentMessage parent) {
    public static Destination zone(long conversation, String domain, String zone) {
        return new Destination(conversation, null, null, domain, zone, null);
    }

    public static Destination direct(Ref other, String kind) {
        return new Destination(null, other, kind, null, null, null);
    }

    public Destination answering(@Nullable ParentMessage message) {
        return new Destination(conversation, other, kind, domain, zone, message);
    }

    public boolean isSamePlace(Destination place) {
        return Objects.equals(conversation, place.conversation) && Objects.equals(otherId(), place.otherId());
    }

    /** Returns the recipient's id; null in a zone. */
    public @Nullable Long otherId() {
        return other == null ? null : (Long) other.id();
    }

    @Nullable
    String otherName() {
        return other == null ? null : other.name();
    }
}
