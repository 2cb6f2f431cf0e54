/** Long-running calls as tasks: their state, and the extension that clients poll them by. */
@NullMarked
package io.agentworkspace.engine.mcp.tasks;

import org.jspecify.annotations.NullMarked;
