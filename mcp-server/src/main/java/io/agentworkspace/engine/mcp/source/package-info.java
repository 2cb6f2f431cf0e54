/**
 * What the methods are served from: sources of tools, resources and prompts; and {@code McpRequest}, the request
 * that they receive.
 */
@NullMarked
package io.agentworkspace.engine.mcp.source;

import org.jspecify.annotations.NullMarked;
