/** Conversations among documents: their turns, with speaker, time and session. */
@NullMarked
package io.agentworkspace.engine.memory.documents.conversation;

import org.jspecify.annotations.NullMarked;
