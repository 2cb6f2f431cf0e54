package io.agentworkspace.engine.memory.documents;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Titled;
import java.util.Locale;

/** The state of a document, in the order of processing (decisions, section 10). */
@Titled
enum DocumentState {
    QUEUED,
    VALIDATING,
    ACCEPTED,
    REJECTED;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    @JsonCreator
    public static DocumentState of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
