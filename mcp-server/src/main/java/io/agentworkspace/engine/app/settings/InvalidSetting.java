package io.agentworkspace.engine.app.settings;

/** A setting or a flag is invalid. The message is one line that names it and states what would be right. */
public final class InvalidSetting extends RuntimeException {
    public InvalidSetting(String message) {
        super(message.replaceAll("\\R", " "));
    }
}
