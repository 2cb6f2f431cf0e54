package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import java.util.regex.Pattern;

/** Extracts plain text: its lists, and its paragraphs, which empty lines separate. */
public final class PlainExtractor {
    private static final Pattern ITEM = Pattern.compile("^\\s{0,8}([-*+•–]|\\d{1,3}[.)])\\s+(\\S.*)$");

    private final BlockWriter out;
    private final StringBuilder paragraph = new StringBuilder();
    private int startLine;
    private boolean isItem;

    private PlainExtractor(BlockWriter out) {
        this.out = out;
    }

    public static void extract(String text, BlockWriter out) {
        new PlainExtractor(out).read(text);
    }

    private void read(String text) {
        var number = 0;
        for (var line : (Iterable<String>) text.lines()::iterator) {
            number++;
            var item = ITEM.matcher(line);
            if (line.isBlank()) {
                end();
            } else if (item.matches()) {
                end();
                startLine = number;
                isItem = true;
                paragraph.append(item.group(2));
            } else {
                startLine = paragraph.isEmpty() ? number : startLine;
                paragraph.append(paragraph.isEmpty() ? "" : " ").append(line);
            }
        }
        end();
    }

    private void end() {
        out.add(
                isItem ? BlockKind.ITEM : BlockKind.PARAGRAPH,
                isItem ? 1 : 0,
                paragraph.toString(),
                "line " + startLine);
        paragraph.setLength(0);
        isItem = false;
    }
}
