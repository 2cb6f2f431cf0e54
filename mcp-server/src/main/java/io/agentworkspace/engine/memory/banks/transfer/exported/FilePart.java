package io.agentworkspace.engine.memory.banks.transfer.exported;

import io.agentworkspace.engine.model.schema.Doc;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A part of an exported file: the texts of all parts after each other are the file, or each is a file of a folder. */
public record FilePart(
        @Doc("The path of this file, if the export is a folder.") @Nullable
        String path,

        @Doc(value = "The text.", verbatim = true) String text,

        @Doc("When this file was last changed, if the export is a folder.") @Nullable
        Instant updatedAt) {
    /** Returns the same part with something before it. */
    public FilePart after(String separator) {
        return new FilePart(path, separator + text, updatedAt);
    }

    static FilePart of(String text) {
        return new FilePart(null, text, null);
    }
}
