/** The events of a transaction, written with what they report. */
@NullMarked
package io.agentworkspace.engine.events;

import org.jspecify.annotations.NullMarked;
