package io.agentworkspace.engine.model.agent;

import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** How far agents may go without a person; what is left out stays as it is. */
public record Guard(
        @Doc(value = "How many answers of agents may follow each other, default 8.", min = 1, max = 64) @Nullable
        Integer hops,

        @Doc(value = "How many messages two agents may exchange in a minute, default 10.", min = 1, max = 600) @Nullable
        Integer perMinute) {}
