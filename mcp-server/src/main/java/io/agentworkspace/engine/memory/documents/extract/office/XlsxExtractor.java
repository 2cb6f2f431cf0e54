package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Bounds;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Extracts the sheets of an XLSX as tables. Of formulas it takes the values that the program saved. */
final class XlsxExtractor {
    private static final String MAIN = "xl/workbook.xml";

    private final ZipPackage zip;
    private final BlockWriter out;
    private final SharedTexts texts;
    private final CellFormats formats;

    private record Sheet(String name, String part, boolean isHidden) {}

    private XlsxExtractor(ZipPackage zip, BlockWriter out, SharedTexts texts, CellFormats formats) {
        this.zip = zip;
        this.out = out;
        this.texts = texts;
        this.formats = formats;
    }

    static void extract(ZipPackage zip, BlockWriter out) {
        var main = Relations.main(zip, MAIN);
        if (!zip.has(main)) {
            throw ZipPackage.damaged(main);
        }
        var relations = Relations.of(zip, main);
        var sheets = new ArrayList<Sheet>();
        var since1904 = new boolean[1];
        zip.read(main, (element, reader) -> {
            switch (element) {
                case "workbookPr" ->
                    since1904[0] = ZipPackage.attribute(reader, "date1904").matches("1|true");
                case "sheet" ->
                    sheets.add(new Sheet(
                            BlockWriter.place(ZipPackage.attribute(reader, "name")),
                            relations.part(ZipPackage.attribute(reader, "id")),
                            ZipPackage.attribute(reader, "state").matches("hidden|veryHidden")));
                default -> {}
            }
        });
        var texts = SharedTexts.of(relations);
        var formats = CellFormats.of(relations, since1904[0]);
        var extractor = new XlsxExtractor(zip, out, texts, formats);
        sheets.forEach(extractor::read);
    }

    private void read(Sheet sheet) {
        if (!zip.has(sheet.part())) {
            throw ZipPackage.damaged("sheet " + sheet.name());
        }
        var table = new SheetTable(sheet.name(), sheet.isHidden(), out);
        zip.read(sheet.part(), new Cells(sheet, table));
        table.end();
        if (out.wantsComments()) {
            for (var part : Relations.ofOptional(zip, sheet.part()).ofType("comments")) {
                comments(part, sheet.name());
            }
        }
    }

    private void comments(String part, String sheet) {
        var authors = new ArrayList<String>();
        zip.readOptional(part, new ZipPackage.Elements() {
            private final StringBuilder text = new StringBuilder();
            private String author = "";
            private String cell = "";

            @Override
            public void begin(String name, XMLStreamReader reader) throws XMLStreamException {
                switch (name) {
                    case "author" -> authors.add(reader.getElementText());
                    case "comment" -> {
                        cell = BlockWriter.place(ZipPackage.attribute(reader, "ref"));
                        var id = ZipPackage.attribute(reader, "authorId");
                        author = id.matches("\\d{1,4}") && Integer.parseInt(id) < authors.size()
                                ? authors.get(Integer.parseInt(id))
                                : "";
                        text.setLength(0);
                    }
                    case "t" -> text.append(reader.getElementText());
                    default -> {}
                }
            }

            @Override
            public void end(String name) {
                if (name.equals("comment")) {
                    out.addComment(author, text.toString(), "sheet %s, cell %s".formatted(sheet, cell));
                }
            }
        });
    }

    /** Reads the rows of a sheet. */
    private final class Cells implements ZipPackage.Elements {
        private final Sheet sheet;
        private final SheetTable table;
        private final Map<Integer, String> row = new LinkedHashMap<>();
        private final Map<String, String> attributes = new HashMap<>();
        private final StringBuilder inline = new StringBuilder();
        private String value = "";
        private String formula = "";
        private int number;
        private int column;

        Cells(Sheet sheet, SheetTable table) {
            this.sheet = sheet;
            this.table = table;
        }

        @Override
        public void begin(String name, XMLStreamReader reader) throws XMLStreamException {
            switch (name) {
                case "row" -> {
                    var given = ZipPackage.attribute(reader, "r");
                    number = given.matches("\\d{1,8}") ? Integer.parseInt(given) : number + 1;
                    column = 0;
                    row.clear();
                }
                case "c" -> {
                    attributes.clear();
                    for (var attribute : List.of("r", "t", "s")) {
                        attributes.put(attribute, ZipPackage.attribute(reader, attribute));
                    }
                    inline.setLength(0);
                    value = "";
                    formula = "";
                }
                case "v" -> value = reader.getElementText();
                case "f" -> formula = reader.getElementText();
                case "t" -> inline.append(reader.getElementText());
                case "rPh" -> ZipPackage.skip(reader); // How to pronounce it.
                default -> {}
            }
        }

        @Override
        public void end(String name) {
            if (name.equals("c")) {
                column = column(attributes.getOrDefault("r", ""));
                if (column >= Bounds.COLUMNS) {
                    throw Rejection.damaged("a row has more columns than any program writes", place());
                }
                row.put(column++, text());
            } else if (name.equals("row")) {
                table.add(number, row);
            }
        }

        private String place() {
            return "sheet %s, row %d".formatted(sheet.name(), number);
        }

        /** Returns the column of a cell's address, such as 27 of AB12; the next one if it has none. */
        private int column(String address) {
            var index = 0;
            var i = 0;
            for (; i < address.length() && i < 5 && address.charAt(i) >= 'A' && address.charAt(i) <= 'Z'; i++) {
                index = index * 26 + address.charAt(i) - 'A' + 1;
            }
            return i == 0 ? column : index - 1;
        }

        private String text() {
            return switch (attributes.getOrDefault("t", "")) {
                case "s" -> texts.get(value);
                case "inlineStr" -> inline.toString();
                case "b" -> value.equals("1") ? "TRUE" : value.equals("0") ? "FALSE" : value;
                case "str", "e", "d" -> value;
                default ->
                    value.isEmpty()
                            ? formula.isEmpty() ? inline.toString() : "=" + formula // No program has calculated it.
                            : formats.shown(value, attributes.getOrDefault("s", ""));
            };
        }
    }
}
