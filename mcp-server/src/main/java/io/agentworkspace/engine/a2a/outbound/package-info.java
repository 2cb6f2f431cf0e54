/** Agents that live elsewhere: messages to them are sent by A2A, and their answers come back as their messages. */
@NullMarked
package io.agentworkspace.engine.a2a.outbound;

import org.jspecify.annotations.NullMarked;
