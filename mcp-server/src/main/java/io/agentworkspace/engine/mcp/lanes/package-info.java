/** How clients of each protocol era are served: bare, in sessions, stateless, and as tasks. */
@NullMarked
package io.agentworkspace.engine.mcp.lanes;

import org.jspecify.annotations.NullMarked;
