package io.agentworkspace.engine.memory.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a model leaves in memory. */
class NativeMemoryTest {
    private static final Path SMAPS = Path.of("/proc/self/smaps");
    private static final String MODEL = "all-minilm-l6-v2-q";
    private static final String RUNTIME = "onnxruntime";

    /** Files in memory cannot be read again from anywhere. */
    @BeforeEach
    void requireLinuxWithATemporaryFolderOnADisk() throws IOException {
        assumeThat(Files.isReadable(SMAPS)).isTrue();
        assumeThat(Files.getFileStore(Path.of(System.getProperty("java.io.tmpdir")))
                        .type())
                .isNotEqualTo("tmpfs");
    }

    /** Returns how many kB of the files of the model's runtime are in memory, without what was changed since they were read. */
    private static long resident() throws IOException {
        var isOfRuntime = false;
        var sum = 0L;
        for (var line : Files.readAllLines(SMAPS)) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                isOfRuntime = line.contains(RUNTIME);
            } else if (isOfRuntime && line.startsWith("Rss:")) {
                sum += kilobytes(line);
            } else if (isOfRuntime && line.startsWith("Anonymous:")) {
                sum -= kilobytes(line);
            }
        }
        return sum;
    }

    private static long kilobytes(String line) {
        return Long.parseLong(line.replaceAll("\\D", ""));
    }

    @Test
    void aClosedModelLeavesHardlyAnythingOfItsRuntimeInMemoryAndCanBeLoadedAgain() throws IOException {
        var model = new BuiltinModel(MODEL);
        var vector = model.query("When is low water?");
        var loaded = resident();
        assertThat(loaded).isGreaterThan(1_000);
        model.close();
        assertThat(resident()).isLessThan(loaded / 2);

        var again = new BuiltinModel(MODEL);
        assertThat(again.query("When is low water?")).isEqualTo(vector);
        again.close();
    }
}
