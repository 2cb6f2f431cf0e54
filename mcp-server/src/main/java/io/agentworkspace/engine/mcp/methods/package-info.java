/** The methods of MCP: {@code McpMethods} passes tools/call to {@code ToolMethods}, and so on. */
@NullMarked
package io.agentworkspace.engine.mcp.methods;

import org.jspecify.annotations.NullMarked;
