/** What the engine counts about itself, in Prometheus format: {@code Metrics} holds it, {@code MetricsEndpoint} serves it. */
@NullMarked
package io.agentworkspace.engine.kernel.metrics;

import org.jspecify.annotations.NullMarked;
