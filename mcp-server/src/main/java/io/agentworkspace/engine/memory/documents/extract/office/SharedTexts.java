package io.agentworkspace.engine.memory.documents.extract.office;

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

    private final ZipPackage zip;
    private final List<String> texts = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private long characters;

    private SharedTexts(ZipPackage zip) {
        this.zip = zip;
    }

    static SharedTexts of(ZipPackage zip, Relations relations) {
        var shared = new SharedTexts(zip);
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

    /** Returns a text; an empty one, and a note, if it is missing. */
    String get(String number) {
        var index = number.matches("\\d{1,8}") ? Integer.parseInt(number) : Integer.MAX_VALUE;
        if (index < texts.size()) {
            return texts.get(index);
        }
        zip.note(USUAL);
        return "";
    }
}
