/** What MCP sends and receives: JSON-RPC messages, protocol revisions, results, signed state. */
@NullMarked
package io.agentworkspace.engine.mcp.wire;

import org.jspecify.annotations.NullMarked;
