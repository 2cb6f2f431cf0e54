/** The tool AP_Chat, and {@code LoopGuard}, which stops agents that answer each other endlessly. */
@NullMarked
package io.agentworkspace.engine.chat;

import org.jspecify.annotations.NullMarked;
