/**
 * Who listens, for any endpoint: {@code Hub} (the listeners of this replica, and one read for all who see the same),
 * {@code EventQueue} (what waits to be written to a stream), {@code EventStream} (server-sent events), how many may be open
 * ({@code StreamLimits}), and in which tenants somebody listens.
 */
@NullMarked
package io.agentworkspace.engine.kernel.streams;

import org.jspecify.annotations.NullMarked;
