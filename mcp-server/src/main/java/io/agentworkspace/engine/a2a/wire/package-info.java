/** The shapes of the protocol A2A 1.0: messages, tasks and errors. */
@NullMarked
package io.agentworkspace.engine.a2a.wire;

import org.jspecify.annotations.NullMarked;
