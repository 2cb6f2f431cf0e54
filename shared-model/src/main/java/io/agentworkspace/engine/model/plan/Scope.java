package io.agentworkspace.engine.model.plan;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a plan limits, counted for each tenant (decisions, section 9). */
public enum Scope {
    /** Tool calls per UTC day. */
    COMMANDS("wait until then"),
    AGENTS("end one with AP_Destroy"),
    DOMAINS("end one with DM_Destroy"),
    /** Banks, including those in the trash. */
    BANKS("end one for good with MB_Destroy, since those in the trash count too"),
    /** Memories, including those in the trash. */
    MEMORIES("end some for good with MB_Destroy, since those in the trash count too"),
    DOCUMENTS("delete one"),
    WEBHOOK_ENDPOINTS("delete one"),
    /** Tasks that are neither done nor cancelled. */
    TASKS("finish or cancel one with TK_Update");

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

    /** Returns whether the scope counts what exists, rather than what was done on a UTC day. */
    public boolean isStanding() {
        return this != COMMANDS;
    }

    /** Returns how to free some of the limit without changing the plan. */
    public String relief() {
        return relief;
    }
}
