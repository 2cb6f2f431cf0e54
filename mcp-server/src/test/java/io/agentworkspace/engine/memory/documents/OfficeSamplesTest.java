package io.agentworkspace.engine.memory.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.agentworkspace.engine.memory.documents.extract.Block;
import io.agentworkspace.engine.memory.documents.extract.process.Extracted;
import io.agentworkspace.engine.memory.documents.extract.process.Extraction;
import io.agentworkspace.engine.memory.documents.extract.process.ExtractorProcess;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.Repository;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Samples of office documents and mails by several programs, in several languages, and damaged ones, through the process
 * that extracts text. The golden file has the blocks of each, with their positions.
 */
class OfficeSamplesTest {
    private static final Path FOLDER = Repository.file("mcp-server/src/test/resources/documents-office");
    private static final Path OUTLINES = Repository.file("mcp-server/src/test/resources/golden/office-samples.txt");

    /** The blocks of a sample that the golden file shows. */
    private static final int SHOWN = 24;

    private static ExtractorProcess process;

    @BeforeAll
    static void start() {
        process = ExtractorProcess.start(HangLimit.TIME);
    }

    @AfterAll
    static void end() {
        process.close();
    }

    private static List<String> names() {
        try (var files = Files.list(FOLDER)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] file(String name) {
        try {
            return Files.readAllBytes(FOLDER.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Extracted extracted(String name, byte[] file, boolean comments) {
        var pieces = new ArrayDeque<>(List.of(file, new byte[0]));
        try {
            return process.extract(new Extraction.DeclaredFile(name, null, null, comments), pieces::removeFirst);
        } catch (ExtractorProcess.Lost lost) {
            throw new AssertionError(name, lost);
        }
    }

    private static List<Block> blocks(Extracted extracted) {
        return extracted.parts().stream()
                .flatMap(part -> Json.readList(part.blocks(), Block.class).stream())
                .toList();
    }

    private static String line(Block block) {
        return "%s%s %s  @%s\n"
                .formatted(
                        block.kind().word(),
                        block.level() == 0 ? "" : block.level(),
                        block.text().length() > 200 ? block.text().substring(0, 200) + "…" : block.text(),
                        block.position());
    }

    private static String outline(String name) {
        var extracted = extracted(name, file(name), false);
        var blocks = blocks(extracted);
        var text = new StringBuilder("== %s: %s\n".formatted(name, extracted.type()));
        for (var reason : extracted.reasons()) {
            text.append("%s: %s  @%s\n".formatted(reason.code().word(), reason.message(), reason.position()));
        }
        blocks.stream().limit(SHOWN).map(OfficeSamplesTest::line).forEach(text::append);
        if (blocks.size() > SHOWN) {
            text.append("… %d in all, the last:\n%s".formatted(blocks.size(), line(blocks.getLast())));
        }
        return text.toString();
    }

    @Test
    void eachSampleKeepsItsTextItsOrderAndItsPlaces() {
        assertThat(names()).hasSizeGreaterThanOrEqualTo(75);
        Golden.check(OUTLINES, names().stream().map(OfficeSamplesTest::outline).collect(Collectors.joining("\n")));
    }

    private static String text(String name, boolean comments) {
        return blocks(extracted(name, file(name), comments)).stream()
                .map(Block::text)
                .collect(Collectors.joining("\n"));
    }

    /** The same workbook by two programs and in two formats. */
    @Test
    void sheetsKeepDatesValuesAndWhatIsHidden() {
        for (var name : List.of("tides-openpyxl.xlsx", "tides-libreoffice.xlsx", "tides-libreoffice.ods")) {
            assertThat(text(name, false))
                    .as(name)
                    .contains("Prices (hidden sheet)\nitem | price | since\nberth | ", "\nListe\nMöwe\nBoje\nAnker")
                    .containsPattern("berth \\| 1,?234.50? EUR \\| 2025-12-31 23:30")
                    .containsPattern("\n2026-03-02 \\| 06:01 \\| 1.51 \\| 0.5%");
        }
        assertThat(text("tides-libreoffice.xlsx", false)).contains("| 3.02").doesNotContain("=C5*2");
    }

    @Test
    void commentsAreThereOnlyIfAskedFor() {
        for (var sample : List.of(
                "comments-hand.docx Comment by Ann: Since when?",
                "tides-openpyxl.xlsx Comment by Ann: Measured at the old pier",
                "slides-hand.pptx Comment: Is this right?",
                "hidden-hand.odt Comment by Ann: Which words?",
                "hand.rtf Comment by Ann: Which words?")) {
            var name = sample.substring(0, sample.indexOf(' '));
            var comment = sample.substring(sample.indexOf(' ') + 1);
            assertThat(text(name, true)).as(name).contains(comment);
            assertThat(text(name, false))
                    .as(name)
                    .doesNotContain("Comment", comment.substring(comment.indexOf(':') + 2));
        }
    }

    /** Notes, comments and what belongs to a slide may be missing: its own text may not. */
    @Test
    void slidesAreReadAlthoughTheirNotesAreDamaged() throws IOException {
        var whole = extracted("slides-hand.pptx", file("slides-hand.pptx"), true);
        var damaged = extracted(
                "slides-hand.pptx", cut("slides-hand.pptx", "ppt/notesSlides/n1.xml", "ppt/comments/c1.xml"), true);
        assertThat(damaged.reasons())
                .allMatch(DocumentReason::warns)
                .extracting(DocumentReason::code, DocumentReason::position)
                .containsExactly(
                        tuple(DocumentReason.Code.PART_DAMAGED, "ppt/notesSlides/n1.xml"),
                        tuple(DocumentReason.Code.PART_DAMAGED, "ppt/comments/c1.xml"));
        assertThat(damaged.type()).isEqualTo(whole.type());
        assertThat(blocks(damaged))
                .isNotEmpty()
                .isEqualTo(blocks(whole).stream()
                        .filter(block -> !block.position().contains("notes")
                                && !block.text().startsWith("Comment"))
                        .toList());
        var withoutRelations =
                extracted("slides-hand.pptx", cut("slides-hand.pptx", "ppt/slides/_rels/slide1.xml.rels"), true);
        assertThat(blocks(withoutRelations)).isEqualTo(blocks(damaged));
        assertThat(extracted("slides-hand.pptx", cut("slides-hand.pptx", "ppt/slides/slide1.xml"), true)
                        .reasons())
                .extracting(DocumentReason::code)
                .containsExactly(DocumentReason.Code.DAMAGED);
    }

    /** Each line: a sample, a part that its text can do without, and a text that is kept. */
    @Test
    void aTextIsKeptAlthoughAPartThatItCanDoWithoutIsDamagedOrMissing() throws IOException {
        for (var line : List.of(
                "comments-hand.docx word/footnotes.xml The pier is open.",
                "comments-hand.docx word/comments.xml Closed in winter.",
                "guide-de-libreoffice.docx word/styles.xml Der Hafenführer",
                "guide-de-libreoffice.docx word/footnotes.xml Der Hafenführer",
                "guide-de-libreoffice.docx word/_rels/document.xml.rels Der Hafenführer",
                "tides-libreoffice.xlsx xl/styles.xml Tide tables of the harbour",
                "tides-libreoffice.xlsx xl/comments1.xml 2026-03-02 | 06:01 | 1.51",
                "tides-libreoffice.xlsx xl/worksheets/_rels/sheet1.xml.rels 2026-03-02 | 06:01 | 1.51",
                "tides-libreoffice.xlsx _rels/.rels 2026-03-02 | 06:01 | 1.51",
                "slides-hand.pptx ppt/notesSlides/n1.xml Is this right?",
                "guide-de-libreoffice.odt styles.xml Der Hafenführer")) {
            var words = line.split(" ", 3);
            for (var file : List.of(cut(words[0], words[1]), without(words[0], words[1]))) {
                var read = extracted(words[0], file, true);
                assertThat(read.reasons())
                        .as(line)
                        .allSatisfy(reason -> assertThat(reason.code()).isEqualTo(DocumentReason.Code.PART_DAMAGED))
                        .extracting(DocumentReason::position)
                        .isSubsetOf(words[1])
                        .hasSizeLessThan(2);
                assertThat(blocks(read)).as(line).extracting(Block::text).anyMatch(text -> text.contains(words[2]));
            }
            assertThat(extracted(words[0], cut(words[0], words[1]), true).reasons())
                    .as(line)
                    .hasSize(1);
        }
    }

    /** What is missing without a trace, such as a sheet or texts of its cells, refuses the file. */
    @Test
    void whatAWorkbookRefersToIsReadOrRefused() throws IOException {
        var name = "tides-libreoffice.xlsx";
        var texts = "xl/sharedStrings.xml";
        for (var file : List.of(cut(name, texts), without(name, texts))) {
            assertThat(extracted(name, file, false).reasons())
                    .extracting(DocumentReason::code, DocumentReason::position)
                    .containsExactly(tuple(DocumentReason.Code.DAMAGED, texts));
        }
        assertThat(extracted(name, without(name, "xl/worksheets/sheet2.xml"), false)
                        .reasons())
                .extracting(DocumentReason::code)
                .containsExactly(DocumentReason.Code.DAMAGED);
    }

    /** A damaged end that no cell refers to is a warning with the real name of the part. A cell may have no number. */
    @Test
    void textsThatNoCellNeedsMayBeMissing() throws IOException {
        var name = "tides-libreoffice.xlsx";
        var shorter = changed(name, "xl/sharedStrings.xml", part -> part.replace("</sst>", ""));
        assertThat(extracted(name, shorter, false).reasons())
                .extracting(DocumentReason::code, DocumentReason::position)
                .containsExactly(tuple(DocumentReason.Code.PART_DAMAGED, "xl/sharedStrings.xml"));
        var empty = changed(name, "xl/worksheets/sheet2.xml", part -> part.replace("<v>7</v>", ""));
        assertThat(extracted(name, empty, false).reasons()).isEmpty();
        var renamed = changed(
                name,
                "xl/_rels/workbook.xml.rels",
                part -> part.replace("sharedStrings", "texts")
                        .replace("relationships/texts", "relationships/sharedStrings"));
        assertThat(extracted(name, renamed, false).reasons())
                .extracting(DocumentReason::code, DocumentReason::position)
                .containsExactly(tuple(DocumentReason.Code.DAMAGED, "xl/texts.xml"));
    }

    /** The warnings of a mail say which attachment they are about, and are bounded as a whole. */
    @Test
    void warningsSayWhichAttachmentTheyAreAbout() throws IOException {
        var base64 = Base64.getMimeEncoder().encodeToString(cut("comments-hand.docx", "word/footnotes.xml"));
        var mail = new StringBuilder("""
                From: ann@example.org
                Subject: Rules
                Content-Type: multipart/mixed; boundary="b"

                --b
                Content-Type: text/plain; charset=utf-8

                See below.
                """);
        for (var i = 1; i <= 25; i++) {
            mail.append("""
                    --b
                    Content-Type: application/octet-stream; name="rules%d.docx"
                    Content-Disposition: attachment; filename="rules%d.docx"
                    Content-Transfer-Encoding: base64

                    %s
                    """.formatted(i, i, base64));
        }
        var read = extracted("rules.eml", mail.append("--b--\n").toString().getBytes(StandardCharsets.UTF_8), false);
        assertThat(read.reasons())
                .hasSize(20)
                .extracting(DocumentReason::position)
                .startsWith("attachment rules1.docx, word/footnotes.xml", "attachment rules2.docx, word/footnotes.xml");
        assertThat(blocks(read)).extracting(Block::text).contains("Attachment: rules25.docx");
    }

    /** Returns a sample in which some parts end after half of them. */
    private static byte[] cut(String name, String... parts) throws IOException {
        return copy(
                name, (part, bytes) -> List.of(parts).contains(part) ? Arrays.copyOf(bytes, bytes.length / 2) : bytes);
    }

    /** Returns a sample in which the text of a part is another one. */
    private static byte[] changed(String name, String changed, UnaryOperator<String> change) throws IOException {
        return copy(
                name,
                (part, bytes) -> part.equals(changed)
                        ? change.apply(new String(bytes, StandardCharsets.UTF_8))
                                .getBytes(StandardCharsets.UTF_8)
                        : bytes);
    }

    /** Returns a sample without a part. */
    private static byte[] without(String name, String missing) throws IOException {
        return copy(name, (part, bytes) -> part.equals(missing) ? null : bytes);
    }

    /** @param change returns the bytes of a part, null if not even its name is kept */
    private static byte[] copy(String name, BiFunction<String, byte[], byte @Nullable []> change) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var zip = new ZipInputStream(new ByteArrayInputStream(file(name)));
                var copy = new ZipOutputStream(out)) {
            for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                var kept = change.apply(entry.getName(), zip.readAllBytes());
                if (kept != null) {
                    copy.putNextEntry(new ZipEntry(entry.getName()));
                    copy.write(kept);
                }
            }
        }
        return out.toByteArray();
    }

    @Test
    void aTableInACellFollowsItsRowAndNoTextIsLost() {
        var html = """
                <table><caption>Berths</caption>
                <tr><th>berth</th><th>tides</th><th>note</th></tr>
                <tr><td>North</td><td>Before <table><tr><th>low</th><th>high</th></tr><tr><td>06:12</td><td>12:25</td></tr></table> and after</td>
                <td>deep</td></tr>
                <tr><td>South</td><td>none</td><td>dry</td></tr></table>
                <table><tr><td>Dear Ann,</td></tr><tr><td><table><tr><td>one</td></tr></table></td></tr><tr><td>Regards</td></tr></table>
                """;
        assertThat(blocks(extracted("nested.html", html.getBytes(StandardCharsets.UTF_8), false)))
                .extracting(block -> block.kind().word() + " " + block.text())
                .containsExactly(
                        "paragraph Berths",
                        "header berth | tides | note",
                        "row North | Before and after | deep",
                        "header low | high",
                        "row 06:12 | 12:25",
                        "header berth | tides | note",
                        "row South | none | dry",
                        "header Dear Ann,",
                        "header one",
                        "header Regards");
    }

    /** Cut and changed files end with blocks or with a reason, and the same process reads the next file. */
    @Test
    void damagedFilesEndWithAReason() {
        var random = new Random(51);
        for (var name : names()) {
            var whole = file(name);
            for (var part : List.of(3, 10)) {
                ends(name, Arrays.copyOf(whole, whole.length * part / 11));
            }
            var changed = whole.clone();
            for (var i = 0; i < 1 + whole.length / 500; i++) {
                changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
            }
            ends(name, changed);
        }
    }

    private static void ends(String name, byte[] file) {
        var extracted = extracted(name, file, true);
        assertThat(extracted.parts().isEmpty() && extracted.reasons().isEmpty())
                .as(name)
                .isFalse();
    }
}
