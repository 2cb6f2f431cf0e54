package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

/**
 * The open tables of an HTML document, each in a cell of the one before. The tables in the cells of a row follow this row; if the outer
 * table goes on, it begins again with its header.
 */
final class HtmlTables {
    private final BlockWriter out;
    private final Deque<Table> open = new ArrayDeque<>();

    HtmlTables(BlockWriter out) {
        this.out = out;
    }

    /** A row, or the caption, of a table in a cell. */
    private record Line(BlockKind kind, String text, String position) {}

    private static final class Table {
        private final List<String> cells = new ArrayList<>();
        private final List<Line> inner = new ArrayList<>();

        /** What the cell around it said before it. */
        private final String before;

        private Line header = new Line(BlockKind.HEADER, "", "");
        private boolean isFirstRow = true;
        private boolean isInterrupted;

        Table(String before) {
            this.before = before;
        }
    }

    boolean isOpen() {
        return !open.isEmpty();
    }

    /** @param before what the cell says in which the table is */
    void begin(String before) {
        open.push(new Table(before));
    }

    void endCell(String text) {
        current().cells.add(text);
    }

    void caption(String text, String position) {
        if (!text.isBlank()) {
            add(new Line(BlockKind.PARAGRAPH, text, position));
        }
    }

    void endRow(String position) {
        var table = current();
        var row = CsvExtractor.joined(table.cells);
        if (!row.isEmpty()) {
            addRow(table, row, position);
        }
        table.cells.clear();
        table.isInterrupted |= !table.inner.isEmpty();
        table.inner.forEach(this::add);
        table.inner.clear();
    }

    private void addRow(Table table, String row, String position) {
        if (table.isInterrupted && !table.isFirstRow) {
            table.isFirstRow = !table.header.text().contains(CsvExtractor.BETWEEN);
            if (!table.isFirstRow) {
                add(table.header);
            }
        }
        table.isInterrupted = false;
        var line = new Line(table.isFirstRow ? BlockKind.HEADER : BlockKind.ROW, row, position);
        if (table.isFirstRow) {
            table.header = line;
            table.isFirstRow = false;
        }
        add(line);
    }

    /** Returns what the cell says in which the table is. */
    String end(String position) {
        endRow(position);
        return open.pop().before;
    }

    private Table current() {
        return Objects.requireNonNull(open.peek());
    }

    /** Adds a line of the current table, after the row around it if there is one. */
    private void add(Line line) {
        var tables = open.iterator();
        tables.next();
        if (tables.hasNext()) {
            tables.next().inner.add(line);
        } else {
            out.add(line.kind(), 0, line.text(), line.position());
        }
    }
}
