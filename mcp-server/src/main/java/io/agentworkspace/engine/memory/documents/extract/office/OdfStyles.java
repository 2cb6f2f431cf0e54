package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import javax.xml.stream.XMLStreamReader;

/** The styles of an OpenDocument file: which are headings, by their outline level, and which are hidden. */
final class OdfStyles {
    /** The name in the file is English in every language. */
    private static final String TITLE = "Title";

    private static final String STYLES = "styles.xml";

    private final Map<String, Integer> headings = new HashMap<>();
    private final Map<String, String> bases = new HashMap<>();
    private final Map<String, Boolean> hidden = new HashMap<>();
    private final Set<String> hiddenTables = new HashSet<>();
    private final boolean areSheets;
    private String style = "";

    private OdfStyles(boolean areSheets) {
        this.areSheets = areSheets;
    }

    /** Returns the named styles. Those of {@code content.xml} come before its text, and are added while that is read. */
    static OdfStyles of(ZipPackage zip) {
        var styles = new OdfStyles(zip.text("mimetype").contains("spreadsheet"));
        if (zip.has(STYLES)) {
            zip.readOptional(STYLES, styles::begin);
        }
        return styles;
    }

    /** Reads an element of a style. */
    void begin(String name, XMLStreamReader reader) {
        switch (name) {
            case "style" -> {
                style = ZipPackage.attribute(reader, "name");
                bases.put(style, ZipPackage.attribute(reader, "parent-style-name"));
                var level = ZipPackage.attribute(reader, "default-outline-level");
                if (level.matches("[1-9]|10")) {
                    headings.put(style, Integer.parseInt(level));
                }
            }
            case "text-properties" -> {
                var display = ZipPackage.attribute(reader, "display");
                if (!display.isEmpty()) {
                    hidden.put(style, display.equals("none"));
                }
            }
            case "table-properties" -> {
                if (ZipPackage.attribute(reader, "display").equals("false")) {
                    hiddenTables.add(style);
                }
            }
            default -> {}
        }
    }

    boolean areSheets() {
        return areSheets;
    }

    /** Returns the level of a heading's style; 0 if it is none. */
    int heading(String name) {
        var seen = new HashSet<String>();
        for (var at = name; at != null && !at.isEmpty() && seen.add(at); at = bases.get(at)) {
            var level = headings.get(at);
            if (level != null || at.equals(TITLE)) {
                return level == null ? 1 : level;
            }
        }
        return 0;
    }

    boolean isHidden(String name) {
        var seen = new HashSet<String>();
        for (var at = name; at != null && !at.isEmpty() && seen.add(at); at = bases.get(at)) {
            var own = hidden.get(at);
            if (own != null) {
                return own;
            }
        }
        return false;
    }

    boolean isHiddenTable(String name) {
        return hiddenTables.contains(name);
    }

    /** Returns whether an element is not shown in the text. */
    static boolean hides(String name, XMLStreamReader reader) {
        var isOfPicture = name.equals("desc") || name.equals("title");
        return isOfPicture && String.valueOf(reader.getNamespaceURI()).contains("svg")
                || name.equals("section")
                        && ZipPackage.attribute(reader, "display").equals("none")
                || name.equals("hidden-text")
                        && ZipPackage.attribute(reader, "is-hidden").equals("true");
    }

    /** Returns the level of a heading. */
    static int level(XMLStreamReader reader) {
        var level = ZipPackage.attribute(reader, "outline-level");
        return level.matches("[1-9]|10") ? Integer.parseInt(level) : 1;
    }
}
