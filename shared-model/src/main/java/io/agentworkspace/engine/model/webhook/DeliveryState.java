package io.agentworkspace.engine.model.webhook;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** The state of a delivery. A failed delivery is retried; a delivered or exhausted one is final. */
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
