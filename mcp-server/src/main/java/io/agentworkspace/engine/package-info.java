/** The Agent Workspace Engine. Each package below is a feature; {@code docs/dev/house.md} has the wings. */
@NullMarked
package io.agentworkspace.engine;

import org.jspecify.annotations.NullMarked;
