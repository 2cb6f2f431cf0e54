package io.agentworkspace.engine.model.task;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How far a task is. */
public enum TaskState {
    OPEN,
    DOING,
    BLOCKED,
    DONE,
    CANCELLED;

    @JsonValue
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static TaskState of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** Returns whether nothing more is to be done. */
    public boolean isFinished() {
        return this == DONE || this == CANCELLED;
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(TaskState::word).toList();
    }
}
