package io.agentworkspace.engine.memory.documents.extract;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * CSV as RFC 4180 describes it, with any separator.
 *
 * @param start where the first record begins: after the line {@code sep=;} that spreadsheets write, if there is one
 */
public record CsvFormat(char separator, int start) {
    private static final char[] SEPARATORS = {',', ';', '\t', '|'};
    private static final int SAMPLE = 100;
    private static final int WIDEST = 1_000;

    /** The most characters in a cell of a table with two records of two cells. */
    private static final int SHORT = 60;

    private static final Pattern NAMED_SEPARATOR = Pattern.compile("\\A\"?sep=(.)\"?\\r?\\n", Pattern.CASE_INSENSITIVE);

    /** A record, and the line that it begins on. */
    public record Row(int line, List<String> cells) {}

    /** Reads the records in order. */
    public static final class Reader {
        private final String text;
        private final char separator;
        private int at;
        private int line;

        public Reader(String text, CsvFormat format) {
            this.text = text;
            this.separator = format.separator();
            this.at = format.start();
            this.line = at == 0 ? 1 : 2;
        }

        /** Returns the next record; empty at the end. */
        public Optional<Row> next() {
            if (at >= text.length()) {
                return Optional.empty();
            }
            var startLine = line;
            var cells = new ArrayList<String>();
            while (true) {
                cells.add(cell(startLine));
                if (at < text.length() && text.charAt(at) == separator) {
                    at++;
                    if (at == text.length()) {
                        cells.add("");
                    } else {
                        continue;
                    }
                }
                break;
            }
            endLine();
            return Optional.of(new Row(startLine, cells));
        }

        private String cell(int startLine) {
            if (at < text.length() && text.charAt(at) == '"') {
                return quoted(startLine);
            }
            var from = at;
            while (at < text.length() && text.charAt(at) != separator && !isEnd(text.charAt(at))) {
                at++;
            }
            return text.substring(from, at);
        }

        private String quoted(int startLine) {
            var cell = new StringBuilder();
            at++;
            while (at < text.length()) {
                var c = text.charAt(at++);
                if (c == '"') {
                    if (at < text.length() && text.charAt(at) == '"') {
                        at++;
                    } else {
                        while (at < text.length() && text.charAt(at) != separator && !isEnd(text.charAt(at))) {
                            cell.append(text.charAt(at++));
                        }
                        return cell.toString();
                    }
                } else if (c == '\n') {
                    line++;
                }
                cell.append(c);
            }
            throw Rejection.damaged("a quotation mark is opened and never closed", "line " + startLine);
        }

        private void endLine() {
            if (at < text.length() && text.charAt(at) == '\r') {
                at++;
            }
            if (at < text.length() && text.charAt(at) == '\n') {
                at++;
            }
            line++;
        }

        private static boolean isEnd(char c) {
            return c == '\n' || c == '\r';
        }
    }

    /**
     * Returns the format in which the beginning of the text is a table: nearly all records have the same number of cells.
     */
    public static Optional<CsvFormat> of(String text) {
        var named = NAMED_SEPARATOR.matcher(text);
        if (named.find()) {
            return Optional.of(new CsvFormat(named.group(1).charAt(0), named.end()));
        }
        CsvFormat best = null;
        var most = 0;
        for (var separator : SEPARATORS) {
            var width = width(text, separator);
            if (width > most) {
                most = width;
                best = new CsvFormat(separator, 0);
            }
        }
        return Optional.ofNullable(best);
    }

    /** Returns the number of columns; 0 if the text is not a table. */
    private static int width(String text, char separator) {
        var rows = sample(text, separator);
        if (rows.size() < 2) {
            return 0;
        }
        var width = rows.getFirst().cells().size();
        var same = rows.stream().filter(row -> row.cells().size() == width).count();
        var isTable = width >= 2
                && width <= WIDEST
                && (width > 2 || rows.size() > 2 || rows.stream().allMatch(row -> isPair(row.cells())))
                && same * 10 >= rows.size() * 9L
                && rows.getFirst().cells().stream().allMatch(CsvFormat::isTitle)
                && !isProse(rows, separator);
        return isTable ? width : 0;
    }

    private static List<Row> sample(String text, char separator) {
        var reader = new Reader(text, new CsvFormat(separator, 0));
        var rows = new ArrayList<Row>();
        try {
            for (var row = reader.next(); row.isPresent() && rows.size() < SAMPLE; row = reader.next()) {
                if (row.get().cells().size() > 1
                        || !row.get().cells().getFirst().isBlank()) {
                    rows.add(row.get());
                }
            }
        } catch (Rejection unclosed) {
            return rows; // If the rest is a table, its extraction reports this.
        }
        return rows;
    }

    /** Returns whether two cells are values rather than the halves of a sentence. */
    private static boolean isPair(List<String> cells) {
        return cells.stream()
                .allMatch(cell -> !cell.isBlank()
                        && cell.equals(cell.strip())
                        && cell.length() <= SHORT
                        && !cell.matches(".*[.!?:,;]"));
    }

    /**
     * Returns the format of a text that is called CSV, although its records have different numbers of cells: the
     * separator that most lines contain.
     */
    public static CsvFormat called(String text) {
        return of(text).orElseGet(() -> {
            var best = SEPARATORS[0];
            var most = 0L;
            for (var separator : SEPARATORS) {
                var count = text.lines()
                        .limit(SAMPLE)
                        .filter(line -> line.indexOf(separator) >= 0)
                        .count();
                if (count > most) {
                    most = count;
                    best = separator;
                }
            }
            return new CsvFormat(best, 0);
        });
    }

    /** Returns whether a cell looks like a column title or a first value: short, and not a sentence. */
    private static boolean isTitle(String cell) {
        return cell.length() <= 200 && !cell.strip().endsWith(".");
    }

    /**
     * Returns whether the rows are prose. Sentences have a space after a comma, so their next
     * cell does not begin with a letter.
     */
    private static boolean isProse(List<Row> rows, char separator) {
        var cells = rows.stream().flatMap(row -> row.cells().stream().skip(1)).toList();
        var spaced = cells.stream().filter(cell -> cell.startsWith(" ")).count();
        var ends = rows.stream()
                .filter(row -> row.cells().getLast().strip().matches(".*[a-zà-ÿ]{3}[.!?]"))
                .count();
        return separator == ',' && spaced * 2 > cells.size() && ends > 0;
    }
}
