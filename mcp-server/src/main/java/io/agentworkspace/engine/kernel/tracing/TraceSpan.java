package io.agentworkspace.engine.kernel.tracing;

import java.util.function.Supplier;

/** One span of a trace, until it ends. Only bound while tracing is on: without it, looking for one is all that it costs. */
public interface TraceSpan {
    /** The span that whatever runs belongs to. */
    ScopedValue<TraceSpan> CURRENT = ScopedValue.newInstance();

    /** What a span stands for. */
    enum Kind {
        SERVER,
        CLIENT,
        INTERNAL
    }

    /** A span within this one. */
    TraceSpan child(String name, Kind kind);

    /** A span of the trace that a client is in, by its own account; linked to this one. A child of this one if it is in none. */
    TraceSpan joining(RemoteParent parent, String name, Kind kind);

    TraceSpan set(String key, String value);

    TraceSpan set(String key, long value);

    /** @param type what kind of failure, from a small set */
    void failed(String type);

    /** Once, from any thread. */
    void end();

    String traceId();

    /** Runs the work as part of this span, which ends with it. */
    default <T> T around(Supplier<T> work) {
        try {
            return ScopedValue.where(CURRENT, this).call(work::get);
        } catch (RuntimeException | Error e) {
            failed(e.getClass().getSimpleName());
            throw e;
        } finally {
            end();
        }
    }
}
