/** Tests of what waits for a user. */
@NullMarked
package io.agentworkspace.engine.inbox;

import org.jspecify.annotations.NullMarked;
