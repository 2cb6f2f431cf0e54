/** The outbox: claims due deliveries, decides when the next attempt is made, and keeps the feed. */
@NullMarked
package io.agentworkspace.engine.webhooks.outbox;

import org.jspecify.annotations.NullMarked;
