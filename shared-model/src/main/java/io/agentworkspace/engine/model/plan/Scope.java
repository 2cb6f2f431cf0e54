package io.agentworkspace.engine.model.plan;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a plan limits, counted for each tenant (decisions, section 9). */
public enum Scope {
    /** Calls of tools on a UTC day. */
    COMMANDS("wait until then"),
    AGENTS("end one with AP_Destroy"),
    DOMAINS("end one with DM_Destroy"),
    /** Including those in the trash. */
    BANKS("end one for good with MB_Destroy, since those in the trash count too"),
    /** Including those in the trash. */
    MEMORIES("end some for good with MB_Destroy, since those in the trash count too"),
    DOCUMENTS("delete one"),
    WEBHOOK_ENDPOINTS("delete one");

    private final String relief;

    Scope(String relief) {
        this.relief = relief;
    }

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Scope of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** Whether it counts what exists, and not what was done on a UTC day. */
    public boolean isStanding() {
        return this != COMMANDS;
    }

    /** How to make room without another plan. */
    public String relief() {
        return relief;
    }
}
