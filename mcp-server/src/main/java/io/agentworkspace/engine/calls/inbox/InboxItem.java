package io.agentworkspace.engine.calls.inbox;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.workspace.guard.GuardLimits;
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

        @Doc("Of guard: the agents in it.") @Nullable List<String> agents,

        @Doc("Of guard: how many messages were refused.") @Nullable
        Long refused,

        @Doc("Of guard: when the limit ends by itself.") @Nullable
        Instant retryAt,

        @Doc("Of guard: the limits in force, if you may change them.") @Nullable
        GuardLimits guard,

        @Doc("What you can do about it; empty if your credential may do none of it.")
        List<Action> actions) {
    /** What only a stop of the loop guard has. */
    record Incident(
            List<String> agents,
            long refused,
            Instant retryAt,
            @Nullable GuardLimits guard) {}

    static InboxItem of(
            Kind kind,
            String id,
            Instant at,
            @Nullable String from,
            @Nullable String about,
            String text,
            @Nullable Incident incident,
            List<Action> actions) {
        return incident == null
                ? new InboxItem(kind, id, at, from, about, text, null, null, null, null, actions)
                : new InboxItem(
                        kind,
                        id,
                        at,
                        from,
                        about,
                        text,
                        incident.agents(),
                        incident.refused(),
                        incident.retryAt(),
                        incident.guard(),
                        actions);
    }

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

            @Doc("Arguments that you add, such as content or guard.hops; absent if none.") @Nullable
            List<String> add) {}
}
