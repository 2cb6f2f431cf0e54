/** The tools AP_Chat, AP_Ask and AP_Answer, and {@code LoopGuard}, which stops agents that answer each other endlessly. */
@NullMarked
package io.agentworkspace.engine.workspace.chat;

import org.jspecify.annotations.NullMarked;
