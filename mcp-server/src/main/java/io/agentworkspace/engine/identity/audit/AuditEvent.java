package io.agentworkspace.engine.identity.audit;

import io.agentworkspace.engine.model.schema.Titled;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The events in the audit that are not tool calls. */
@Titled
public enum AuditEvent {
    SESSION_START,
    SESSION_END,
    SESSION_TOKEN,
    USER_JOINED,
    TENANT_CREATED,
    ACCOUNT_CONNECTED,
    ACCOUNT_DISCONNECTED,
    DOCUMENT_VALIDATED,
    PUSH_CREATED,
    PUSH_DELETED;

    private static final List<String> WORDS =
            Arrays.stream(values()).map(AuditEvent::word).toList();

    /** Returns the name in an entry: {@code session.start}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '.');
    }

    public static List<String> words() {
        return WORDS;
    }
}
