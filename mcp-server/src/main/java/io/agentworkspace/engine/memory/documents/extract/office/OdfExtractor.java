package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Extracts OpenDocument: texts (ODT), sheets (ODS) and slides (ODP), which have the same elements. */
final class OdfExtractor implements ZipPackage.Elements {
    private static final String CONTENT = "content.xml";

    /** Elements that are not text of the document, or were deleted. */
    private static final Set<String> SKIPPED = Set.of(
            "tracked-changes",
            "page-number",
            "note-citation",
            "ruby-text",
            "forms",
            "settings",
            "table-of-content-source",
            "script",
            "event-listeners",
            "binary-data",
            "date-time-decl",
            "footer-decl",
            "header-decl");

    private final BlockWriter out;
    private final OdfStyles styles;
    private final Deque<Paragraph> paragraphs = new ArrayDeque<>();
    private final Deque<OdfTable> tables = new ArrayDeque<>();
    private final List<String> notes = new ArrayList<>();
    private final StringBuilder note = new StringBuilder();
    private int lists;
    private int number;
    private int slide;
    private boolean isInBody;
    private boolean isInNote;
    private boolean isInSpeakersNotes;
    private boolean isTitle;
    private boolean hasTitle;

    private static final class Paragraph {
        private final StringBuilder text = new StringBuilder();
        private final int heading;
        private int hidden;
        private final Deque<Boolean> spans = new ArrayDeque<>();

        Paragraph(int heading, boolean isHidden) {
            this.heading = heading;
            this.hidden = isHidden ? 1 : 0;
        }

        void append(String words) {
            if (hidden == 0) {
                text.append(words);
            }
        }
    }

    private OdfExtractor(BlockWriter out, OdfStyles styles) {
        this.out = out;
        this.styles = styles;
    }

    static void extract(ZipPackage zip, BlockWriter out) {
        if (!zip.has(CONTENT)) {
            throw ZipPackage.damaged(CONTENT);
        }
        zip.read(CONTENT, new OdfExtractor(out, OdfStyles.of(zip)));
    }

    @Override
    public void begin(String name, XMLStreamReader reader) throws XMLStreamException {
        if (!isInBody) {
            isInBody = name.equals("body");
            styles.begin(name, reader);
            return;
        } else if (SKIPPED.contains(name) || OdfStyles.hides(name, reader)) {
            ZipPackage.skip(reader);
            return;
        }
        switch (name) {
            case "p", "h" -> {
                var style = ZipPackage.attribute(reader, "style-name");
                paragraphs.push(new Paragraph(
                        name.equals("h") ? OdfStyles.level(reader) : styles.heading(style), styles.isHidden(style)));
            }
            case "span" -> {
                var paragraph = paragraphs.peek();
                if (paragraph != null) {
                    var isHidden = styles.isHidden(ZipPackage.attribute(reader, "style-name"));
                    paragraph.spans.push(isHidden);
                    paragraph.hidden += isHidden ? 1 : 0;
                }
            }
            case "hidden-paragraph" -> {
                var paragraph = paragraphs.peek();
                if (paragraph != null
                        && ZipPackage.attribute(reader, "is-hidden").equals("true")) {
                    paragraph.text.setLength(0);
                    paragraph.hidden++;
                }
            }
            case "s", "tab", "line-break" -> append(" ");
            case "list" -> lists++;
            case "note" -> isInNote = true;
            case "annotation" -> annotation(reader);
            case "page" -> {
                slide++;
                hasTitle = false;
            }
            case "frame" -> isTitle = ZipPackage.attribute(reader, "class").equals("title");
            case "notes" -> isInSpeakersNotes = true;
            case "table" -> beginTable(reader);
            case "table-row" -> {
                if (!tables.isEmpty()) {
                    tables.element().beginRow(reader);
                }
            }
            case "table-cell", "covered-table-cell" -> {
                if (!tables.isEmpty()) {
                    tables.element().beginCell(reader);
                }
            }
            default -> {}
        }
    }

