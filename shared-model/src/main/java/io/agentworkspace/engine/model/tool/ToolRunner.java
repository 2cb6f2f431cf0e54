package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.audit.RequestSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Runs tools: for both endpoints, and for parts of the engine that do what a tool does. */
public interface ToolRunner {
    Catalogue catalogue();

    /** Runs a tool; a refusal is returned as an answer, never thrown. */
    Answer run(Request request);

    /**
     * Runs a reading tool to check what the caller may see. It is not a call by the caller: it does not count as a
     * command or as use of the key, and does not keep an agent online.
     */
    default Answer runUncounted(Request request) {
        return run(request);
    }

    /**
     * Counts a further call of the same request against the caller's rate, as of a batch or a plan.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem {@code rate_limited} if there is no room for it
     */
    default void admit(Caller caller) {}

    /** Returns what a tool shows to a caller without a credential; empty if it shows nothing. */
    default Optional<Answer> open(String service, ObjectNode arguments, String requestId) {
        return Optional.empty();
    }

    /** Returns why the caller may or may not run a tool and, for a target that it may see, what decides about that. */
    default AccessReasons why(Question question) {
        return AccessReasons.of(question.caller(), catalogue().read(question.tool()), null, List.of());
    }

    /**
     * @param target a thing as {@code kind:name}, or null
     * @param context the name of the context that determines which agent is logged on
     */
    record Question(String tool, @Nullable String target, String context, Caller caller, String requestId) {}

    /**
     * @param strict whether a field that the tool does not know is refused (MCP) or ignored (REST)
     * @param idempotencyKey from the header {@code Idempotency-Key}, if there was one
     * @param progress receives the progress of the run
     * @param source where the request came from
     * @param budget how much the response may contain
     * @param readOnly whether the run must change nothing, not even mark messages as read
     */
    record Request(
            String service,
            ObjectNode arguments,
            Caller caller,
            String requestId,
            boolean strict,
            @Nullable String idempotencyKey,
            Progress progress,
            RequestSource source,
            ResponseBudget budget,
            boolean readOnly) {
        /** A request without progress that did not come through an endpoint. */
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
                    RequestSource.NOWHERE,
                    ResponseBudget.once(),
                    false);
        }

        /** Returns a request for a part of the work, which has an idempotency key of its own. */
        public Request part(ObjectNode of, @Nullable String key) {
            return new Request(service, of, caller, requestId, strict, key, progress, source, budget, readOnly);
        }

        /** Returns the same request, whose progress another one receives. */
        public Request reporting(Progress to) {
            return new Request(
                    service, arguments, caller, requestId, strict, idempotencyKey, to, source, budget, readOnly);
        }

        /** Returns the same request from this source. */
        public Request from(RequestSource origin) {
            return new Request(
                    service, arguments, caller, requestId, strict, idempotencyKey, progress, origin, budget, readOnly);
        }

        /** Returns the same request with a budget that it shares with others. */
        public Request within(ResponseBudget shared) {
            return new Request(
                    service, arguments, caller, requestId, strict, idempotencyKey, progress, source, shared, readOnly);
        }

        /** Returns the same request; if {@code only} is true, nothing is marked as read. */
        public Request readOnly(boolean only) {
            return new Request(
                    service, arguments, caller, requestId, strict, idempotencyKey, progress, source, budget, only);
        }
    }
}
