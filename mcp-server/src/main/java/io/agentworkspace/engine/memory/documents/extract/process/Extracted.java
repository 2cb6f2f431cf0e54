package io.agentworkspace.engine.memory.documents.extract.process;

import io.agentworkspace.engine.memory.documents.extract.Block;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report of the extraction process about a file.
 *
 * @param type null if it is not accepted
 * @param turns of a conversation; null for other files
 * @param parts the blocks in JSON arrays of about the same length, in order
 */
public record Extracted(
        @Nullable DocumentType type,
        List<DocumentReason> reasons,
        long characters,
        @Nullable Long turns,
        List<Part> parts) {
    /** The approximate number of characters in a part. */
    private static final int PART = 32_000;

    /** Some blocks, in JSON. */
    public record Part(long characters, String blocks) {}

    /** The first frame of a report; the parts follow. */
    record Head(
            @Nullable DocumentType type,
            List<DocumentReason> reasons,
            long characters,
            @Nullable Long turns,
            int parts) {}

    /** Returns the blocks in the parts in which they are sent. */
    static List<List<Block>> parts(List<Block> blocks) {
        var parts = new ArrayList<List<Block>>();
        var from = 0;
        var size = 0;
        for (var i = 0; i < blocks.size(); i++) {
            size += blocks.get(i).text().length();
            if (size >= PART) {
                parts.add(blocks.subList(from, i + 1));
                from = i + 1;
                size = 0;
            }
        }
        if (from < blocks.size()) {
            parts.add(blocks.subList(from, blocks.size()));
        }
        return parts;
    }

    static long characters(List<Block> blocks) {
        return blocks.stream().mapToLong(block -> block.text().length()).sum();
    }
}
