/** Messages: their streams, and what each participant has read. */
@NullMarked
package io.agentworkspace.engine.messages;

import org.jspecify.annotations.NullMarked;
