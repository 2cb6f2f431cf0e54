package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.model.document.DocumentType;
import java.util.List;
import java.util.regex.Pattern;

/** Determines the kind of a text: JSON, HTML, CSV, Markdown or plain. */
public final class TextShape {
    private static final int SAMPLE = 200_000;
    private static final int LINES = 400;

    private static final Pattern HTML = Pattern.compile(
            "\\A\\s*(<!--.{0,2000}?-->\\s*)*<(!doctype\\s+html|html|head|body)\\b",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern ELEMENT = Pattern.compile(
            "\\A\\s*<(p|div|h[1-6]|ul|ol|table|article|section|main|header|title|meta|span|a|b|i|em|strong|br|form|blockquote)\\b[^<>]{0,500}>",
            Pattern.CASE_INSENSITIVE);

    /** Lines that hardly occur outside of Markdown. */
    private static final Pattern SURE = Pattern.compile(
            "#{1,6} \\S.*|~~~.*|[ \\t>]*([-*+] +|\\d{1,9}[.)] +)?```.*|={3,}|\\|?( ?:?-{3,}:? ?\\|)+( ?:?-{3,}:? ?)?|.*(?<!!)\\[[^\\]]{1,200}]\\([^)\\s]{1,500}\\).*|.*!\\[[^\\]]{0,200}]\\([^)\\s]{1,500}\\).*");

    /** Lines that occur in other texts too. */
    private static final Pattern LIKELY = Pattern.compile(
            " {0,3}([-*+]|\\d{1,3}[.)]) \\S.*|> .*|.*(\\*\\*|__)\\S.{0,200}\\S(\\*\\*|__).*|.*`[^`]{1,200}`.*");

    private static final int LIKELY_ENOUGH = 3;

    private TextShape() {}

    public static DocumentType of(String text) {
        var head = text.length() > SAMPLE ? text.substring(0, SAMPLE) : text;
        var begins = head.stripLeading();
        if (begins.startsWith("{") && looksLikeObject(begins) || begins.startsWith("[") && looksLikeArray(begins)) {
            return DocumentType.JSON;
        } else if (HTML.matcher(head).find() || ELEMENT.matcher(head).find()) {
            return DocumentType.HTML;
        }
        var lines = head.lines().limit(LINES).toList();
        if (CsvFormat.of(head).isPresent() && lines.stream().noneMatch(line -> line.startsWith("|"))) {
            return DocumentType.CSV;
        }
        return isMarkdown(lines) ? DocumentType.MARKDOWN : DocumentType.TEXT;
    }

    private static boolean looksLikeObject(String text) {
        return Pattern.compile("\\A\\{\\s*(\"(\\\\.|[^\"\\\\]){0,1000}\"\\s*:|}\\s*\\z)")
                .matcher(text)
                .find();
    }

    private static boolean looksLikeArray(String text) {
        return Pattern.compile("\\A\\[\\s*([\\[{\"\\]]|-?\\d|true\\b|false\\b|null\\b)")
                        .matcher(text)
                        .find()
                && !Pattern.compile("\\A\\[[^\\]\\[{\"]{0,200}]\\s*[^\\s,]")
                        .matcher(text)
                        .find();
    }

    private static boolean isMarkdown(List<String> lines) {
        var likely = 0;
        for (var line : lines) {
            var excerpt = line.length() > 2_000 ? line.substring(0, 2_000) : line;
            if (SURE.matcher(excerpt).matches()) {
                return true;
            } else if (LIKELY.matcher(excerpt).matches() && ++likely >= LIKELY_ENOUGH) {
                return true;
            }
        }
        return false;
    }
}
