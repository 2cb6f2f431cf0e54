/** Requests to addresses of others: {@code AddressPolicy} decides which are allowed, {@code VettedClient} sends them there and nowhere else. */
@NullMarked
package io.agentworkspace.engine.kernel.outbound;

import org.jspecify.annotations.NullMarked;
