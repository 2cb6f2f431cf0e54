/** Skills over MCP: as resources, as prompts and as an extension. */
@NullMarked
package io.agentworkspace.engine.mcp.skills;

import org.jspecify.annotations.NullMarked;
