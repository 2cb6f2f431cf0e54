/** The MCP endpoint: {@code McpEndpoint} reads a request, {@code LaneRouter} chooses the lane by protocol revision. */
@NullMarked
package io.agentworkspace.engine.mcp.endpoint;

import org.jspecify.annotations.NullMarked;
