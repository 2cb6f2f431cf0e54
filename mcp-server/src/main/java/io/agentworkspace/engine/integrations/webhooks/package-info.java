/** Webhook receivers, deliveries and the event feed: tools and SQL. */
@NullMarked
package io.agentworkspace.engine.integrations.webhooks;

import org.jspecify.annotations.NullMarked;
