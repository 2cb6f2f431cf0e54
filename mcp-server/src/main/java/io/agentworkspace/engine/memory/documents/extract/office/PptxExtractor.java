package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Bounds;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.util.ArrayList;
import javax.xml.stream.XMLStreamReader;

/** Extracts the slides of a PPTX in their order: title, texts, tables and diagrams, and the notes of the speaker. */
final class PptxExtractor {
    private static final String MAIN = "ppt/presentation.xml";

    private final ZipPackage zip;
    private final BlockWriter out;

    private PptxExtractor(ZipPackage zip, BlockWriter out) {
        this.zip = zip;
        this.out = out;
    }

    static void extract(ZipPackage zip, BlockWriter out) {
        var main = Relations.main(zip, MAIN);
        if (!zip.has(main)) {
            throw ZipPackage.damaged(main);
        }
        var relations = Relations.of(zip, main);
        var slides = new ArrayList<String>();
        zip.read(main, (element, reader) -> {
            if (element.equals("sldId")) {
                slides.add(relations.part(id(reader)));
            }
        });
        if (slides.size() > Bounds.PAGES) {
            throw new Rejection(Code.TOO_LARGE, "it has over %,d slides; split it".formatted(Bounds.PAGES));
        }
        var extractor = new PptxExtractor(zip, out);
        for (var i = 0; i < slides.size(); i++) {
            extractor.slide(slides.get(i), i + 1);
        }
    }

    /** Returns the id of the relation, which is in a namespace, beside that of the slide, which is not. */
    private static String id(XMLStreamReader reader) {
        for (var i = 0; i < reader.getAttributeCount(); i++) {
            if (reader.getAttributeLocalName(i).equals("id") && reader.getAttributeNamespace(i) != null) {
                return reader.getAttributeValue(i);
            }
        }
        return "";
    }

    private void slide(String part, int number) {
        if (!zip.has(part)) {
            throw ZipPackage.damaged("slide " + number);
        }
        var relations = Relations.of(zip, part);
        var shapes = new SlideShapes();
        zip.read(part, shapes);
        relations.ofType("diagramData").forEach(diagram -> zip.read(diagram, shapes));
        var notes = new SlideShapes();
        relations.ofType("notesSlide").forEach(notesPart -> zip.read(notesPart, notes));
        var place = "slide " + number;
        if (!shapes.isEmpty() || notes.hasBody()) {
            var title = shapes.title().isBlank() ? "Slide " + number : shapes.title();
            out.add(BlockKind.HEADING, 1, shapes.isHidden() ? title + " (hidden slide)" : title, place);
        }
        shapes.blocks().forEach(block -> out.add(block.kind(), block.level(), block.text(), place));
        for (var note : notes.blocks()) {
            if (note.isBody()) {
                out.add(BlockKind.PARAGRAPH, 0, "Notes: " + note.text(), place + ", notes");
            }
        }
        if (out.wantsComments()) {
            relations.ofType("comments").forEach(comments -> comments(comments, place));
        }
    }

    private void comments(String part, String place) {
        zip.read(part, (element, reader) -> {
            if (element.equals("text") || element.equals("t")) {
                out.addComment("", reader.getElementText(), place);
            }
        });
    }
}
