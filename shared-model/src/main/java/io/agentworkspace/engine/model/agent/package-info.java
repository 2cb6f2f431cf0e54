/** The records of agents and messages. */
@NullMarked
package io.agentworkspace.engine.model.agent;

import org.jspecify.annotations.NullMarked;
