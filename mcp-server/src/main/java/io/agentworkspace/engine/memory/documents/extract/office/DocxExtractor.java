package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.CsvExtractor;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Extracts the text of a DOCX: headings by their styles, paragraphs, lists, tables and notes, without text
 * that is hidden or was deleted under review.
 */
final class DocxExtractor implements ZipPackage.Elements {
    private static final String MAIN = "word/document.xml";

    /** Elements that are not text of the document, or repeat it. */
    private static final Set<String> SKIPPED =
            Set.of("del", "moveFrom", "instrText", "Fallback", "sectPr", "rPrChange", "pPrChange", "tblPr");

    private final BlockWriter out;
    private final DocxStyles styles;
    private final Deque<Paragraph> paragraphs = new ArrayDeque<>();
    private final Deque<Table> tables = new ArrayDeque<>();
    private int number;
    private @Nullable Paragraph continued;

    private static final class Paragraph {
        private final StringBuilder text = new StringBuilder();
        private int heading;
        private int item;
        /** Whether its properties are being read, among them those of its mark. */
        private boolean isInProperties;
        /** Whether its mark is deleted or hidden, so that the next paragraph continues it. */
        private boolean continues;

        private boolean isHiddenStyle;
        private boolean isHiddenRunStyle;
        private @Nullable Boolean isHiddenRun;

        /** Styles of a paragraph and of a run that are both hidden cancel each other out. */
        boolean shows() {
            return !(isHiddenRun == null ? isHiddenStyle ^ isHiddenRunStyle : isHiddenRun);
        }
    }

    private static final class Table {
        private final List<String> cells = new ArrayList<>();
        private final StringBuilder cell = new StringBuilder();
        /** The rows, if the table is in a cell of another. */
        private final StringBuilder rows = new StringBuilder();

        private boolean hasRows;

        void addToCell(CharSequence text) {
            cell.append(cell.isEmpty() || text.isEmpty() ? "" : " ").append(text);
        }
    }

    private DocxExtractor(BlockWriter out, DocxStyles styles) {
        this.out = out;
        this.styles = styles;
    }

    static void extract(ZipPackage opened, BlockWriter out) {
        var main = Relations.main(opened, MAIN);
        if (!opened.has(main)) {
            throw ZipPackage.damaged(main);
        }
        var relations = Relations.ofOptional(opened, main);
        var extractor = new DocxExtractor(out, DocxStyles.of(relations));
        opened.read(main, extractor);
        extractor.endContinued();
        extractor.notes(relations, "footnotes");
        extractor.notes(relations, "endnotes");
        if (out.wantsComments()) {
            extractor.comments(relations);
        }
    }

    private void comments(Relations relations) {
        relations.readOptional("comments", "word/comments.xml", new ZipPackage.Elements() {
            private final StringBuilder text = new StringBuilder();
            private String author = "";

            @Override
            public void begin(String name, XMLStreamReader reader) throws XMLStreamException {
                switch (name) {
                    case "comment" -> {
                        author = ZipPackage.attribute(reader, "author");
                        text.setLength(0);
                    }
                    case "t" -> text.append(reader.getElementText());
                    case "p", "tab", "br" -> text.append(' ');
                    default -> {}
                }
            }

            @Override
            public void end(String name) {
                if (name.equals("comment")) {
                    out.addComment(author, text.toString(), "comments");
                }
            }
        });
    }

    /** Reads notes. If the file ends within a table or a paragraph of them, these end there. */
    private void notes(Relations relations, String type) {
        relations.readOptional(type, "word/%s.xml".formatted(type), this);
        tables.clear();
        while (!paragraphs.isEmpty()) {
            endParagraph(paragraphs.poll());
        }
        endContinued();
    }

