package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Bounds;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.util.ArrayList;
import java.util.stream.Stream;
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
        var relations = Relations.ofOptional(zip, part);
        var shapes = new SlideShapes();
        zip.read(part, shapes);
        var diagrams =
                relations.ofType("diagramData").stream().map(this::optional).toList();
        var notes = relations.ofType("notesSlide").stream().map(this::optional).toList();
        var place = "slide " + number;
        if (!shapes.isEmpty()
                || diagrams.stream().anyMatch(diagram -> !diagram.isEmpty())
                || notes.stream().anyMatch(SlideShapes::hasBody)) {
            var title = shapes.title().isBlank() ? "Slide " + number : shapes.title();
            out.add(BlockKind.HEADING, 1, shapes.isHidden() ? title + " (hidden slide)" : title, place);
        }
        Stream.concat(Stream.of(shapes), diagrams.stream())
                .flatMap(each -> each.blocks().stream())
                .forEach(block -> out.add(block.kind(), block.level(), block.text(), place));
        notes.stream()
                .flatMap(each -> each.blocks().stream())
                .filter(SlideShapes.ShapeText::isBody)
                .forEach(note -> out.add(BlockKind.PARAGRAPH, 0, "Notes: " + note.text(), place + ", notes"));
        if (out.wantsComments()) {
            relations.ofType("comments").forEach(comments -> comments(comments, place));
        }
    }

    private SlideShapes optional(String part) {
        var shapes = new SlideShapes();
        zip.readOptional(part, shapes);
        return shapes;
    }

    private void comments(String part, String place) {
        zip.readOptional(part, (element, reader) -> {
            if (element.equals("text") || element.equals("t")) {
                out.addComment("", reader.getElementText(), place);
            }
        });
    }
}
