package io.agentworkspace.engine.skills;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.Problem;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SkillFolderTest {
    @TempDir
    private Path temp;

    private Path folder;

    @BeforeEach
    void write() throws IOException {
        folder = temp.resolve("pdf-forms");
        Files.createDirectories(folder.resolve("references"));
        Files.writeString(folder.resolve("SKILL.md"), """
                ---
                name: pdf-forms
                description: Fills forms.
                ---
                Body.
                """);
        Files.writeString(folder.resolve("references/guide.md"), "How to.");
    }

    @Test
    void aFolderIsReadWithAllThatIsInIt() {
        var skill = SkillFolder.read(folder);
        assertThat(skill.name()).isEqualTo("pdf-forms");
        assertThat(skill.files()).extracting(SkillFile::path).containsExactly("SKILL.md", "references/guide.md");
        assertThat(SkillFolder.read(folder.resolve("references/..")).name()).isEqualTo("pdf-forms");
    }

    @Test
    void linksAreRefusedWhereverTheyLead() throws IOException {
        var outside = Files.writeString(temp.resolve("secret.txt"), "secret");
        var link = Files.createSymbolicLink(folder.resolve("notes.txt"), outside);
        refused("the file 'notes.txt' must be a plain file");
        Files.delete(link);
        Files.createSymbolicLink(folder.resolve("more"), folder.resolve("references"));
        refused("the file 'more' must be a plain file");
    }

    @Test
    void aLargeFileIsRefusedUnread() throws IOException {
        try (var file = new RandomAccessFile(folder.resolve("huge.bin").toFile(), "rw")) {
            file.setLength(1L << 40);
        }
        refused("the file 'huge.bin' has 1,099,511,627,776 bytes; at most 1,048,576 are allowed");
    }

    @Test
    void aDeepFolderIsNotFollowed() throws IOException {
        Files.createDirectories(folder.resolve("a/b/c/d/e/f/g/h/i/j"));
        refused("lies too deep");
    }

    @Test
    void whatIsNoFolderIsRefused() {
        assertThatThrownBy(() -> SkillFolder.read(temp.resolve("nothing")))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("must be a folder");
    }

    private void refused(String noted) {
        assertThatThrownBy(() -> SkillFolder.read(folder))
                .isInstanceOf(Problem.class)
                .hasMessageContaining(noted);
    }
}
