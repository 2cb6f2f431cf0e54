/**
 * How clients of each protocol era are served: {@code ModernLane} (stateless), {@code SessionLane},
 * {@code BareLane}; and the workers that run tasks.
 */
@NullMarked
package io.agentworkspace.engine.mcp.lanes;

import org.jspecify.annotations.NullMarked;
