package io.agentworkspace.engine.model;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The one way in: both doors end here. */
public interface ToolRunner {
    Catalogue catalogue();

    /** Runs a tool; a refusal is an answer too, never an exception. */
    Answer run(Request request);

    /** What a tool tells somebody without a credential; empty for a tool that tells nothing. */
    default Optional<Answer> open(String service, ObjectNode arguments, String requestId) {
        return Optional.empty();
    }

    /** Why the caller may run a tool, or may not; and where a thing is named that it may see, what decides about that. */
    default Reasons why(Question question) {
        return Reasons.of(question.caller(), catalogue().read(question.tool()), null, List.of());
    }

    /**
     * @param target a thing as {@code kind:name}, or null
     * @param context the name of the context that says who is logged on
     */
    record Question(String tool, @Nullable String target, String context, Caller caller, String requestId) {}

    /**
     * @param strict whether a field that the tool does not know is refused (MCP) or ignored (REST)
     * @param idempotencyKey from the header {@code Idempotency-Key}, if there was one
     * @param progress whom the run tells how far it is
     * @param whence where it came from
     * @param budget how much its answer may carry
     * @param readOnly whether it must change nothing, not even what counts as read
     */
    record Request(
            String service,
            ObjectNode arguments,
            Caller caller,
            String requestId,
            boolean strict,
            @Nullable String idempotencyKey,
            Progress progress,
            Whence whence,
            Budget budget,
            boolean readOnly) {
        /** Nobody listens to how far it is, and it came through no door. */
        public Request(
                String service,
                ObjectNode arguments,
                Caller caller,
                String requestId,
                boolean strict,
                @Nullable String idempotencyKey) {
            this(
                    service,
                    arguments,
                    caller,
                    requestId,
                    strict,
                    idempotencyKey,
                    Progress.SILENT,
                    Whence.NOWHERE,
                    Budget.once(),
                    false);
        }

        /** The same within a budget that others have a part in. */
        public Request within(Budget shared) {
            return new Request(
                    service, arguments, caller, requestId, strict, idempotencyKey, progress, whence, shared, readOnly);
        }

        /** The same; when true, without marking anything as read. */
        public Request readOnly(boolean only) {
            return new Request(
                    service, arguments, caller, requestId, strict, idempotencyKey, progress, whence, budget, only);
        }
    }
}
