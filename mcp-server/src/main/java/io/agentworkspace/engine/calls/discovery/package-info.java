/** How a caller finds the tool for what it wants to do: {@code ToolIndex}, for MCP, REST and the console. */
@NullMarked
package io.agentworkspace.engine.calls.discovery;

import org.jspecify.annotations.NullMarked;
