package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Bounds;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** The texts that the cells of a workbook share, by their numbers. */
final class SharedTexts implements ZipPackage.Elements {
    private static final String USUAL = "xl/sharedStrings.xml";

    private final String part;
    private final List<String> texts = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private long characters;

    private SharedTexts(String part) {
        this.part = part;
    }

    static SharedTexts of(Relations relations) {
        var part = relations.ofType("sharedStrings").stream().findFirst().orElse(USUAL);
        var shared = new SharedTexts(part);
        relations.readOptional("sharedStrings", USUAL, shared);
        return shared;
    }

    @Override
    public void begin(String name, XMLStreamReader reader) throws XMLStreamException {
        switch (name) {
            case "si" -> text.setLength(0);
            case "t" -> {
                text.append(reader.getElementText());
                checkLength();
            }
            case "rPh" -> ZipPackage.skip(reader); // How to pronounce it.
            default -> {}
        }
    }

    @Override
    public void end(String name) {
        if (name.equals("si")) {
            texts.add(text.toString());
            characters += text.length() + 8;
            text.setLength(0);
            checkLength();
        }
    }

    private void checkLength() {
        if (characters + text.length() > Bounds.SHARED) {
            throw new Rejection(
                    Code.TOO_LARGE, "its cells have more than %,d characters; split it".formatted(Bounds.SHARED));
        }
    }

    /**
     * Returns a text; an empty one if a cell has no number.
     *
     * @throws Rejection if the text is missing: a sheet without it would look as if it were whole
     */
    String get(String number) {
        if (number.isBlank()) {
            return "";
        }
        var index = number.matches("\\d{1,8}") ? Integer.parseInt(number) : Integer.MAX_VALUE;
        if (index >= texts.size()) {
            throw ZipPackage.damaged(BlockWriter.place(part));
        }
        return texts.get(index);
    }
}
