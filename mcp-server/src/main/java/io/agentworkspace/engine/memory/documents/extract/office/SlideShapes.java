package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.CsvExtractor;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** The texts of the shapes of a slide, or of a page of notes, without those that the program repeats on every slide. */
final class SlideShapes implements ZipPackage.Elements {
    private static final Set<String> TITLES = Set.of("title", "ctrTitle");
    private static final Set<String> REPEATED = Set.of("sldNum", "dt", "ftr", "hdr");

    /** @param isBody whether it is in the main placeholder, that of the notes on a page of notes */
    record ShapeText(BlockKind kind, int level, String text, boolean isBody) {}

    private final List<ShapeText> blocks = new ArrayList<>();
    private final List<String> cells = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder title = new StringBuilder();
    private final StringBuilder cell = new StringBuilder();
    private String placeholder = "";
    private int level;
    private boolean isInRun;
    private boolean isItem;
    private boolean isInTable;
    private boolean hasHeader;
    private boolean isHidden;

    String title() {
        return title.toString();
    }

    boolean isHidden() {
        return isHidden;
    }

    List<ShapeText> blocks() {
        return blocks;
    }

    boolean isEmpty() {
        return blocks.isEmpty() && title.isEmpty();
    }

    boolean hasBody() {
        return blocks.stream().anyMatch(ShapeText::isBody);
    }

    @Override
    public void begin(String name, XMLStreamReader reader) throws XMLStreamException {
        switch (name) {
            case "sld" -> isHidden = ZipPackage.attribute(reader, "show").matches("0|false");
            case "Fallback" -> ZipPackage.skip(reader); // The same, for older programs.
            case "sp", "graphicFrame" -> placeholder = "";
            case "ph" -> {
                var type = ZipPackage.attribute(reader, "type");
                placeholder = type.isEmpty() ? "obj" : type;
            }
            case "tbl" -> {
                isInTable = true;
                hasHeader = false;
            }
            case "p" -> {
                text.setLength(0);
                level = 0;
                isItem = placeholder.equals("obj");
            }
            case "pPr" -> {
                var given = ZipPackage.attribute(reader, "lvl");
                level = given.matches("[0-8]") ? Integer.parseInt(given) : 0;
            }
            case "buNone" -> isItem = false;
            case "buChar", "buAutoNum", "buBlip" -> isItem = true;
            case "r", "fld" -> isInRun = true;
            case "t" -> {
                if (isInRun) { // That of a diagram's point has paragraphs in it.
                    text.append(reader.getElementText());
                }
            }
            case "br", "tab" -> text.append(' ');
            default -> {}
        }
    }

    @Override
    public void end(String name) {
        switch (name) {
            case "p" -> paragraph();
            case "r", "fld" -> isInRun = false;
            case "tc" -> {
                cells.add(cell.toString());
                cell.setLength(0);
            }
            case "tr" -> row();
            case "tbl" -> isInTable = false;
            default -> {}
        }
    }

    private void paragraph() {
        if (text.toString().isBlank() || REPEATED.contains(placeholder)) {
            return;
        } else if (isInTable) {
            cell.append(cell.isEmpty() ? "" : " ").append(text);
        } else if (TITLES.contains(placeholder)) {
            title.append(title.isEmpty() ? "" : " ").append(text);
        } else {
            var kind = isItem ? BlockKind.ITEM : BlockKind.PARAGRAPH;
            blocks.add(new ShapeText(kind, isItem ? level + 1 : 0, text.toString(), placeholder.equals("body")));
        }
        text.setLength(0);
    }

    private void row() {
        var row = CsvExtractor.joined(cells);
        cells.clear();
        if (!row.isEmpty()) {
            blocks.add(new ShapeText(hasHeader ? BlockKind.ROW : BlockKind.HEADER, 0, row, false));
            hasHeader = true;
        }
    }
}
