/** Responses that stay open: server-sent events and notifications of changes. */
@NullMarked
package io.agentworkspace.engine.mcp.streams;

import org.jspecify.annotations.NullMarked;
