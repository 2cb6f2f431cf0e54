/** The MCP door: one address for every client era, each era a lane of its own. */
@NullMarked
package io.agentworkspace.engine.mcp;

import org.jspecify.annotations.NullMarked;
