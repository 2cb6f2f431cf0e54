/** What MCP sends and receives: JSON-RPC messages, protocol revisions, results, signed state. */
@NullMarked
package io.agentworkspace.engine.kernel.wire;

import org.jspecify.annotations.NullMarked;
