package io.agentworkspace.engine.model.agent;

import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A question that a message asks. */
public record Question(
        @Doc("Identifies it in AP_Answer.") String id,

        @Doc(
                value = "Whether it can still be answered.",
                oneOf = {"open", "answered", "expired", "withdrawn"})
        String state,

        @Doc("The texts to choose from; empty if any text answers it.")
        List<String> choices,

        @Doc("When it expires.") @Nullable Instant expiresAt,
        @Doc("The answer.") @Nullable String answer,
        @Doc("Who answered it.") @Nullable String answeredBy,
        @Doc("When.") @Nullable Instant answeredAt) {}
