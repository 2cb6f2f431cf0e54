package io.agentworkspace.engine.model.document;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.model.schema.Doc;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One finding of validation (decisions, section 13): why a document was rejected, or a warning about an accepted one.
 */
public record DocumentReason(
        @Doc("What was found, such as damaged or encrypted.")
        Code code,

        @Doc("What it is, and what to do.") String message,

        @Doc("Where it is, such as page 3 or line 120; absent if it is about the whole document.") @Nullable
        String position) {

    /** The kinds of findings. */
    public enum Code {
        TYPE_NOT_ALLOWED,
        TYPE_MISMATCH,
        ENCODING,
        EMPTY,
        TOO_LARGE,
        DAMAGED,
        ENCRYPTED,
        DUPLICATE,
        NO_TEXT,
        RULE,
        SECRETS,
        /** The text addresses agents. This is a warning. */
        INSTRUCTIONS,
        /** Some bytes are not in the text's encoding. This is a warning. */
        ENCODING_FAULTS,
        /** A part of the file that the others do not need cannot be read. This is a warning. */
        PART_DAMAGED;

        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        @JsonCreator
        public static Code of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** Returns whether the finding is a warning about an accepted document. */
    public boolean warns() {
        return code == Code.INSTRUCTIONS || code == Code.ENCODING_FAULTS || code == Code.PART_DAMAGED;
    }

    public static DocumentReason of(Code code, String message) {
        return new DocumentReason(code, message, null);
    }
}
