package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Bounds;
import io.agentworkspace.engine.memory.documents.extract.CsvExtractor;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/** A table or a sheet of an OpenDocument file while it is read. */
final class OdfTable {
    private static final Pattern CLOCK = Pattern.compile("PT([01]\\d|2[0-3])H(\\d\\d)M(\\d\\d)(?:\\.\\d+)?S");

    private final @Nullable String sheet;
    private final BlockWriter out;
    private final SheetTable rows;
    private final Map<Integer, String> cells = new LinkedHashMap<>();
    private final StringBuilder cell = new StringBuilder();
    /** The rows, if the table is in a cell of another. */
    private final StringBuilder inner = new StringBuilder();

    private String value = "";
    private int column;
    private int row;
    private int columns = 1;
    private int repeated = 1;
    private boolean hasRows;

    /** @param sheet its name, if it is a sheet */
    OdfTable(@Nullable String sheet, boolean isHidden, BlockWriter out) {
        this.sheet = sheet;
        this.out = out;
        this.rows = new SheetTable(String.valueOf(sheet), isHidden, out);
    }

    void beginRow(XMLStreamReader reader) {
        cells.clear();
        column = 0;
        repeated = count(reader, "number-rows-repeated");
    }

    void beginCell(XMLStreamReader reader) {
        cell.setLength(0);
        columns = count(reader, "number-columns-repeated");
        value = switch (ZipPackage.attribute(reader, "value-type")) {
            case "date" ->
                ZipPackage.attribute(reader, "date-value")
                        .replaceFirst("T00:00:00(\\.0+)?$", "")
                        .replaceFirst("(T\\d\\d:\\d\\d):00(\\.0+)?$", "$1")
                        .replace('T', ' ');
            case "time" -> clock(ZipPackage.attribute(reader, "time-value"));
            default -> "";
        };
    }

    /** Returns a time of a day; nothing for a longer time, whose text is as the program shows it. */
    private static String clock(String time) {
        var parts = CLOCK.matcher(time);
        if (!parts.matches()) {
            return "";
        }
        var seconds = parts.group(3).equals("00") ? "" : ":" + parts.group(3);
        return parts.group(1) + ":" + parts.group(2) + seconds;
    }

    private static int count(XMLStreamReader reader, String attribute) {
        var count = ZipPackage.attribute(reader, attribute);
        return count.matches("\\d{1,7}") ? Math.max(1, Integer.parseInt(count)) : 1;
    }

    void addToCell(CharSequence text) {
        cell.append(cell.isEmpty() || text.isEmpty() ? "" : " ").append(text);
        BlockWriter.checkLength(cell.length(), "table");
    }

    void endCell() {
        var text = value.isEmpty() ? cell.toString() : value;
        var last = text.isBlank() ? column + columns : Math.min(column + columns, Bounds.COLUMNS);
        if (column >= Bounds.COLUMNS && !text.isBlank()) {
            throw Rejection.damaged("a row has more columns than any program writes", place());
        }
        for (var i = column; i < last && !text.isBlank(); i++) {
            cells.put(i, text);
        }
        column = last;
        cell.setLength(0);
        value = "";
    }

    /** Returns where the current row is; null if it is not in a sheet. */
    @Nullable
    String place() {
        return sheet == null ? null : "sheet %s, row %d".formatted(sheet, row + 1);
    }

    void endRow(boolean isInner, String position) {
        var isEmpty = cells.isEmpty();
        if (sheet != null) {
            for (var i = 0; i < repeated && !isEmpty; i++) {
                rows.add(row + i + 1, cells);
            }
            row += repeated;
        } else if (!isEmpty) {
            var text = CsvExtractor.joined(list());
            if (isInner) {
                inner.append(inner.isEmpty() ? "" : " ").append(text);
                BlockWriter.checkLength(inner.length(), position);
            } else {
                out.add(hasRows ? BlockKind.ROW : BlockKind.HEADER, 0, text, position);
                hasRows = true;
            }
        }
        cells.clear();
    }

    private List<String> list() {
        var list = new ArrayList<String>();
        for (var i = 0; i < Math.min(column, Bounds.COLUMNS); i++) {
            list.add(cells.getOrDefault(i, ""));
        }
        return list;
    }

    void end() {
        rows.end();
    }

    CharSequence rows() {
        return inner;
    }
}
