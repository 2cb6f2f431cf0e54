package io.agentworkspace.engine.prose;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Written text as sentences, without its code, its markup and its tables' lines. */
final class Prose {
    private static final Pattern FENCE = Pattern.compile("(?ms)^\\s*```.*?^\\s*```\\s*$");
    private static final Pattern COMMENT = Pattern.compile("(?s)<!--.*?-->");
    private static final Pattern FRONTMATTER = Pattern.compile("(?s)\\A---\n.*?\n---\n");
    private static final Pattern LINK = Pattern.compile("!?\\[([^\\]]*)]\\([^)]*\\)");
    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final Pattern START = Pattern.compile("\\s*(#+|[-*]|\\d+\\.|>|\\|).*");

    /** Not after an abbreviation or a single letter. */
    private static final Pattern END = Pattern.compile("(?<!\\b(?:e\\.g|i\\.e|etc|vs|\\p{L}))[.!?]['\")*]*\\s+(?=\\S)");

    private Prose() {}

    /** The sentences of a Markdown text; a cell of a table and an item of a list end one. */
    static List<String> ofMarkdown(String text) {
        var plain = FRONTMATTER.matcher(text).replaceAll("");
        plain = COMMENT.matcher(FENCE.matcher(plain).replaceAll("\n")).replaceAll("\n");
        var blocks = new ArrayList<String>();
        var block = new StringBuilder();
        for (var line : plain.split("\n", -1)) {
            if (line.isBlank() || START.matcher(line).matches()) {
                blocks.add(block.toString());
                block.setLength(0);
            }
            if (line.strip().startsWith("|")) {
                blocks.addAll(Arrays.asList(line.strip().split("(?<!\\\\)\\|")));
            } else {
                block.append(' ').append(line.strip().replaceFirst("^(#+|[-*]|\\d+\\.|>)\\s+", ""));
            }
        }
        blocks.add(block.toString());
        return blocks.stream().flatMap(Prose::ofText).toList();
    }

    /** The sentences of a plain text; code counts as one word. */
    static Stream<String> ofText(String text) {
        var plain = CODE.matcher(LINK.matcher(text).replaceAll("$1")).replaceAll("CODE");
        plain = plain.replaceAll("[*_]{2}", "").replaceAll("\\s+", " ").strip();
        return END.splitAsStream(plain).map(String::strip).filter(sentence -> words(sentence) > 1);
    }

    static int words(String sentence) {
        return (int) Arrays.stream(sentence.split("[\\s/]+"))
                .filter(word -> word.matches(".*[\\p{L}\\p{N}].*"))
                .count();
    }
}
