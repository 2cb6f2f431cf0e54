package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Excerpt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of the lines of an import. */
final class ImportReport {
    /** The maximum number of refused lines that a response names. The rest are only counted. */
    static final int NAMED = 100;

    /** The maximum number of memories that a preview shows. */
    static final int SHOWN = 10;

    private static final int EXCERPT = 160;

    long lines;
    long stored;
    long replaced;
    long revisions;
    long unchanged;
    long refused;
    final List<RefusedLine> refusals = new ArrayList<>();
    final List<PreviewedMemory> preview = new ArrayList<>();

    /** A line that was not imported. */
    record RefusedLine(
            @Doc("Its number, counted from 1.") long line,

            @Doc("Its file, if a folder is imported.") @Nullable
            String file,

            @Doc("What was wrong with it.") String note) {}

    /** A memory that would be stored. */
    record PreviewedMemory(
            @Doc("Its name, if it has one.") @Nullable String name,
            @Doc("The beginning of its text.") String text,
            @Doc("Who would be shown as its author.") String author,
            @Doc("When it was first stored.") Instant createdAt) {}

    void refuse(long line, String note) {
        refused++;
        if (refusals.size() < NAMED) {
            refusals.add(new RefusedLine(line, null, note));
        }
    }

    void show(@Nullable String name, String text, String author, Instant createdAt) {
        if (preview.size() < SHOWN) {
            preview.add(new PreviewedMemory(name, Excerpt.of(text, EXCERPT), author, createdAt));
        }
    }
}
