package io.agentworkspace.engine.model.problem;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/**
 * The user to whom an agent writes: {@code true} is the agent's owner, {@code false} nobody, and a text is a user's
 * handle.
 */
public record UserRecipient(@Nullable UserHandle user, boolean isOwner) {
    /** @param value a boolean or a text */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static UserRecipient of(Object value) {
        return value instanceof Boolean flag
                ? new UserRecipient(null, flag)
                : new UserRecipient(UserHandle.of(value.toString()), false);
    }

    /** Returns whether nobody is meant. */
    public boolean isNobody() {
        return user == null && !isOwner;
    }

    /** Returns the value as it was given. */
    @JsonValue
    public Object value() {
        return user == null ? (Object) isOwner : user.text();
    }
}
