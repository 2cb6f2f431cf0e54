package io.agentworkspace.engine.integrations.webhooks;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Titled;
import java.util.Locale;

/** The state of a delivery. A failed delivery is retried; a delivered or exhausted one is final. */
@Titled
enum DeliveryState {
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
