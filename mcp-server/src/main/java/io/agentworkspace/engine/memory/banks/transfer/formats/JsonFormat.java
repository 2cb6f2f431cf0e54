package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.ImportSource;
import io.agentworkspace.engine.memory.banks.transfer.source.JsonValues;
import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import java.io.IOException;
import tools.jackson.databind.JsonNode;

/** A format of JSON files, each of which has a list of entries, JSON lines or one object. */
interface JsonFormat extends ImportFormat {
    /** Returns whether an entry has the shape of this format. */
    boolean has(JsonNode entry);

    /** Adds an entry to the records, if it has a shape that the format can have. */
    boolean take(JsonNode entry, Place at, Records out);

    /** Called after the last entry. */
    default void end(Records out) {}

    /** Returns a reader for one import: this, if the format keeps nothing between entries. */
    default JsonFormat begin() {
        return this;
    }

    @Override
    default boolean recognises(ImportSource source, Sampled sampled) {
        return sampled.has(this);
    }

    @Override
    default void read(ImportSource source, CsvMapping mapping, Records out) throws IOException {
        var reader = begin();
        for (var part : source.parts()) {
            if (source.isJson(part)) {
                read(part, reader, out);
            } else {
                out.leaveOut("a file without entries of %s was left out".formatted(product()), part.place(1));
            }
        }
        reader.end(out);
    }

    private void read(ImportSource.Part part, JsonFormat reader, Records out) throws IOException {
        part.values((JsonValues.Value value) -> {
            var at = part.place(value.number());
            if (value.fault() != null) {
                out.refuse(value.fault(), at);
            } else if (!reader.take(value.json(), at, out)) {
                unknown(part, at, out);
            }
            return true;
        });
    }

    /** An entry of a single file has to be of the format; a folder has other files too. */
    private void unknown(ImportSource.Part part, Place at, Records out) {
        if (part.path().isEmpty()) {
            out.refuse("the entry is not one of %s".formatted(product()), at);
        } else {
            out.leaveOut("an entry that is not one of %s was left out".formatted(product()), at);
        }
    }
}
