/** Long-running calls as tasks: their state, and the extension by which clients poll them. */
@NullMarked
package io.agentworkspace.engine.mcp.tasks;

import org.jspecify.annotations.NullMarked;
