package io.agentworkspace.engine.memory.documents.extract.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.memory.documents.extract.Block;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.document.DocumentType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.pdfbox.cos.COSArray;
import org.apache.pdfbox.cos.COSDictionary;
import org.apache.pdfbox.cos.COSName;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts.FontName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The blocks of small documents. */
class ExtractionTest {
    private static final PDFont FONT = new PDType1Font(FontName.HELVETICA);

    private static Extraction extraction(String name, byte[] file) {
        return Extraction.of(file, new Extraction.DeclaredFile(name, null, null, false));
    }

    private static String outline(Extraction extraction) {
        assertThat(extraction.reasons()).isEmpty();
        return extraction.blocks().stream()
                .map(block -> block.kind().word() + " " + block.text())
                .collect(Collectors.joining("\n"));
    }

    private static String csv(String text) {
        var extraction = extraction("table", text.getBytes(StandardCharsets.UTF_8));
        assertThat(extraction.type()).isEqualTo(DocumentType.CSV);
        return outline(extraction);
    }

    @Test
    void aTableWithOneRowIsCsv() {
        assertThat(csv("Name,Age\nJörg,41")).isEqualTo("header Name | Age\nrow Jörg | 41");
        assertThat(csv("Name;Age\r\nJörg;41\r\n")).isEqualTo("header Name | Age\nrow Jörg | 41");
        assertThat(csv("Name\tAge\nJörg\t41")).isEqualTo("header Name | Age\nrow Jörg | 41");
        for (var prose : List.of("Hello, world\nHow are you, then", "Dear Ann,\nthank you,", "Either, or.\nYes, no."))
            assertThat(extraction("note", prose.getBytes(StandardCharsets.UTF_8))
                            .type())
                    .isEqualTo(DocumentType.TEXT);
    }

    @Test
    void theLineThatNamesTheSeparatorIsNoRow() {
        assertThat(csv("sep=;\nName;Age\nJörg;41,5")).isEqualTo("header Name | Age\nrow Jörg | 41,5");
        assertThat(csv("\"SEP=|\"\r\na,b|c\r\nd|e")).isEqualTo("header a,b | c\nrow d | e");
    }

    /** Records keep the cells that they have. */
    @Test
    void aRaggedTableThatIsCalledCsvIsCsv() {
        var file = "a,b,c\n1,2\n1,2,3,4\n5\n".getBytes(StandardCharsets.UTF_8);
        var extraction = extraction("ragged.csv", file);
        assertThat(extraction.type()).isEqualTo(DocumentType.CSV);
        assertThat(outline(extraction)).isEqualTo("header a | b | c\nrow 1 | 2\nrow 1 | 2 | 3 | 4\nrow 5");
        assertThat(extraction("ragged", file).type()).isEqualTo(DocumentType.TEXT);
    }

