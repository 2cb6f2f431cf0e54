package io.agentworkspace.engine.inbox;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** One thing that waits for a user. */
record InboxItem(
        @Doc("message, question, invitation, request, guard, task, upstream or endpoint.")
        Kind kind,

        @Doc("Its id among those of its kind.") String id,

        @Doc("Since when it waits.") Instant at,

        @Doc("Who caused it: an agent, a user or an upstream server.") @Nullable
        String from,

        @Doc("What it concerns: a domain, a zone, a task, a server or an address.") @Nullable
        String about,

        @Doc("What it says, at most 500 characters.") String text,

        @Doc("What you can do about it; empty if your credential may do none of it.")
        List<Action> actions) {
    /** The kinds, as they are written. */
    enum Kind {
        MESSAGE,
        QUESTION,
        INVITATION,
        REQUEST,
        GUARD,
        TASK,
        UPSTREAM,
        ENDPOINT;

        @JsonValue
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A call that deals with an item. */
    record Action(
            @Doc("What it does, in a word or two: reply, accept, one of the choices of a question.")
            String name,

            @Doc("The tool to call.") String tool,
            @Doc("The arguments to send.") ObjectNode arguments,

            @Doc("Arguments that you add, such as content; absent if none.") @Nullable
            List<String> add) {}
}
