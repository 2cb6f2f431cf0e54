package io.agentworkspace.engine.kernel.tracing;

import org.jspecify.annotations.Nullable;

/** The trace that a client is in, as W3C Trace Context writes it: {@code traceparent} and {@code tracestate}, each null if there is none. */
public record RemoteParent(
        @Nullable String traceparent, @Nullable String tracestate) {}
