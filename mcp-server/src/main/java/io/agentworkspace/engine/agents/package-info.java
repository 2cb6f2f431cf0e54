/** Agents: their tools, their rows, their presence, and who may change one. */
@NullMarked
package io.agentworkspace.engine.agents;

import org.jspecify.annotations.NullMarked;