    private void beginTable(XMLStreamReader reader) {
        var isSheet = tables.isEmpty()
                && paragraphs.isEmpty()
                && ZipPackage.attribute(reader, "name").length() > 0;
        tables.push(new OdfTable(
                isSheet && styles.areSheets() ? BlockWriter.place(ZipPackage.attribute(reader, "name")) : null,
                styles.isHiddenTable(ZipPackage.attribute(reader, "style-name")),
                out));
    }

    private void append(String text) {
        var paragraph = paragraphs.peek();
        if (paragraph != null) {
            paragraph.append(text);
        }
    }

    @Override
    public void text(String text) {
        append(text);
    }

    private void annotation(XMLStreamReader reader) throws XMLStreamException {
        var author = "";
        var words = new StringBuilder();
        for (var open = 1; open > 0; ) {
            var event = reader.next();
            if (event == XMLStreamReader.START_ELEMENT) {
                switch (reader.getLocalName()) {
                    case "creator" -> author = reader.getElementText();
                    case "date", "date-string", "creator-initials" -> ZipPackage.skip(reader);
                    default -> open++;
                }
            } else if (event == XMLStreamReader.END_ELEMENT) {
                open--;
                words.append(' ');
            } else if (event == XMLStreamReader.CHARACTERS) {
                words.append(reader.getText());
            }
        }
        out.addComment(author, words.toString(), position());
    }

    private String position() {
        return slide > 0
                ? "slide " + slide
                : tables.isEmpty() || tables.getLast().place() == null
                        ? "paragraph " + (number + 1)
                        : String.valueOf(tables.getLast().place());
    }

    @Override
    public void end(String name) {
        switch (name) {
            case "p", "h" -> endParagraph();
            case "span" -> {
                var paragraph = paragraphs.peek();
                if (paragraph != null && !paragraph.spans.isEmpty() && paragraph.spans.pop()) {
                    paragraph.hidden--;
                }
            }
            case "list" -> lists = Math.max(0, lists - 1);
            case "note" -> {
                isInNote = false;
                notes.add(note.toString());
                note.setLength(0);
            }
            case "notes" -> isInSpeakersNotes = false;
            case "frame" -> isTitle = false;
            case "table-cell", "covered-table-cell" -> {
                if (!tables.isEmpty()) {
                    tables.element().endCell();
                }
            }
            case "table-row" -> {
                if (!tables.isEmpty()) {
                    tables.element().endRow(tables.size() > 1, position());
                }
            }
            case "table" -> endTable();
            default -> {}
        }
    }

    private void endTable() {
        var inner = tables.poll();
        if (inner != null) {
            inner.end();
            if (!tables.isEmpty()) {
                tables.element().addToCell(inner.rows());
            } else {
                number++;
            }
            endNotes();
        }
    }

    private void endParagraph() {
        var paragraph = paragraphs.poll();
        if (paragraph == null) {
            return;
        }
        var text = paragraph.text.toString();
        if (isInNote) {
            note.append(note.isEmpty() ? "" : " ").append(text);
        } else if (!tables.isEmpty()) {
            tables.element().addToCell(text);
        } else if (!text.isBlank()) {
            write(paragraph.heading, text);
            endNotes();
        }
    }

    private void write(int heading, String text) {
        var place = position();
        number++;
        if (slide == 0) {
            var kind = heading > 0 ? BlockKind.HEADING : lists > 0 ? BlockKind.ITEM : BlockKind.PARAGRAPH;
            out.add(kind, heading > 0 ? heading : lists, text, place);
            return;
        }
        if (!hasTitle) {
            out.add(BlockKind.HEADING, 1, isTitle ? text : "Slide " + slide, place);
            hasTitle = true;
            if (isTitle) {
                return;
            }
        }
        if (isInSpeakersNotes) {
            out.add(BlockKind.PARAGRAPH, 0, "Notes: " + text, place + ", notes");
        } else {
            out.add(lists > 0 ? BlockKind.ITEM : BlockKind.PARAGRAPH, lists, text, place);
        }
    }

    /** Writes the footnotes below the paragraph or table that refers to them. */
    private void endNotes() {
        if (tables.isEmpty()) {
            notes.forEach(text -> out.add(BlockKind.PARAGRAPH, 0, "Note: " + text, "paragraph " + number));
            notes.clear();
        }
    }
}
