/** The connection doctor: the handshakes of clients, and what was wrong with them. */
@NullMarked
package io.agentworkspace.engine.mcp.handshakes;

import org.jspecify.annotations.NullMarked;
