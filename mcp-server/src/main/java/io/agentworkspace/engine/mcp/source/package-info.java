/** What MCP can be served from: sources of tools, resources and prompts, and the request that they see. */
@NullMarked
package io.agentworkspace.engine.mcp.source;

import org.jspecify.annotations.NullMarked;
