/** The events that webhooks and feeds carry. */
@NullMarked
package io.agentworkspace.engine.model.event;

import org.jspecify.annotations.NullMarked;
