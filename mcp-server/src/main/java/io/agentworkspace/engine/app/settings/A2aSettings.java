package io.agentworkspace.engine.app.settings;

import java.util.Map;

/**
 * The settings of A2A.
 *
 * @param on whether the endpoint is there
 * @param isPublic whether strangers may see the cards of public agents
 */
public record A2aSettings(boolean on, boolean isPublic) {
    static final Setting<Boolean> A2A = Setting.of(
            "ENGINE_A2A",
            "on",
            "whether agents talk by A2A: those here at /a2a, those elsewhere at their addresses",
            "on or off",
            A2aSettings::isOn);
    static final Setting<Boolean> PUBLIC = Setting.of(
            "ENGINE_A2A_PUBLIC",
            "false",
            "show the A2A cards of public agents to everybody, also without a credential",
            "true or false",
            SettingParsers::yesOrNo);

    private static boolean isOn(String text) {
        return switch (text) {
            case "on" -> true;
            case "off" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }

    static A2aSettings read(Map<String, String> values) {
        return new A2aSettings(A2A.read(values), PUBLIC.read(values));
    }
}
