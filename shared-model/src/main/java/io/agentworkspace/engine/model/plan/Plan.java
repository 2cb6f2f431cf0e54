package io.agentworkspace.engine.model.plan;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** How much a tenant may have and do: a limit for each {@link Scope}, in the scopes' order (decisions, section 9). */
public enum Plan {
    FREE(10_000, 25, 10, 10, 10_000, 100, 3, 1_000),
    TEAM(250_000, 250, 100, 100, 250_000, 2_500, 20, 25_000),
    SCALE(5_000_000, 5_000, 2_000, 2_000, 5_000_000, 50_000, 100, 500_000),
    UNLIMITED;

    private final long[] limits;

    Plan(long... limits) {
        this.limits = limits;
    }

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Plan of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** Returns the limit of the scope; empty if it is not limited. */
    public OptionalLong limit(Scope scope) {
        return isUnlimited() ? OptionalLong.empty() : OptionalLong.of(limits[scope.ordinal()]);
    }

    boolean isUnlimited() {
        return limits.length == 0;
    }

    /** Returns the plans that have limits. */
    public static List<Plan> limited() {
        return Arrays.stream(values()).filter(plan -> !plan.isUnlimited()).toList();
    }
}
