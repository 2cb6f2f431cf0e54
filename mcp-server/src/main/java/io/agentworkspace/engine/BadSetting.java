package io.agentworkspace.engine;

/** A setting or a flag that cannot be understood. The message is one line that names it and says what would be right. */
final class BadSetting extends RuntimeException {
    BadSetting(String message) {
        super(message.replaceAll("\\R", " "));
    }
}
