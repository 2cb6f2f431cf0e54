/** Tests of what waits for a user. */
@NullMarked
package io.agentworkspace.engine.calls.inbox;

import org.jspecify.annotations.NullMarked;
