/**
 * HTTP responses of the MCP endpoint ({@code McpExchange}), and those that stay open: server-sent events and
 * notifications.
 */
@NullMarked
package io.agentworkspace.engine.mcp.streams;

import org.jspecify.annotations.NullMarked;
