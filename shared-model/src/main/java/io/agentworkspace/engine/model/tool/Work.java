package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.tool.Tool.Handler;
import tools.jackson.databind.node.ObjectNode;

/** What a tool does when it runs. */
public sealed interface Work<I, O> {
    /** Does the work before the transaction, and returns the handler to run in it. */
    Handler<I, O> begin(I input, Call call);

    /** The second phase of work that calls other servers. */
    @FunctionalInterface
    interface Finish<I, M, O> {
        O handle(I input, M outcome, Call call);
    }

    /** Work that uses only the database. */
    record OnePhase<I, O>(Handler<I, O> handler) implements Work<I, O> {
        @Override
        public Handler<I, O> begin(I input, Call call) {
            return handler;
        }
    }

    /**
     * Work that calls other servers, which no transaction may wait for.
     *
     * @param outside calls them before the transaction; its statements are transactions of their own
     * @param inside runs in the transaction, with the outcome
     */
    record TwoPhase<I, M, O>(Handler<I, M> outside, Finish<I, M, O> inside) implements Work<I, O> {
        @Override
        public Handler<I, O> begin(I input, Call call) {
            var outcome = outside.handle(input, call);
            return (in, running) -> inside.handle(in, outcome, running);
        }
    }

    /**
     * Work whose response is completed after the transaction was committed, since that may wait.
     *
     * @param handler runs in the transaction
     * @param sequel completes the response, also that of a replay
     */
    record Continued<I, O>(Handler<I, O> handler, Sequel<I> sequel) implements Work<I, O> {
        @Override
        public Handler<I, O> begin(I input, Call call) {
            return handler;
        }
    }

    /** What completes a response after the commit. What was done stays done: it must not fail. */
    @FunctionalInterface
    interface Sequel<I> {
        void complete(I input, ObjectNode envelope, Call call);
    }
}
