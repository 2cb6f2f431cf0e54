package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import java.util.List;
import java.util.stream.Collectors;

/** Extracts the records of CSV as rows of a table. Formulas are plain text and are not evaluated. */
public final class CsvExtractor {
    static final String BETWEEN = " | ";

    private CsvExtractor() {}

    public static void extract(String text, BlockWriter out) {
        var reader = new CsvFormat.Reader(text, CsvFormat.called(text));
        var isFirst = true;
        for (var row = reader.next(); row.isPresent(); row = reader.next()) {
            var cells = joined(row.get().cells());
            if (!cells.isEmpty()) {
                out.add(
                        isFirst ? BlockKind.HEADER : BlockKind.ROW,
                        0,
                        cells,
                        "line " + row.get().line());
                isFirst = false;
            }
        }
    }

    /** Returns an empty text if all cells are empty. */
    public static String joined(List<String> cells) {
        // The cells of a row can be the same long text many times.
        BlockWriter.checkLength(cells.stream().mapToLong(String::length).sum(), "table");
        return cells.stream().allMatch(String::isBlank)
                ? ""
                : cells.stream().map(String::strip).collect(Collectors.joining(BETWEEN));
    }
}
