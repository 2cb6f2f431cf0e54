package io.agentworkspace.engine.memory.banks.transfer.exported;

import java.time.Instant;
import java.util.Optional;

/** A form of an export that other products read. */
public sealed interface ExportFormat permits CsvExport, GraphFormat, JsonLinesFormat, MarkdownFormat, Mem0Format {
    String ENGINE = "engine";
    String JSONL = "jsonl";
    String MARKDOWN = "markdown";
    String MEM0 = "mem0";
    String GRAPH = "graph";
    String CSV = "csv";

    String mediaType();

    /** Returns whether each part is a file of a folder, which is sent as a zip. */
    default boolean isFolder() {
        return false;
    }

    /** Returns the part before the first memory. */
    default Optional<FilePart> begin() {
        return Optional.empty();
    }

    /** Returns what is between the parts of two memories. */
    default String separator() {
        return "";
    }

    /** Returns the part after the last memory. */
    default Optional<FilePart> end() {
        return Optional.empty();
    }

    /** Returns a memory's part; empty if this form has no memory like it. */
    Optional<FilePart> part(ExportedMemory memory, Instant now);

    /** Returns the form of this name. */
    static ExportFormat of(String name) {
        return switch (name) {
            case JSONL -> new JsonLinesFormat();
            case MARKDOWN -> new MarkdownFormat();
            case MEM0 -> new Mem0Format();
            case GRAPH -> new GraphFormat();
            case CSV -> new CsvExport();
            default -> throw new IllegalArgumentException(name);
        };
    }
}
