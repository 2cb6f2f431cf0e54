package io.agentworkspace.engine.memory.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.memory.documents.extract.Block;
import io.agentworkspace.engine.memory.documents.extract.process.Extracted;
import io.agentworkspace.engine.memory.documents.extract.process.Extraction;
import io.agentworkspace.engine.memory.documents.extract.process.ExtractorProcess;
import io.agentworkspace.engine.model.document.DocumentReason;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Real files of texts, PDF and DOCX, and hostile ones, each through the process that extracts text. */
class CorpusTest {
    private static final Path FOLDER = Repository.file("mcp-server/src/test/resources/documents");

    private static ExtractorProcess process;

    @BeforeAll
    static void start() {
        process = ExtractorProcess.start(HangLimit.TIME);
    }

    @AfterAll
    static void end() {
        process.close();
    }

    private static byte[] file(String name) {
        try {
            return Files.readAllBytes(FOLDER.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Extracted extracted(String name) {
        var pieces = new ArrayDeque<>(List.of(file(name), new byte[0]));
        if (pieces.getFirst().length == 0) {
            pieces.removeFirst();
        }
        try {
            return process.extract(new Extraction.DeclaredFile(name, null, null, false), pieces::removeFirst);
        } catch (ExtractorProcess.Lost lost) {
            throw new AssertionError(name, lost);
        }
    }

    private static String found(String name) {
        var extracted = extracted(name);
        var isAccepted = extracted.reasons().stream().allMatch(DocumentReason::warns);
        var reasons = extracted.reasons().stream()
                .map(reason -> reason.code().word() + (reason.position() == null ? "" : "@" + reason.position()))
                .collect(Collectors.joining(", "));
        return "%s | %s | %s | %s"
                .formatted(
                        name,
                        isAccepted ? "accepted" : "rejected",
                        extracted.type() == null ? "-" : extracted.type(),
                        reasons.isEmpty() ? "-" : reasons);
    }

    @Test
    void eachFileIsAcceptedOrRejectedForTheRightReasons() throws IOException {
        var index = Repository.text(FOLDER.resolve("index.txt"))
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
        assertThat(index).hasSizeGreaterThanOrEqualTo(60);
        try (var files = Files.list(FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("index.txt")))
                    .containsExactlyInAnyOrderElementsOf(index.stream()
                            .map(line -> line.substring(0, line.indexOf(' ')))
                            .toList());
        }
        var found = index.stream()
                .map(line -> found(line.substring(0, line.indexOf(' '))))
                .toList();
        assertThat(found).isEqualTo(index);
    }

    private static String outline(String name) {
        return extracted(name).parts().stream()
                .flatMap(part -> Json.readList(part.blocks(), Block.class).stream())
                .map(block ->
                        "%s%s %s".formatted(block.kind().word(), block.level() == 0 ? "" : block.level(), block.text()))
                .collect(Collectors.joining("\n"));
    }

    /** The same document from two programs, and as its source text, keeps its structure. */
    @Test
    void structureIsKept() {
        for (var name : List.of("guide.md", "guide-pandoc.docx", "guide-libreoffice.docx")) {
            assertThat(outline(name))
                    .contains("heading1 Human rights\n")
                    .contains("heading2 Some articles\nitem1 Everyone has the right to life")
                    .contains("item2 nested, with code and a link")
                    .contains(
                            "heading3 In other languages\nheader language | first words\nrow German | Alle Menschen sind frei\n")
                    .contains("row Japanese | すべての人間は");
        }
        assertThat(outline("page.html"))
                .contains("heading2 A list\nitem1 Everyone")
                .contains("header Language | Words\nrow German | Jeder hat")
                .contains("code kept   as\nit is")
                .doesNotContain("never shown");
        assertThat(outline("page-chromium.pdf"))
                .contains("heading1 Human rights\nparagraph All human beings are born free")
                .contains("in a spirit of brotherhood.\nheading2 A list\n");
        assertThat(outline("languages-libreoffice.pdf")).contains("heading2 ru\nparagraph Все люди рождаются");
    }

    @Test
    void encodingsAreFound() {
        for (var name : List.of("rights-ja-shiftjis.txt", "rights-ja-eucjp.txt", "page-ja-shiftjis.html")) {
            assertThat(outline(name)).contains("すべての人間は、生れながらにして自由であり");
        }
        for (var name : List.of("rights-ru-koi8r.txt", "rights-ru-windows1251.txt", "page-ru-windows1251.html")) {
            assertThat(outline(name)).contains("Все люди рождаются свободными и равными");
        }
        assertThat(outline("rights-pl-latin2.txt")).contains("Każdy człowiek ma prawo do życia");
        assertThat(outline("rights-zh-gb18030.txt")).contains("人人生而自由");
        assertThat(outline("rights-fr-windows1252.txt")).contains("12 € — « voilà » …");
        assertThat(outline("rights-el-iso8859-7.txt")).contains("Όλοι οι άνθρωποι");
        assertThat(outline("table-ja.csv")).startsWith("header 番号 | 言葉 | 意味\nrow 1 | じゆう");
        assertThat(outline("table-de-latin1.csv")).contains("Jürgen | München | 1,85");
    }
}
