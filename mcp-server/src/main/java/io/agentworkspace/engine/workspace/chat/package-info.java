/** The tools AP_Chat, AP_Ask and AP_Answer. */
@NullMarked
package io.agentworkspace.engine.workspace.chat;

import org.jspecify.annotations.NullMarked;
