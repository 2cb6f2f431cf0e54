/** The events that a transaction reports to webhooks and feeds, written in the same transaction. */
@NullMarked
package io.agentworkspace.engine.kernel.events;

import org.jspecify.annotations.NullMarked;
