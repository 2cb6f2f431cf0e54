package io.agentworkspace.engine.memory.documents.conversation;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Who said something, and when.
 *
 * @param session the title of its session, else the day on which that began
 */
public record Turn(
        String speaker, @Nullable Instant time, @Nullable String session) {}
