package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.PdfColumns.Fragment;
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
import java.util.stream.Collectors;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.io.IOUtils;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.encryption.InvalidPasswordException;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.encoding.GlyphList;
import org.apache.pdfbox.text.PDFTextStripper;
import org.apache.pdfbox.text.TextPosition;
import org.apache.pdfbox.util.Matrix;
import org.apache.pdfbox.util.Vector;

/** Extracts the text of a PDF: paragraphs by their spacing, headings by their size. Images are not read. */
public final class PdfExtractor extends PDFTextStripper {
    private static final Pattern ITEM = Pattern.compile("^([•◦▪●○■‣–*-]|\\d{1,2}[.)])\\s+(\\S.*)$", Pattern.DOTALL);

    /** How much larger than most of the text a heading is. */
    private static final double LARGER = 1.12;

    private static final int END = 64 * 1024;
    private static final int LONGEST_HEADING = 200;

    /** How much further apart than usual the lines of different paragraphs are. */
    private static final double APART = 1.25;

    /** The vertical distance within which text is on the same line, relative to the letters' size. */
    private static final double SAME_LINE = 0.4;

    /** The space between parts of a line that may be of different columns, relative to the letters' size. */
    private static final double WIDE_SPACE = 0.9;

    private final List<Line> lines = new ArrayList<>();
    private final List<Fragment> page = new ArrayList<>();
    private final TreeMap<Integer, Integer> sizes = new TreeMap<>();
    private final TreeMap<Integer, Integer> gaps = new TreeMap<>();
    private StringBuilder text = new StringBuilder();
    private int size;
    private double y;
    private double left;
    private double right;
    private boolean beginsLine;
    private long characters;
    private long letters;
    private long unknown;

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

    public static void extract(byte[] file, BlockWriter out) {
        if (!isWhole(file)) {
            throw Rejection.damaged("the PDF is cut off; submit the whole file", null);
        }
        try (var document = Loader.loadPDF(file, "", null, null, IOUtils.createMemoryOnlyStreamCache())) {
            if (document.getNumberOfPages() > Bounds.PAGES) {
                throw tooManyPages();
            }
            var extractor = new PdfExtractor();
            extractor.pages(document);
            extractor.checkLetters();
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
    }

    /** Counts glyphs whose font does not contain which characters they are. Their codes would be read as if they were. */
    @Override
    protected void showGlyph(Matrix matrix, PDFont font, int code, Vector displacement) throws IOException {
        if (font.toUnicode(code, GlyphList.getAdobeGlyphList()) == null) {
            unknown++;
        } else {
            super.showGlyph(matrix, font, code, displacement);
        }
    }

    private static boolean isNoCharacter(int c) {
        return c == 0xFFFD || Character.isISOControl(c) || !Character.isDefined(c);
    }

    private void checkLetters() {
        if (unknown > letters) {
            throw new Rejection(
                    Code.NO_TEXT,
                    "its fonts do not contain which letters they draw, so it has no text; export it again with embedded fonts, or submit its text");
        }
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
            place(positions, largest);
        }
        size = Math.max(size, largest);
        characters += words.length();
        letters += words.codePoints().filter(Character::isLetterOrDigit).count();
        unknown += words.codePoints().filter(PdfExtractor::isNoCharacter).count();
        if (characters > Bounds.CHARACTERS) {
            throw new Rejection(
                    Code.TOO_LARGE,
                    "it has more than %,d characters of text; split it".formatted(Bounds.CHARACTERS),
                    "page " + getCurrentPageNo());
        }
        text.append(words);
    }

    /** Ends the fragment before a word on another line, or after a wide space. */
    private void place(List<TextPosition> positions, int largest) {
        var at = positions.getFirst().getYDirAdj();
        var from = positions.getFirst().getXDirAdj();
        var most = Math.max(size, largest);
        var isSameLine = !text.isEmpty() && Math.abs(at - y) * 10 <= SAME_LINE * most;
        if (!isSameLine || from < left || (from - right) * 10 > WIDE_SPACE * most) {
            endFragment();
            y = isSameLine ? y : at;
            beginsLine = !isSameLine;
            left = from;
        }
        right = positions.getLast().getXDirAdj() + positions.getLast().getWidthDirAdj();
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
        endFragment();
        Line before = null;
        var last = 0.0;
        for (var fragments : PdfColumns.lines(page)) {
            var words = fragments.stream().map(Fragment::text).collect(Collectors.joining(" "));
            var largest = fragments.stream().mapToInt(Fragment::size).max().orElse(0);
            var at = fragments.getFirst().y();
            before = new Line(words, largest, before == null ? -1 : gap(at - last, largest), getCurrentPageNo());
            lines.add(before);
            last = at;
        }
        page.clear();
    }

    private int gap(double distance, int largest) {
        var gap = (int) (distance * 1000 / largest);
        if (gap <= 0 || gap >= 1_000) {
            return -1;
        }
        gaps.merge(gap / 5 * 5, 1, Integer::sum);
        return gap;
    }

    private void endFragment() {
        var words = text.toString().strip();
        if (!words.isEmpty() && size > 0) {
            page.add(new Fragment(words, size, left, right, y, beginsLine));
        }
        text = new StringBuilder();
        size = 0;
    }

    private List<Paragraph> paragraphs() {
        var usual = gaps.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse(120);
        var words = new DividedWords(lines.stream().map(Line::text).toList());
        var paragraphs = new ArrayList<Paragraph>();
        Line before = null;
        for (var line : lines) {
            var isDivided =
                    before != null && line.size() == before.size() && words.continues(before.text(), line.text());
            if (before == null || isNew(line, before, usual) && !isDivided) {
                paragraphs.add(new Paragraph(line.text(), line.size(), line.page()));
            } else {
                var last = paragraphs.removeLast();
                paragraphs.add(new Paragraph(
                        words.joined(last.text(), line.text()), Math.max(last.size(), line.size()), last.page()));
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
