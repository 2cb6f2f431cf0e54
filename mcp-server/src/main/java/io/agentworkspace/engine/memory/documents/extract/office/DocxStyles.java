package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamReader;

/** The styles of a DOCX by the ids that its text refers to: which are headings, and which are hidden. */
final class DocxStyles {
    private static final Pattern HEADING = Pattern.compile("heading (\\d)", Pattern.CASE_INSENSITIVE);

    /** The key of the style of paragraphs that name none. */
    private static final String DEFAULT = "";

    private final Map<String, Integer> headings = new HashMap<>();
    private final Map<String, Boolean> hidden = new HashMap<>();
    private final Map<String, String> bases = new HashMap<>();
    private String style = "?";

    private DocxStyles() {}

    static DocxStyles of(Relations relations) {
        var styles = new DocxStyles();
        relations.readOptional("styles", "word/styles.xml", styles::begin);
        styles.headings.values().removeIf(level -> level < 1 || level > 9);
        return styles;
    }

    private void begin(String element, XMLStreamReader reader) {
        switch (element) {
            case "style" -> {
                style = ZipPackage.attribute(reader, "styleId");
                if (ZipPackage.attribute(reader, "type").equals("paragraph")
                        && ZipPackage.attribute(reader, "default").matches("1|true|on")) {
                    bases.put(DEFAULT, style);
                }
            }
            case "name" -> {
                var level = level(ZipPackage.attribute(reader, "val"));
                if (level > 0) {
                    headings.put(style, level);
                }
            }
            case "basedOn" -> bases.put(style, ZipPackage.attribute(reader, "val"));
            case "outlineLvl" -> headings.putIfAbsent(style, outline(ZipPackage.attribute(reader, "val")));
            case "vanish" -> hidden.put(style, isOn(reader));
            case "tblStylePr" -> style = "?"; // It is about parts of tables.
            default -> {}
        }
    }

    /** Returns the level of a heading's style; 0 if it is none. */
    int heading(String id) {
        return headings.getOrDefault(id, 0);
    }

    /** Returns whether text in this style is hidden, by itself or by a style that it is based on. */
    boolean isHidden(String id) {
        var seen = new HashSet<String>();
        for (var at = id; at != null && seen.add(at); at = bases.get(at)) {
            var own = hidden.get(at);
            if (own != null) {
                return own;
            }
        }
        return false;
    }

    private static int level(String style) {
        var named = HEADING.matcher(style);
        return named.matches() ? Integer.parseInt(named.group(1)) : style.equalsIgnoreCase("title") ? 1 : 0;
    }

    static int outline(String level) {
        return level.matches("[0-8]") ? Integer.parseInt(level) + 1 : 0;
    }

    /** Returns whether a property is on: without a value it is. */
    static boolean isOn(XMLStreamReader reader) {
        return !ZipPackage.attribute(reader, "val").matches("0|false|off");
    }
}