    @Override
    public void begin(String name, XMLStreamReader reader) throws XMLStreamException {
        if (SKIPPED.contains(name)) {
            if (name.equals("del") || name.equals("moveFrom")) {
                withMark(p -> p.continues = true);
            }
            ZipPackage.skip(reader);
            return;
        }
        switch (name) {
            case "tbl" -> {
                endContinued();
                tables.push(new Table());
            }
            case "p" -> beginParagraph();
            case "pPr" -> withParagraph(p -> p.isInProperties = true);
            case "pStyle" -> style(ZipPackage.attribute(reader, "val"));
            case "outlineLvl" ->
                withParagraph(p -> p.heading = DocxStyles.outline(ZipPackage.attribute(reader, "val")));
            case "r" ->
                withParagraph(p -> {
                    p.isHiddenRunStyle = false;
                    p.isHiddenRun = null;
                });
            case "rStyle" -> {
                var isHidden = styles.isHidden(ZipPackage.attribute(reader, "val"));
                withRun(p -> p.isHiddenRunStyle = isHidden);
            }
            case "vanish", "specVanish" -> {
                var isOn = DocxStyles.isOn(reader);
                withMark(p -> p.continues |= isOn);
                withRun(p -> p.isHiddenRun = isOn);
            }
            case "numPr" -> withParagraph(p -> p.item = Math.max(1, p.item));
            case "ilvl" -> withParagraph(p -> p.item = DocxStyles.outline(ZipPackage.attribute(reader, "val")));
            case "t" -> {
                var text = reader.getElementText();
                withShown(p -> p.text.append(text));
            }
            case "tab", "br", "cr" -> withShown(p -> p.text.append(' '));
            case "noBreakHyphen" -> withShown(p -> p.text.append('-'));
            default -> {}
        }
    }

    /** Begins a paragraph, with the text of those before whose marks are deleted. */
    private void beginParagraph() {
        var paragraph = new Paragraph();
        paragraph.isHiddenStyle = styles.isHidden("");
        if (continued != null && paragraphs.isEmpty()) {
            paragraph.text.append(continued.text);
            continued = null;
        }
        paragraphs.push(paragraph);
    }

    private void style(String id) {
        withParagraph(p -> {
            p.heading = styles.heading(id);
            p.isHiddenStyle = styles.isHidden(id);
        });
    }

    private void withMark(Consumer<Paragraph> change) {
        withParagraph(p -> {
            if (p.isInProperties) {
                change.accept(p);
            }
        });
    }

    private void withRun(Consumer<Paragraph> change) {
        withParagraph(p -> {
            if (!p.isInProperties) {
                change.accept(p);
            }
        });
    }

    private void withShown(Consumer<Paragraph> change) {
        withParagraph(p -> {
            if (p.shows()) {
                change.accept(p);
            }
        });
    }

    private void withParagraph(Consumer<Paragraph> change) {
        var paragraph = paragraphs.peek();
        if (paragraph != null) {
            change.accept(paragraph);
        }
    }

    @Override
    public void end(String name) {
        switch (name) {
            case "p" -> endParagraph(paragraphs.poll());
            case "pPr" -> withParagraph(p -> p.isInProperties = false);
            case "tc" ->
                withTable(table -> {
                    endContinued();
                    table.cells.add(table.cell.toString());
                    table.cell.setLength(0);
                });
            case "tr" -> withTable(this::endRow);
            case "tbl" -> {
                var inner = tables.poll();
                if (inner != null && !tables.isEmpty()) {
                    tables.element().addToCell(inner.rows);
                }
            }
            default -> {}
        }
    }

    private void withTable(Consumer<Table> change) {
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
            table.rows.append(table.rows.isEmpty() ? "" : " ").append(row);
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
        if (paragraph.continues && paragraphs.isEmpty()) {
            continued = paragraph;
        } else {
            write(paragraph);
        }
    }

    /** Writes a paragraph that nothing follows, although its mark is deleted. */
    private void endContinued() {
        var last = continued;
        continued = null;
        if (last != null) {
            write(last);
        }
    }

    private void write(Paragraph paragraph) {
        var text = paragraph.text.toString();
        if (!tables.isEmpty()) {
            tables.element().addToCell(text);
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
