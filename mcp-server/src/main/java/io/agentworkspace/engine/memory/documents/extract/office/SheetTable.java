package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.CsvExtractor;
import java.util.ArrayList;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Writes the rows of a sheet below a heading with its name. The first row with more than one cell is the header; single
 * cells above it are paragraphs.
 */
final class SheetTable {
    private record Row(int number, Map<Integer, String> cells) {}

    /** Of more, the first is the header of a table with one column. */
    private static final int MOST_TITLES = 50;

    private final ArrayList<Row> titles = new ArrayList<>();
    private final String name;
    private final boolean isHidden;
    private final BlockWriter out;
    private boolean hasHeading;
    private boolean hasHeader;
    /** The first column of the header. */
    private int from = Integer.MAX_VALUE;

    SheetTable(String name, boolean isHidden, BlockWriter out) {
        this.name = name;
        this.isHidden = isHidden;
        this.out = out;
    }

    /** @param cells by their columns, from 0 */
    void add(int number, Map<Integer, String> cells) {
        var filled = cells.values().stream().filter(cell -> !cell.isBlank()).count();
        if (filled == 0) {
            return;
        }
        var row = new Row(number, Map.copyOf(cells));
        if (hasHeader) {
            write(BlockKind.ROW, row);
        } else if (filled == 1) {
            titles.add(row);
            if (titles.size() > MOST_TITLES) {
                end();
            }
        } else {
            titles.forEach(title -> write(BlockKind.PARAGRAPH, title));
            titles.clear();
            write(BlockKind.HEADER, row);
            hasHeader = true;
        }
    }

    /** A sheet with a single column is a table, too. */
    void end() {
        for (var row : titles) {
            write(hasHeader ? BlockKind.ROW : BlockKind.HEADER, row);
            hasHeader = true;
        }
        titles.clear();
    }

    private void write(BlockKind kind, Row row) {
        if (!hasHeading) {
            out.add(BlockKind.HEADING, 1, isHidden ? name + " (hidden sheet)" : name, "sheet " + name);
            hasHeading = true;
        }
        var columns = row.cells().entrySet().stream()
                .filter(cell -> !cell.getValue().isBlank())
                .mapToInt(Map.Entry::getKey)
                .summaryStatistics();
        from = kind == BlockKind.PARAGRAPH ? from : Math.min(from, columns.getMin());
        var cells = IntStream.rangeClosed(kind == BlockKind.PARAGRAPH ? columns.getMin() : from, columns.getMax())
                .mapToObj(column -> row.cells().getOrDefault(column, ""))
                .toList();
        out.add(kind, 0, CsvExtractor.joined(cells), "sheet %s, row %d".formatted(name, row.number()));
    }
}
