/** Spans of requests and calls, exported over OTLP when an endpoint is set: {@code Tracing} begins them, {@code TraceSpan} is one. */
@NullMarked
package io.agentworkspace.engine.kernel.tracing;

import org.jspecify.annotations.NullMarked;
