package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.upstream.ClientInput;
import io.agentworkspace.engine.model.upstream.HeldCall;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Receives the progress of a long run. A report may wait for a slow client, so do not report inside a transaction. */
@FunctionalInterface
public interface Progress {
    /** Ignores all reports. */
    Progress SILENT = (_, _, _) -> {};

    /**
     * @param done how much is done; a value that has not increased is not passed on
     * @param total how much there is to do, if known
     * @param note the current step, in words for a person
     */
    void report(double done, @Nullable Double total, @Nullable String note);

    /** Sends the beginning of the response at once, since the call waits. Does nothing where that is not possible. */
    default void begin() {}

    /** Returns what the client sent for an installed server. */
    default ClientInput input() {
        return ClientInput.NONE;
    }

    /**
     * Passes the questions of an installed server on to the client, which then repeats the call with the answers. The call
     * has to end with a refusal, which only those see who cannot be asked.
     *
     * @param questions requests of MCP by the server's keys
     * @param state what the server stored; null if nothing
     * @param waiting the server's side of the call, if the server keeps it open; null if nothing waits
     */
    default void ask(Map<String, ObjectNode> questions, @Nullable String state, @Nullable HeldCall waiting) {}

    /**
     * Asks the client to open a link for its person, and then to repeat the call, which has to end with a refusal. Does nothing if
     * the client does not open links, or was asked before.
     *
     * @param message why, for the person
     */
    default void openLink(String message, String url) {}

    /** Returns whether the client asks its own person what the call asks them, so that the call need not wait for that. */
    default boolean asksPerson() {
        return false;
    }
}
