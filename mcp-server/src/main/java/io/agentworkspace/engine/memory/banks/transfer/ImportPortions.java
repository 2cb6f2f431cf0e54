package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.banks.transfer.ImportReport.RefusedLine;
import io.agentworkspace.engine.memory.banks.transfer.formats.Records.ImportedLine;
import io.agentworkspace.engine.memory.banks.transfer.source.LineReader;
import io.agentworkspace.engine.memory.banks.transfer.source.LineReader.RawLine;
import io.agentworkspace.engine.memory.banks.transfer.source.MarkdownSections;
import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The transactions of an import: 500 lines each, or fewer long ones. */
final class ImportPortions {
    /** How many lines one transaction stores. */
    static final int LINES = 500;

    /** The maximum size of an import of lines, in bytes. */
    static final long MOST_BYTES = 512L << 20;

    /** The maximum number of lines of an import. */
    static final long MOST_LINES = MarkdownSections.MOST_LINES;

    /** A portion ends with the line that exceeds this. */
    private static final int FULL = ImportTool.MOST_CHARACTERS - 2 * LineReader.LONGEST;

    private final String format;
    private final @Nullable LineReader lines;
    private final List<ImportedLine> read;
    private final List<RefusedLine> skipped;
    private long next = 1;

    /**
     * Lines for one transaction.
     *
     * @param lines the lines; one that cannot be read is empty
     * @param faults the lines that cannot be read
     */
    record Portion(String format, long firstLine, List<String> lines, List<RefusedLine> faults) {
        String data() {
            return String.join("\n", lines);
        }

        /** Returns the first lines only. */
        Portion first(int count) {
            return new Portion(format, firstLine, lines.subList(0, count), faults);
        }
    }

    private ImportPortions(
            String format, @Nullable LineReader lines, List<ImportedLine> read, List<RefusedLine> skipped) {
        this.format = format;
        this.lines = lines;
        this.read = read;
        this.skipped = skipped;
    }

    /** Returns the portions of a file of one of our own formats. */
    static ImportPortions of(String format, InputStream file, HeavyWork heavy) throws IOException {
        if (!format.equals(ImportTool.MARKDOWN)) {
            return of(format, file);
        }
        var bytes = file.readNBytes(MarkdownFolder.MOST_BYTES + 1);
        return of(heavy.run(() -> bytes.length > 1 && bytes[0] == 'P' && bytes[1] == 'K'
                ? MarkdownFolder.ofZip(bytes)
                : MarkdownFolder.ofText(bytes)));
    }

    /** Returns the portions of lines. */
    static ImportPortions of(String format, InputStream lines) {
        return new ImportPortions(format, new LineReader(lines, MOST_BYTES), List.of(), List.of());
    }

    private static ImportPortions of(MarkdownFolder folder) {
        var lines = folder.sections().stream()
                .map(section ->
                        new ImportedLine(Json.text(section.memory()), new Place(section.file(), section.line())))
                .toList();
        return new ImportPortions(ImportTool.JSONL, null, lines, folder.skipped());
    }

    /** Returns the portions of memories that were read from the format of another product, or as one list. */
    static ImportPortions of(String recognised, List<ImportedLine> read) {
        var format = recognised.equals(ImportTool.ENGINE) ? ImportTool.ENGINE : ImportTool.JSONL;
        return new ImportPortions(format, null, read, List.of());
    }

    /** Returns what is refused without being a line: files of a folder that are not Markdown. */
    List<RefusedLine> skipped() {
        return skipped;
    }

    /** Returns the place of a line in its file. */
    Place place(long line) {
        return read.isEmpty() ? new Place("", line) : read.get((int) line - 1).place();
    }

    /** Returns a refused line with its place in its file. */
    RefusedLine placed(RefusedLine line) {
        var place = place(line.line());
        var file = read.isEmpty() ? line.file() : place.file();
        return new RefusedLine(place.line(), file, line.note());
    }

    /** Returns the next portion, which is empty after the last one. */
    Portion next() throws IOException {
        var first = next;
        var texts = new ArrayList<String>();
        var faults = new ArrayList<RefusedLine>();
        var length = 0;
        while (texts.size() < LINES && length < FULL) {
            var line = line();
            if (line == null) {
                break;
            }
            texts.add(line.text());
            length += line.text().length();
            if (line.fault() != null) {
                faults.add(new RefusedLine(next, null, line.fault()));
            }
            if (++next > MOST_LINES + 1) {
                throw Problem.tooLarge("the file", next - 1, MOST_LINES, "lines or more");
            }
        }
        return new Portion(format, first, texts, faults);
    }

    private @Nullable RawLine line() throws IOException {
        if (lines != null) {
            return lines.next();
        }
        var index = (int) next - 1;
        return index < read.size() ? new RawLine(read.get(index).memory(), null) : null;
    }
}
