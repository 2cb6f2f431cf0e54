package io.agentworkspace.engine.model;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** How far a delivery is. What has failed is tried again; what is delivered or exhausted has come to its end. */
public enum DeliveryState {
    PENDING,
    DELIVERING,
    DELIVERED,
    FAILED,
    EXHAUSTED;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
