package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.memory.banks.transfer.formats.Reasons;
import io.agentworkspace.engine.memory.banks.transfer.source.Place;
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
    final Reasons reasons = new Reasons();
    final List<PreviewedMemory> preview = new ArrayList<>();

    /** A line that was not imported. */
    record RefusedLine(
            @Doc("Its number, counted from 1.") long line,

            @Doc("Its file, if a folder is imported.") @Nullable
            String file,

            @Doc("What was wrong with it.") String note) {}

    /** A conversation or another text that would become a document. */
    record PreviewedDocument(
            @Doc("The document's name.") String name,
            @Doc("The beginning of its text.") String text,

            @Doc("How many turns a conversation has; absent for another text.") @Nullable
            Integer turns) {}

    /** What became of the conversations of an import. */
    record DocumentCounts(
            @Doc("How many the file has.") long found,

            @Doc("How many were submitted, accepted and loaded into the bank.")
            long stored,

            @Doc("How many the bank had already.") long unchanged,

            @Doc("How many are still being validated: send the same import again to load them.")
            long waiting,

            @Doc("How many were refused.") long refused,

            @Doc("With dry_run: the first three.") @Nullable List<PreviewedDocument> preview) {}

    /** A memory that would be stored. */
    record PreviewedMemory(
            @Doc("Its name, if it has one.") @Nullable String name,
            @Doc("The beginning of its text.") String text,
            @Doc("Who would be shown as its author.") String author,
            @Doc("When it was first stored.") Instant createdAt) {}

    void refuse(long line, String note) {
        refused++;
        reasons.add(note, new Place("", line));
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
