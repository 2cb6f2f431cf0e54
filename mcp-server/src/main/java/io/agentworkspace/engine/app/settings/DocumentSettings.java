package io.agentworkspace.engine.app.settings;

import java.time.Duration;
import java.util.Map;

/**
 * How documents are validated and kept.
 *
 * @param longest how long the extraction of one document's text may take
 * @param rejectedDays for how many days rejected documents are kept
 */
public record DocumentSettings(Duration longest, int rejectedDays) {
    static final Setting<Integer> SECONDS = Setting.of(
            "ENGINE_DOCUMENT_SECONDS",
            "30",
            "how many seconds it may take to extract the text of one document",
            "a number from 1 to 600",
            SettingParsers.number(1, 600));
    static final Setting<Integer> REJECTED_DAYS = Setting.of(
            "ENGINE_REJECTED_DOCUMENT_DAYS",
            "30",
            "days to keep rejected documents",
            "a number from 1 to 3650",
            SettingParsers.number(1, 3_650));

    static DocumentSettings read(Map<String, String> values) {
        return new DocumentSettings(Duration.ofSeconds(SECONDS.read(values)), REJECTED_DAYS.read(values));
    }
}
