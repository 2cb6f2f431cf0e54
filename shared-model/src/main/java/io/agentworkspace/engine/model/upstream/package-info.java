/** Other MCP servers that a tenant installed. */
@NullMarked
package io.agentworkspace.engine.model.upstream;

import org.jspecify.annotations.NullMarked;
