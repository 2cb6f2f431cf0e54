/** Clients of other MCP servers, of both eras of the protocol. */
@NullMarked
package io.agentworkspace.engine.integrations.upstreams.client;

import org.jspecify.annotations.NullMarked;
