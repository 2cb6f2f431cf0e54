/**
 * Responses that stay open, for any endpoint: {@code EventStream} (server-sent events), how many may be open
 * ({@code StreamLimits}), and in which tenants somebody listens.
 */
@NullMarked
package io.agentworkspace.engine.kernel.streams;

import org.jspecify.annotations.NullMarked;
