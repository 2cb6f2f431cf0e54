package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.ImportSource;
import java.io.IOException;

/** A format of another product. */
interface ImportFormat {
    /** Returns its word in the field {@code format}. */
    String word();

    /** Returns what people call it. */
    String product();

    /** Returns whether what was sent has its shape. */
    boolean recognises(ImportSource source, Sampled sampled) throws IOException;

    /** Reads what was sent. What cannot be read is refused in the records, and does not end the import. */
    void read(ImportSource source, CsvMapping mapping, Records out) throws IOException;
}
