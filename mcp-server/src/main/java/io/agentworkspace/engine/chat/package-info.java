/** Talking: the tool AP_Chat, and the guard that stops agents that answer each other without end. */
@NullMarked
package io.agentworkspace.engine.chat;

import org.jspecify.annotations.NullMarked;
