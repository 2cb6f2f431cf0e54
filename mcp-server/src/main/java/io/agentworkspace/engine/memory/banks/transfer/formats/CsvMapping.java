package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** Which columns of a table have the fields of a memory. */
public record CsvMapping(
        @Doc(value = "The column of the text.", max = 200) @Nullable
        String text,

        @Doc(value = "The column of the name.", max = 200) @Nullable
        String name,

        @Doc(value = "The column of the tags, with commas between them.", max = 200) @Nullable
        String tags,

        @Doc(value = "The column of the author.", max = 200) @Nullable
        String author,

        @Doc(value = "The column of the time.", max = 200) @Nullable
        String createdAt) {
    /** No mapping: columns are found by their usual names. */
    static final CsvMapping NONE = new CsvMapping(null, null, null, null, null);
}
