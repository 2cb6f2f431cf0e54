/** The Agent Workspace Engine. Each package below is a feature; {@code docs/dev/packages.md} has the map. */
@NullMarked
package io.agentworkspace.engine;

import org.jspecify.annotations.NullMarked;
