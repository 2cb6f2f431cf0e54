package io.agentworkspace.engine.model.agent;

import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** How far agents may go without a person; what is left out stays as it is. */
public record Guard(
        @Doc(value = "Answers of agents in a row; default " + DEFAULT_HOPS + ".", min = 1, max = 64, mayBeBlank = true)
        @Nullable
        Integer hops,

        @Doc(
                value = "Messages of two agents in a minute; default " + DEFAULT_PER_MINUTE + ".",
                min = 1,
                max = 600,
                mayBeBlank = true)
        @Nullable
        Integer perMinute) {
    /** What agents and domains begin with. Programs that speak as a user always have it. */
    public static final int DEFAULT_HOPS = 8;

    public static final int DEFAULT_PER_MINUTE = 10;
}
