/** What goes over the wire in MCP: messages, protocol revisions, results, signed state. */
@NullMarked
package io.agentworkspace.engine.mcp.wire;

import org.jspecify.annotations.NullMarked;
