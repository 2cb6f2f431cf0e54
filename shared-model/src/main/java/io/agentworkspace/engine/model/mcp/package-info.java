/** MCP clients, and how each is configured. */
@NullMarked
package io.agentworkspace.engine.model.mcp;

import org.jspecify.annotations.NullMarked;
