/** The events that a transaction reports to webhooks and feeds, written in the same transaction. */
@NullMarked
package io.agentworkspace.engine.events;

import org.jspecify.annotations.NullMarked;
