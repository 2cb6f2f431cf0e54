package io.agentworkspace.engine.memory.search.time;

import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The time that a question names. Without a beginning or an end it is open on that side. */
public record TimeSpan(
        @Doc("Its beginning.") @Nullable Instant since,
        @Doc("Its end, which it includes.") @Nullable Instant until) {}
