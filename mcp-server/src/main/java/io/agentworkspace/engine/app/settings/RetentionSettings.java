package io.agentworkspace.engine.app.settings;

import java.util.Map;

/**
 * For how many days data is kept.
 *
 * @param auditDays entries of the audit
 * @param eventsDays events and their deliveries
 * @param tasksDays tasks that are done or cancelled
 */
public record RetentionSettings(int auditDays, int eventsDays, int tasksDays) {
    static final Setting<Integer> AUDIT_DAYS = Setting.of(
            "ENGINE_AUDIT_DAYS",
            "90",
            "days to keep the audit",
            "a number from 1 to 3650",
            SettingParsers.number(1, 3_650));
    static final Setting<Integer> EVENTS_DAYS = Setting.of(
            "ENGINE_EVENTS_DAYS",
            "30",
            "days to keep events and their deliveries",
            "a number from 4 to 3650",
            SettingParsers.number(4, 3_650));

    static final Setting<Integer> TASKS_DAYS = Setting.of(
            "ENGINE_TASKS_DAYS",
            "90",
            "days to keep tasks that are done or cancelled",
            "a number from 1 to 3650",
            SettingParsers.number(1, 3_650));

    static RetentionSettings read(Map<String, String> values) {
        return new RetentionSettings(AUDIT_DAYS.read(values), EVENTS_DAYS.read(values), TASKS_DAYS.read(values));
    }
}
