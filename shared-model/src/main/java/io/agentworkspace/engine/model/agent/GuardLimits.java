package io.agentworkspace.engine.model.agent;

import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** How far agents may go without a person; what is left out stays as it is. */
public record GuardLimits(
        @Doc(value = "Default " + DEFAULT_HOPS + ".", min = 1, max = 64) @Nullable
        Integer hops,

        @Doc(value = "Default " + DEFAULT_PER_MINUTE + ".", min = 1, max = 600) @Nullable
        Integer perMinute,

        @Doc(value = "Beyond these.", min = 0, max = MOST_MORE) @Nullable
        Integer more,

        @Doc("true: none.") @Nullable Boolean stopped) {
    /** What agents and domains begin with. */
    public static final int DEFAULT_HOPS = 24;

    public static final int DEFAULT_PER_MINUTE = 30;

    public static final int MOST_MORE = 1_000;

    /** Returns whether it names nothing. */
    public boolean namesNothing() {
        return hops == null && perMinute == null && more == null && stopped == null;
    }
}
