/** Agents: their tools, SQL and presence, and who may change one: {@code AgentAccess}. */
@NullMarked
package io.agentworkspace.engine.workspace.agents;

import org.jspecify.annotations.NullMarked;
