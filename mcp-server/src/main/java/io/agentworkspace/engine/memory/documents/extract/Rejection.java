package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import org.jspecify.annotations.Nullable;

/** The reason why a document cannot be accepted, found during extraction. */
public final class Rejection extends RuntimeException {
    private final transient DocumentReason reason;

    Rejection(Code code, String message) {
        this(code, message, null);
    }

    Rejection(Code code, String message, @Nullable String position) {
        super(message, null, false, false);
        this.reason = new DocumentReason(code, message, position);
    }

    static Rejection damaged(String message, @Nullable String position) {
        return new Rejection(Code.DAMAGED, message, position);
    }

    DocumentReason reason() {
        return reason;
    }
}
