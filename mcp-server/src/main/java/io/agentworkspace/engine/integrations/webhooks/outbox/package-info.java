/**
 * The outbox: claims due deliveries, computes when the next attempt is made ({@code RetrySchedule}), writes results
 * ({@code AttemptWriter}).
 */
@NullMarked
package io.agentworkspace.engine.integrations.webhooks.outbox;

import org.jspecify.annotations.NullMarked;
