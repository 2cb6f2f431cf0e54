package io.agentworkspace.engine.memory.banks.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.memory.banks.transfer.source.MarkdownSections;
import io.agentworkspace.engine.memory.banks.transfer.source.Section;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts that others size take steps in proportion to their length. */
class MarkdownSectionsTest {
    /** @param most the steps that reading may take */
    private static List<Section> sections(String text, long most) {
        var reader = new MarkdownSections(new StepAllowance(most, () -> Problem.invalid("data", "takes too long")));
        reader.read("notes/a.md", text, null);
        return reader.sections();
    }

    @Test
    void equalHeadingsAreNumberedInOnePass() {
        var text = "# a\nb\n".repeat(110_000);
        var names = sections(text, 40L * 110_000).stream().map(Section::name).toList();
        assertThat(names).hasSize(110_000).doesNotHaveDuplicates();
        assertThat(names.getFirst()).isEqualTo("notes/a.md/a");
        assertThat(names.getLast()).isEqualTo("notes/a.md/a 110000");
    }

    @Test
    void numbersThatHeadingsHaveThemselvesAreTaken() {
        var names = sections("# a 2\nx\n# a\nx\n# a\nx\n# a 2\nx\n# A\nx\n", 1_000).stream()
                .map(Section::name)
                .toList();
        assertThat(names)
                .containsExactly(
                        "notes/a.md/a 2", "notes/a.md/a", "notes/a.md/a 3", "notes/a.md/a 2 2", "notes/a.md/A 4");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    # title          | title
                    ## title ##      | title
                    # title # more   | title more
                    # title#         | title
                    #                | ''
                    # #              | ''
                       ### title     | title
                    """)
    void headingsAreRead(String line, String name) {
        var path = "notes/a.md" + (name.isEmpty() ? "" : "/" + name);
        assertThat(sections(line + "\nbody", 100)).extracting(Section::name).containsExactly(path);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ####### title
                    #title
                    text # title
                    """)
    void otherLinesAreNone(String line) {
        assertThat(sections(line, 100)).extracting(Section::name).containsExactly("notes/a.md");
    }

    /** A million blanks in a heading, a heading of megabytes above many sections, a section of megabytes. */
    @Test
    void longLinesAndSectionsTakeOnePass() {
        assertThat(sections("# a" + " #".repeat(500_000) + "x\nb", 4_000_000)).hasSizeBetween(15, 17);
        assertThat(sections("# " + "a".repeat(2_000_000) + "\n" + "## b\nc\n".repeat(20_000), 8_000_000))
                .hasSize(20_000);
        assertThat(sections("word ".repeat(1_000_000), 20_000_000)).hasSizeBetween(78, 80);
    }

    @Test
    void thereAreAtMostTwoHundredThousandSections() {
        assertThatThrownBy(() -> sections("#\nb\n".repeat(MarkdownSections.MOST + 1), 40_000_000))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("at most 200,000");
    }

    private static byte[] zip(int files, byte[] content) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(bytes)) {
            for (var i = 0; i < files; i++) {
                zip.putNextEntry(new ZipEntry("notes/%d.md".formatted(i)));
                zip.write(content);
                zip.closeEntry();
            }
        }
        return bytes.toByteArray();
    }

    @Test
    void aSmallZipOfManyLinesOrBytesIsRefusedWhileItIsRead() throws IOException {
        var zip = zip(1, "\n".repeat(32 << 20).getBytes(StandardCharsets.US_ASCII));
        assertThat(zip.length).isLessThan(50_000);
        assertThatThrownBy(() -> MarkdownFolder.ofZip(zip)).hasMessageContaining("1,000,001 lines or more");
        var larger = zip(2, " ".repeat(17 << 20).getBytes(StandardCharsets.US_ASCII));
        assertThatThrownBy(() -> MarkdownFolder.ofZip(larger)).hasMessageContaining("unpacked zip");
    }

    @Test
    void aZipOfTooManyFilesIsRefusedBeforeItsDirectoryIsRead() throws IOException {
        var zip = zip(2_001, new byte[0]);
        assertThatThrownBy(() -> MarkdownFolder.ofZip(zip)).hasMessageContaining("2,001");
    }
}
