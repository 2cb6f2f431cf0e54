package io.agentworkspace.engine.documents.extract;

import io.agentworkspace.engine.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.io.IOUtils;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.encryption.InvalidPasswordException;
import org.apache.pdfbox.text.PDFTextStripper;
import org.apache.pdfbox.text.TextPosition;

/** Extracts the text of a PDF: paragraphs by their spacing, headings by their size. Images are not read. */
final class PdfExtractor extends PDFTextStripper {
    private static final Pattern ITEM = Pattern.compile("^([•◦▪●○■‣–*-]|\\d{1,2}[.)])\\s+(\\S.*)$", Pattern.DOTALL);

    /** How much larger than most of the text a heading is. */
    private static final double LARGER = 1.12;

    private static final int END = 64 * 1024;
    private static final int LONGEST_HEADING = 200;

    /** How much further apart than usual the lines of different paragraphs are. */
    private static final double APART = 1.25;

    /** The vertical distance within which text is on the same line, relative to the letters' size. */
    private static final double SAME_LINE = 0.4;

    private final List<Line> lines = new ArrayList<>();
    private final TreeMap<Integer, Integer> sizes = new TreeMap<>();
    private final TreeMap<Integer, Integer> gaps = new TreeMap<>();
    private StringBuilder text = new StringBuilder();
    private int size;
    private double y;
    private int gap = -1;
    private long characters;

    /**
     * A line of text.
     *
     * @param size of its largest letters, in tenths of a point
     * @param gap to the line before, in percent of the size; negative if the text continues elsewhere
     */
    private record Line(String text, int size, int gap, int page) {}

    private record Paragraph(String text, int size, int page) {}

    private PdfExtractor() {
        setSortByPosition(false);
    }

    static void extract(byte[] file, BlockWriter out) {
        if (!isWhole(file)) {
            throw Rejection.damaged("the PDF is cut off; submit the whole file", null);
        }
        try (var document = Loader.loadPDF(file, "", null, null, IOUtils.createMemoryOnlyStreamCache())) {
            if (document.getNumberOfPages() > Bounds.PAGES) {
                throw tooManyPages();
            }
            var extractor = new PdfExtractor();
            extractor.pages(document);
            extractor.write(out);
        } catch (InvalidPasswordException e) {
            throw new Rejection(Code.ENCRYPTED, "it is a PDF protected by a password; save it without one");
        } catch (IOException | IllegalArgumentException | IllegalStateException | ClassCastException e) {
            throw Rejection.damaged("the PDF cannot be read; open it and save it again", null);
        }
    }

    /** Returns whether the file is complete. The library would extract anything from a truncated one. */
    private static boolean isWhole(byte[] file) {
        var from = Math.max(0, file.length - END);
        return new String(file, from, file.length - from, StandardCharsets.ISO_8859_1).contains("startxref");
    }

    private static Rejection tooManyPages() {
        return new Rejection(
                Code.TOO_LARGE,
                "it has more than %,d pages, the most that one document may have".formatted(Bounds.PAGES));
    }

    /** Processes the pages with its own count, since the page tree may declare a wrong number. */
    private void pages(PDDocument document) throws IOException {
        var pages = 0;
        for (PDPage _ : document.getPages()) {
            if (++pages > Bounds.PAGES) {
                throw tooManyPages();
            }
        }
        if (pages == 0) {
            throw Rejection.damaged("the PDF has no pages", null);
        }
        writeText(document, Writer.nullWriter());
        endLine();
    }

    @Override
    protected void writeString(String words, List<TextPosition> positions) {
        var largest = 0;
        for (var position : positions) {
            var points = Math.round(position.getFontSizeInPt() * 10);
            if (!position.getUnicode().isBlank()) {
                sizes.merge(points, 1, Integer::sum);
                largest = Math.max(largest, points);
            }
        }
        if (!positions.isEmpty() && largest > 0) {
            var at = positions.getFirst().getYDirAdj();
            if (text.isEmpty() || Math.abs(at - y) * 10 > SAME_LINE * Math.max(size, largest)) {
                endLine();
                begin(at, largest);
            }
        }
        size = Math.max(size, largest);
        characters += words.length();
        if (characters > Bounds.CHARACTERS) {
            throw new Rejection(
                    Code.TOO_LARGE,
                    "it has more than %,d characters of text; split it".formatted(Bounds.CHARACTERS),
                    "page " + getCurrentPageNo());
        }
        text.append(words);
    }

    private void begin(double at, int largest) {
        var before = lines.isEmpty() || lines.getLast().page() != getCurrentPageNo()
                ? -1
                : (int) ((at - y) * 1000 / largest);
        gap = before > 0 && before < 1_000 ? before : -1;
        if (gap > 0) {
            gaps.merge(gap / 5 * 5, 1, Integer::sum);
        }
        y = at;
    }

    @Override
    protected void writeWordSeparator() {
        text.append(' ');
    }

    @Override
    protected void writeLineSeparator() {
        // Lines are separated by their positions.
    }

    @Override
    protected void writeParagraphStart() {
        // Paragraphs too.
    }

    @Override
    protected void writeParagraphEnd() {
        // Paragraphs too.
    }

    @Override
    protected void writePageEnd() {
        endLine();
    }

    private void endLine() {
        var line = text.toString().strip();
        if (!line.isEmpty()) {
            lines.add(new Line(line, size, gap, getCurrentPageNo()));
        }
        text = new StringBuilder();
        size = 0;
    }

    private List<Paragraph> paragraphs() {
        var usual = gaps.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(120);
        var paragraphs = new ArrayList<Paragraph>();
        Line before = null;
        for (var line : lines) {
            if (before == null || isNew(line, before, usual)) {
                paragraphs.add(new Paragraph(line.text(), line.size(), line.page()));
            } else {
                var last = paragraphs.removeLast();
                paragraphs.add(new Paragraph(
                        joined(last.text(), line.text()), Math.max(last.size(), line.size()), last.page()));
            }
            before = line;
        }
        return paragraphs;
    }

    private static boolean isNew(Line line, Line before, int usual) {
        return line.gap() < 0
                || line.gap() > usual * APART
                || line.size() > before.size() * LARGER
                || before.size() > line.size() * LARGER
                || ITEM.matcher(line.text()).matches();
    }

    /** Joins two lines. After a soft hyphen, the word continues. */
    private static String joined(String line, String next) {
        return line.endsWith("\u00AD") ? line.substring(0, line.length() - 1) + next : line + " " + next;
    }

    private void write(BlockWriter out) {
        var paragraphs = paragraphs();
        var body = sizes.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(0);
        var headings = paragraphs.stream()
                .filter(one -> isHeading(one, body))
                .map(Paragraph::size)
                .distinct()
                .sorted(Comparator.reverseOrder())
                .toList();
        for (var one : paragraphs) {
            var position = "page " + one.page();
            var item = ITEM.matcher(one.text());
            if (isHeading(one, body)) {
                out.add(BlockKind.HEADING, Math.min(6, headings.indexOf(one.size()) + 1), one.text(), position);
            } else if (item.matches()) {
                out.add(BlockKind.ITEM, 1, item.group(2), position);
            } else {
                out.add(BlockKind.PARAGRAPH, 0, one.text(), position);
            }
        }
    }

    private static boolean isHeading(Paragraph paragraph, int body) {
        return paragraph.size() > body * LARGER && paragraph.text().length() <= LONGEST_HEADING;
    }
}