    private static byte[] docx(String body, String styles) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(bytes)) {
            put(
                    zip,
                    "[Content_Types].xml",
                    "<Types><Override PartName='/word/document.xml' ContentType='application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'/></Types>");
            put(zip, "word/styles.xml", "<w:styles xmlns:w='w'>%s</w:styles>".formatted(styles));
            put(zip, "word/document.xml", "<w:document xmlns:w='w'><w:body>%s</w:body></w:document>".formatted(body));
        }
        return bytes.toByteArray();
    }

    private static void put(ZipOutputStream zip, String path, String text) throws IOException {
        zip.putNextEntry(new ZipEntry(path));
        zip.write(text.getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
    }

    private static String run(String properties, String text) {
        return "<w:r><w:rPr>%s</w:rPr><w:t>%s</w:t></w:r>".formatted(properties, text);
    }

    private static String paragraph(String properties, String... runs) {
        return "<w:p><w:pPr>%s</w:pPr>%s</w:p>".formatted(properties, String.join("", runs));
    }

    @Test
    void aDeletedParagraphMarkJoins() throws IOException {
        var deleted = "<w:rPr><w:del w:id='1' w:author='a'/></w:rPr>";
        var file = docx(
                paragraph(deleted, run("", "One "))
                        + paragraph(deleted, run("", "two "))
                        + paragraph("", run("", "three."))
                        + paragraph("<w:rPr><w:ins w:id='2'/></w:rPr>", run("", "Next."))
                        + paragraph(deleted, run("", "Last."))
                        + "<w:tbl><w:tr><w:tc>" + paragraph(deleted, run("", "cell ")) + paragraph("", run("", "text"))
                        + "</w:tc><w:tc>" + paragraph(deleted, run("", "other")) + "</w:tc></w:tr></w:tbl>"
                        + paragraph(deleted, run("", "End.")),
                "");
        assertThat(outline(extraction("a.docx", file)))
                .isEqualTo(
                        "paragraph One two three.\nparagraph Next.\nparagraph Last.\nheader cell text | other\nparagraph End.");
    }

    @Test
    void aTableInACellIsTextOfTheCell() throws IOException {
        var inner = "<w:tbl><w:tr><w:tc>%s</w:tc><w:tc>%s</w:tc></w:tr><w:tr><w:tc>%s</w:tc></w:tr></w:tbl>"
                .formatted(
                        paragraph("", run("", "inner")),
                        paragraph("", run("", "two")),
                        paragraph("", run("", "three")));
        var file = docx(
                "<w:tbl><w:tr><w:tc>%s%s%s</w:tc><w:tc>%s</w:tc></w:tr></w:tbl>"
                        .formatted(
                                paragraph("", run("", "before")),
                                inner,
                                paragraph("", run("", "after")),
                                paragraph("", run("", "beside"))),
                "");
        assertThat(outline(extraction("a.docx", file))).isEqualTo("header before inner | two three after | beside");
        var nested = docx("<w:tbl><w:tr><w:tc>%s%s</w:tc></w:tr></w:tbl>".formatted(inner, inner), "");
        assertThat(outline(extraction("a.docx", nested))).isEqualTo("header inner | two three inner | two three");
    }

    @Test
    void anEncodedMailIsReadInAnyFormInWhichAnEditorSavesIt() {
        for (var head : List.of(
                "From: a@example.org\r\nTo: b@example.org\r\nSubject: =?utf-8?q?f=C3=BCnf?=\r\n"
                        + "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n",
                "Received: by mail\n\tfrom there\nMIME-Version: 1.0\nDate: today\nSubject: x\n",
                "From a@example.org Mon Jan 1\nfrom: a\nto: b\ncontent-type: multipart/mixed\n",
                "\n\nX_Odd: 1\nFrom : a\nTo: b\nContent-Type : text/plain\n",
                "Subject: x\nContent-Transfer-Encoding: base64\n",
                "From: a\nTo: b\nSubject: =?utf-8?q?f=C3=BCnf?=\n")) {
            var text = head + "\r\nf=C3=BCnf\r\n";
            for (var file : List.of(
                    text.getBytes(StandardCharsets.UTF_8),
                    text.getBytes(StandardCharsets.UTF_16LE),
                    text.getBytes(StandardCharsets.UTF_16))) {
                var read = extraction("mail.eml", file);
                assertThat(read.type()).as(head).isEqualTo(DocumentType.EML);
                assertThat(read.blocks().getFirst().kind().word()).isEqualTo("heading");
            }
        }
        var notes = "From: the team\nTo: everybody\nDate: today\nContent-Type: a note\n\nWe meet at five.";
        assertThat(extraction("notes.txt", notes.getBytes(StandardCharsets.UTF_8))
                        .type())
                .isNotNull();
    }

    @Test
    void aFileThatIsCutWithinACharacterIsAcceptedWithThePlace() {
        for (var charset : List.of("UTF-8", "UTF-16LE", "windows-31j", "GB18030")) {
            var whole = "\u6f6e\u306e\u6642\u9593\u306f\u5341\u4e8c\u6642\u3067\u3059"
                    .repeat(20)
                    .getBytes(Charset.forName(charset));
            var cut = java.util.Arrays.copyOf(whole, whole.length - 1);
            var claim = new Extraction.DeclaredFile("a.txt", "text/plain", charset, false);
            var read = Extraction.of(cut, claim);
            assertThat(read.type()).as(charset).isNotNull();
            assertThat(read.reasons())
                    .as(charset)
                    .anyMatch(reason -> reason.position() != null
                            && reason.position().startsWith("byte ")
                            && Integer.parseInt(reason.position().substring(5)) > whole.length - 5);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Gr\u00fc\u00df,UTF-8",
        "Hello there \uD83D\uDE00,UTF-8",
        "\u6642\u9593\u3067\u3059,UTF-8",
        "Hello there in the harbour,UTF-16LE",
        "Gr\u00fc\u00dfe vom Hafen um f\u00fcnf,UTF-16BE"
    })
    void aShortTextIsCutToo(String text, String charset) {
        var whole = text.getBytes(Charset.forName(charset));
        var read = extraction("a.txt", java.util.Arrays.copyOf(whole, whole.length - 1));
        assertThat(read.type()).isEqualTo(DocumentType.TEXT);
        assertThat(read.blocks().getLast().text()).endsWith("\uFFFD");
        assertThat(read.reasons()).singleElement().matches(reason -> reason.position() != null);
    }

    @Test
    void aPictureIsNoTextWhateverItsBytesCouldBe() {
        var picture = new byte[] {(byte) 0x89, 'P', 'N', 'G', 13, 10, 26, 10, 0, 0, 0, 13};
        assertThat(extraction("a.txt", picture).reasons())
                .anyMatch(reason -> reason.message().contains("image/png"));
    }

    @Test
    void oneBadByteInUtf8IsNamed() {
        var text = "Gr\u00fc\u00dfe vom Hafen, um f\u00fcnf Uhr.".getBytes(StandardCharsets.UTF_8);
        for (var bad : new int[] {0x80, 0xFF, 0xC3, 0xE9}) {
            var file = java.util.Arrays.copyOf(text, text.length + 4);
            file[text.length] = ' ';
            file[text.length + 1] = (byte) bad;
            file[text.length + 2] = ' ';
            file[text.length + 3] = '.';
            var read = extraction("a.txt", file);
            assertThat(read.blocks().getFirst().text()).startsWith("Gr\u00fc\u00dfe vom Hafen, um f\u00fcnf Uhr.");
            assertThat(read.reasons()).anyMatch(reason -> ("byte " + (text.length + 2)).equals(reason.position()));
        }
    }

    @Test
    void hiddenRunsAreLeftOut() throws IOException {
        var styles = """
                <w:style w:type='character' w:styleId='Secret'><w:rPr><w:vanish/></w:rPr></w:style>
                <w:style w:type='character' w:styleId='Derived'><w:basedOn w:val='Secret'/></w:style>
                <w:style w:type='character' w:styleId='Seen'><w:basedOn w:val='Secret'/><w:rPr><w:vanish w:val='0'/></w:rPr></w:style>
                <w:style w:type='paragraph' w:styleId='Note'><w:rPr><w:vanish/></w:rPr></w:style>""";
        var file = docx(
                paragraph(
                                "",
                                run("", "Seen"),
                                run("<w:vanish/>", " hidden"),
                                run("<w:vanish w:val='false'/>", " shown"),
                                run("<w:rStyle w:val='Secret'/>", " hidden"),
                                run("<w:rStyle w:val='Derived'/>", " hidden"),
                                run("<w:rStyle w:val='Derived'/><w:vanish w:val='0'/>", " again"),
                                run("<w:rStyle w:val='Seen'/>", " too"),
                                run("", "."))
                        + paragraph(
                                "<w:pStyle w:val='Note'/>",
                                run("", "hidden"),
                                run("<w:vanish w:val='0'/>", "But this."))
                        + paragraph("<w:rPr><w:vanish/></w:rPr>", run("", "A hidden mark "))
                        + paragraph("", run("", "joins.")),
                styles);
        assertThat(outline(extraction("a.docx", file)))
                .isEqualTo("paragraph Seen shown again too.\nparagraph But this.\nparagraph A hidden mark joins.");
    }

    /** Writes lines at places. */
    private interface Drawing {
        void at(double x, double y, String text) throws IOException;
    }

    private interface Page {
        void draw(Drawing to) throws IOException;
    }

    private static byte[] pdf(PDFont font, Page page) throws IOException {
        try (var document = new PDDocument()) {
            var sheet = new PDPage();
            document.addPage(sheet);
            try (var content = new PDPageContentStream(document, sheet)) {
                content.beginText();
                content.setFont(font, 10);
                page.draw((x, y, text) -> {
                    content.setTextMatrix(org.apache.pdfbox.util.Matrix.getTranslateInstance((float) x, (float) y));
                    content.showText(text);
                });
                content.endText();
            }
            var bytes = new ByteArrayOutputStream();
            document.save(bytes);
            return bytes.toByteArray();
        }
    }

    private static byte[] lines(String... lines) throws IOException {
        return pdf(FONT, to -> {
            for (var i = 0; i < lines.length; i++) {
                to.at(60, 700 - 12 * i, lines[i]);
            }
        });
    }

    @Test
    void aWordDividedAtALinesEndIsWhole() throws IOException {
        assertThat(outline(extraction(
                        "a.pdf",
                        lines(
                                "The recon-",
                                "ciliation of a state-of-the-art and a state-",
                                "of-the-art is a well-",
                                "known e-",
                                "mail of Jean-",
                                "Paul about COVID-",
                                "19, its pre- and post-",
                                "and more."))))
                .isEqualTo(
                        "paragraph The reconciliation of a state-of-the-art and a state-of-the-art is a well-known e-mail"
                                + " of Jean-Paul about COVID-19, its pre- and post- and more.");
    }

    /** Two columns whose lines the file has in turn, below a title and above a footer across both. */
    @Test
    void columnsAreNotMixed() throws IOException {
        var file = pdf(FONT, to -> {
            to.at(
                    60,
                    720,
                    "A title that is so long that it goes across both of the columns of this page, to its right end");
            for (var i = 0; i < 8; i++) {
                to.at(60, 690 - 12 * i, "Left words of line %d in the first column".formatted(i));
                to.at(320, 690 - 12 * i, "Right words of line %d in the second one".formatted(i));
            }
        });
        var text = outline(extraction("a.pdf", file));
        assertThat(text)
                .contains("line 0 in the first column Left words of line 1")
                .contains("line 6 in the second one Right words of line 7")
                .doesNotContain("column Right");
        assertThat(text.indexOf("A title")).isLessThan(text.indexOf("Left words"));
        assertThat(text.indexOf("Left words of line 7")).isLessThan(text.indexOf("Right words of line 0"));
    }

    /** Short columns, with a narrow space between them or a wide one, with lines of one height or not. */
    @ParameterizedTest
    @CsvSource({"3, 196, 0", "5, 196, 0", "8, 330, 0", "3, 330, 0", "8, 330, 2", "40, 210, 0"})
    void columnsThatAreDrawnLineByLineAreReadOneAfterTheOther(int lines, int second, int lower) throws IOException {
        var file = pdf(FONT, to -> {
            for (var i = 0; i < lines; i++) {
                to.at(60, 690 - 12 * i, "Left line %d of the river,".formatted(i));
                to.at(second, 690 - lower - 12 * i, "right %d by the old sea,".formatted(i));
            }
        });
        var expected = Stream.concat(
                        IntStream.range(0, lines).mapToObj("Left line %d of the river,"::formatted),
                        IntStream.range(0, lines).mapToObj("right %d by the old sea,"::formatted))
                .collect(Collectors.joining(" "));
        assertThat(outline(extraction("a.pdf", file)).replace("\nparagraph ", " "))
                .isEqualTo("paragraph " + expected);
    }

    @Test
    void aTableIsReadByRows() throws IOException {
        var file = pdf(FONT, to -> {
            for (var i = 0; i < 8; i++) {
                to.at(60, 690 - 12 * i, "Harbour %d".formatted(i));
                to.at(320, 690 - 12 * i, "%d metres".formatted(10 + i));
            }
        });
        assertThat(outline(extraction("a.pdf", file))).contains("Harbour 3 13 metres");
    }

    @Test
    void aFontWithoutLettersHasNoText() throws IOException {
        var font = new PDType1Font(FontName.HELVETICA);
        var names = new COSArray();
        names.add(org.apache.pdfbox.cos.COSInteger.get(32));
        for (var code = 32; code < 127; code++) {
            names.add(COSName.getPDFName("glyph" + code));
        }
        var encoding = new COSDictionary();
        encoding.setItem(COSName.TYPE, COSName.ENCODING);
        encoding.setItem(COSName.DIFFERENCES, names);
        font.getCOSObject().setItem(COSName.ENCODING, encoding);
        var extraction = extraction("a.pdf", pdf(font, to -> to.at(60, 700, "Unreadable words")));
        assertThat(extraction.reasons()).extracting(DocumentReason::code).containsExactly(DocumentReason.Code.NO_TEXT);
    }

    @Test
    void codeKeepsItsFences() {
        var file = "# Use\n\n```java\nint a = 1;\n  int b;\n```\n\n~~~\nold ``` fence\n~~~\n"
                .getBytes(StandardCharsets.UTF_8);
        assertThat(extraction("a.md", file).blocks().stream().map(Block::rendered))
                .containsExactly("# Use", "```java\nint a = 1;\n  int b;\n```", "````\nold ``` fence\n````");
        for (var item : List.of("1. x\n\n   ```\n   | a | b |\n     c\n   ```", "- ```\n  | a | b |\n    c\n  ```")) {
            assertThat(extraction("a.md", item.getBytes(StandardCharsets.UTF_8)).blocks().stream()
                            .map(Block::rendered))
                    .contains("```\n| a | b |\n  c\n```");
        }
    }
}
