/** The engine's own pages of MCP Apps: for clients that show a page with the result of a tool. */
@NullMarked
package io.agentworkspace.engine.mcp.apps;

import org.jspecify.annotations.NullMarked;
