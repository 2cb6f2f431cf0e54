/** The methods of MCP, over all sources. */
@NullMarked
package io.agentworkspace.engine.mcp.methods;

import org.jspecify.annotations.NullMarked;
