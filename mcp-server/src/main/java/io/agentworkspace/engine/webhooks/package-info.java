/** Webhooks: what is sent to customers' endpoints, and how an address that a customer gives is kept from harming anybody. */
@NullMarked
package io.agentworkspace.engine.webhooks;

import org.jspecify.annotations.NullMarked;
