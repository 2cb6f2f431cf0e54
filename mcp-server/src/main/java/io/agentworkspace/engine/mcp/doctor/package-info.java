/** The connection doctor: the handshakes of clients, and what was wrong with them. */
@NullMarked
package io.agentworkspace.engine.mcp.doctor;

import org.jspecify.annotations.NullMarked;
