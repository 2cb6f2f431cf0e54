/** Which files a tool of a coding agent is about to change: {@code EditedFiles} reads its input, {@code ShellWrites} a command. */
@NullMarked
package io.agentworkspace.engine.workspace.delivery.edits;

import org.jspecify.annotations.NullMarked;
