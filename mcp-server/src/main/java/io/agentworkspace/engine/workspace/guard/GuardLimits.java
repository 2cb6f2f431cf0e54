package io.agentworkspace.engine.workspace.guard;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import org.jspecify.annotations.Nullable;

/** How far agents may go without a person; what is left out stays as it is. Requests with a part of it use the same constants. */
@Titled
public record GuardLimits(
        @Doc(value = HOPS, min = 1, max = MOST_HOPS) @Nullable
        Integer hops,

        @Doc(value = PER_MINUTE, min = 1, max = MOST_PER_MINUTE) @Nullable
        Integer perMinute,

        @Doc(value = MORE, min = 0, max = MOST_MORE) @Nullable
        Integer more,

        @Doc(STOPPED) @Nullable Boolean stopped) {
    /** What agents and domains begin with. */
    public static final int DEFAULT_HOPS = 24;

    public static final int DEFAULT_PER_MINUTE = 30;

    public static final int MOST_HOPS = 64;

    public static final int MOST_PER_MINUTE = 600;

    public static final int MOST_MORE = 1_000;

    public static final String HOPS = "Default " + DEFAULT_HOPS + ".";

    public static final String PER_MINUTE = "Default " + DEFAULT_PER_MINUTE + ".";

    public static final String MORE = "Beyond these.";

    public static final String STOPPED = "None may send.";

    /** Returns whether it names nothing. */
    public boolean namesNothing() {
        return hops == null && perMinute == null && more == null && stopped == null;
    }
}
