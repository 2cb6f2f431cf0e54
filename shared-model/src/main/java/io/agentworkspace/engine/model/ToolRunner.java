package io.agentworkspace.engine.model;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The one way in: both doors end here. */
public interface ToolRunner {
    Catalogue catalogue();

    /** Runs a tool; a refusal is an answer too, never an exception. */
    Answer run(Request request);

    /**
     * @param strict whether a field that the tool does not know is refused (MCP) or ignored (REST)
     * @param idempotencyKey from the header {@code Idempotency-Key}, if there was one
     * @param progress whom the run tells how far it is
     * @param whence where it came from
     */
    record Request(
            String service,
            ObjectNode arguments,
            Caller caller,
            String requestId,
            boolean strict,
            @Nullable String idempotencyKey,
            Progress progress,
            Whence whence) {
        /** Nobody listens to how far it is, and it came through no door. */
        public Request(
                String service,
                ObjectNode arguments,
                Caller caller,
                String requestId,
                boolean strict,
                @Nullable String idempotencyKey) {
            this(service, arguments, caller, requestId, strict, idempotencyKey, Progress.SILENT, Whence.NOWHERE);
        }
    }
}
