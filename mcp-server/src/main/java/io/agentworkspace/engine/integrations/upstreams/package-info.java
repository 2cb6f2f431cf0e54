/** Upstream servers: other MCP servers that a tenant installed, whose tools appear beside the engine's own. */
@NullMarked
package io.agentworkspace.engine.integrations.upstreams;

import org.jspecify.annotations.NullMarked;
