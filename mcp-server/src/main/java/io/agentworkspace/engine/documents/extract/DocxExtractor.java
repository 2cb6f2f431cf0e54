package io.agentworkspace.engine.documents.extract;

import io.agentworkspace.engine.documents.extract.Block.BlockKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Extracts the text of a DOCX: headings by their styles, paragraphs, lists, tables and notes, without text
 * that was deleted under review.
 */
final class DocxExtractor {
    private static final String MAIN = "word/document.xml";
    private static final List<String> NOTES = List.of("word/footnotes.xml", "word/endnotes.xml");

    /** Elements that are not text of the document, or repeat it. */
    private static final Set<String> SKIPPED =
            Set.of("del", "moveFrom", "instrText", "Fallback", "sectPr", "rPrChange", "pPrChange", "tblPr");

    private static final Pattern HEADING = Pattern.compile("heading (\\d)", Pattern.CASE_INSENSITIVE);

    private final BlockWriter out;
    private final Map<String, Integer> headings;
    private final Deque<Paragraph> paragraphs = new ArrayDeque<>();
    private final Deque<Table> tables = new ArrayDeque<>();
    private int number;

    private static final class Paragraph {
        private final StringBuilder text = new StringBuilder();
        private int heading;
        private int item;
    }

    private static final class Table {
        private final List<String> cells = new ArrayList<>();
        private final StringBuilder cell = new StringBuilder();
        private boolean hasRows;
    }

    private DocxExtractor(BlockWriter out, Map<String, Integer> headings) {
        this.out = out;
        this.headings = headings;
    }

    static void extract(byte[] file, BlockWriter out) {
        try (var opened = DocxPackage.open(file)) {
            if (!opened.has(MAIN)) {
                throw DocxPackage.damaged(MAIN);
            }
            var extractor = new DocxExtractor(out, headings(opened));
            extractor.read(opened, MAIN);
            for (var notes : NOTES) {
                extractor.read(opened, notes);
            }
        }
    }

    /** Returns the levels of the heading styles by the ids that paragraphs refer to. */
    private static Map<String, Integer> headings(DocxPackage opened) {
        var headings = new HashMap<String, Integer>();
        opened.xml("word/styles.xml").ifPresent(reader -> {
            try {
                var style = "";
                while (reader.hasNext()) {
                    if (reader.next() == XMLStreamConstants.START_ELEMENT) {
                        switch (reader.getLocalName()) {
                            case "style" -> style = attribute(reader, "styleId");
                            case "name" -> {
                                var level = level(attribute(reader, "val"));
                                if (level > 0) {
                                    headings.put(style, level);
                                }
                            }
                            case "outlineLvl" -> headings.putIfAbsent(style, outline(attribute(reader, "val")));
                            default -> {}
                        }
                    }
                }
            } catch (XMLStreamException e) {
                throw DocxPackage.damaged("word/styles.xml");
            }
        });
        headings.values().removeIf(level -> level < 1 || level > 9);
        return headings;
    }

    private static int level(String style) {
        var named = HEADING.matcher(style);
        return named.matches() ? Integer.parseInt(named.group(1)) : style.equalsIgnoreCase("title") ? 1 : 0;
    }

    private static int outline(String level) {
        return level.matches("[0-8]") ? Integer.parseInt(level) + 1 : 0;
    }

    private static String attribute(XMLStreamReader reader, String name) {
        for (var i = 0; i < reader.getAttributeCount(); i++) {
            if (reader.getAttributeLocalName(i).equals(name)) {
                return reader.getAttributeValue(i);
            }
        }
        return "";
    }

    private void read(DocxPackage opened, String part) {
        opened.xml(part).ifPresent(reader -> {
            try {
                while (reader.hasNext()) {
                    switch (reader.next()) {
                        case XMLStreamConstants.START_ELEMENT -> begin(reader);
                        case XMLStreamConstants.END_ELEMENT -> end(reader.getLocalName());
                        default -> {}
                    }
                }
            } catch (XMLStreamException e) {
                throw DocxPackage.damaged(part);
            }
        });
    }

    private void begin(XMLStreamReader reader) throws XMLStreamException {
        var name = reader.getLocalName();
        if (SKIPPED.contains(name)) {
            skip(reader);
            return;
        }
        switch (name) {
            case "tbl" -> tables.push(new Table());
            case "p" -> paragraphs.push(new Paragraph());
            case "pStyle" -> withParagraph(p -> p.heading = headings.getOrDefault(attribute(reader, "val"), 0));
            case "outlineLvl" -> withParagraph(p -> p.heading = outline(attribute(reader, "val")));
            case "numPr" -> withParagraph(p -> p.item = Math.max(1, p.item));
            case "ilvl" -> withParagraph(p -> p.item = outline(attribute(reader, "val")));
            case "t" -> {
                var text = reader.getElementText();
                withParagraph(p -> p.text.append(text));
            }
            case "tab", "br", "cr" -> withParagraph(p -> p.text.append(' '));
            case "noBreakHyphen" -> withParagraph(p -> p.text.append('-'));
            default -> {}
        }
    }

    private void withParagraph(java.util.function.Consumer<Paragraph> change) {
        var paragraph = paragraphs.peek();
        if (paragraph != null) {
            change.accept(paragraph);
        }
    }

    private static void skip(XMLStreamReader reader) throws XMLStreamException {
        for (var open = 1; open > 0; ) {
            var event = reader.next();
            open += event == XMLStreamConstants.START_ELEMENT ? 1 : event == XMLStreamConstants.END_ELEMENT ? -1 : 0;
        }
    }

    private void end(String name) {
        switch (name) {
            case "p" -> endParagraph(paragraphs.poll());
            case "tc" ->
                withTable(table -> {
                    table.cells.add(table.cell.toString());
                    table.cell.setLength(0);
                });
            case "tr" -> withTable(this::endRow);
            case "tbl" -> {
                var inner = tables.poll();
                if (inner != null && !tables.isEmpty()) {
                    tables.element().cell.append(inner.cell);
                }
            }
            default -> {}
        }
    }

    private void withTable(java.util.function.Consumer<Table> change) {
        var table = tables.peek();
        if (table != null) {
            change.accept(table);
        }
    }

    private void endRow(Table table) {
        var row = CsvExtractor.joined(table.cells);
        table.cells.clear();
        if (row.isEmpty()) {
            return;
        } else if (tables.size() > 1) { // A table in a cell is text of the cell.
            table.cell.append(row).append(' ');
            return;
        }
        out.add(table.hasRows ? BlockKind.ROW : BlockKind.HEADER, 0, row, "paragraph " + number);
        table.hasRows = true;
    }

    private void endParagraph(@Nullable Paragraph paragraph) {
        if (paragraph == null) {
            return;
        }
        number++;
        var text = paragraph.text.toString();
        if (!tables.isEmpty()) {
            var cell = tables.element().cell;
            cell.append(cell.isEmpty() ? "" : " ").append(text);
        } else if (paragraph.heading > 0) {
            out.add(BlockKind.HEADING, paragraph.heading, text, "paragraph " + number);
        } else {
            out.add(
                    paragraph.item > 0 ? BlockKind.ITEM : BlockKind.PARAGRAPH,
                    paragraph.item,
                    text,
                    "paragraph " + number);
        }
    }
}
