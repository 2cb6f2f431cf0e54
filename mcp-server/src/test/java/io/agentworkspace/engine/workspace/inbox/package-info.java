/** Tests of what waits for a user. */
@NullMarked
package io.agentworkspace.engine.workspace.inbox;

import org.jspecify.annotations.NullMarked;
