package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The rules of {@code docs/house.md} that only sources can tell. */
class SourcesTest {
    private static final int STOP = 500;

    private static final Pattern PUBLIC =
            Pattern.compile("(?m)^(?:@\\w+.*\\n)*public (?:\\w+ )*(?:class|record|interface|enum|@interface) ");

    @Test
    void noFileIsTooLongToRead() {
        assertThat(Repository.sources()).isNotEmpty();
        assertThat(Repository.sources().stream().filter(file -> lines(file) > STOP))
                .isEmpty();
    }

    private static long lines(Path file) {
        return Repository.text(file).lines().count();
    }

    @Test
    void everyPublicTypeSaysWhatItIs() {
        assertThat(Repository.sources().stream().filter(SourcesTest::isMain).filter(file -> !saysWhatItIs(file)))
                .isEmpty();
    }

    private static boolean isMain(Path file) {
        return Repository.ROOT.relativize(file).toString().contains("/src/main/");
    }

    private static boolean saysWhatItIs(Path file) {
        var text = Repository.text(file);
        var type = PUBLIC.matcher(text);
        return !type.find() || text.substring(0, type.start()).endsWith("*/\n");
    }
}
