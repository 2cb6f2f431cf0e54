package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Files in the repository that are generated from the code. A test compares them, or rewrites
 * them with {@code -Dgolden=update}.
 */
public final class Golden {
    private static final boolean UPDATE = System.getProperty("golden", "").equals("update");
    private static final String HOW =
            "./engine test -Dgolden=update rewrites it; then read the difference, for clients will see it";

    private Golden() {}

    /** Returns whether files are being rewritten. */
    public static boolean isUpdating() {
        return UPDATE;
    }

    /** Checks that the file contains exactly this text. */
    public static void check(Path file, String text) {
        if (UPDATE) {
            write(file, text);
        }
        if (!Files.exists(file)) {
            fail("%s is missing: %s", file, HOW);
        }
        assertThat(Repository.text(file)).as("%s is stale: %s", file, HOW).isEqualTo(text);
    }

    /** Checks that the file contains exactly this text between the two comment lines with this name. */
    public static void checkPart(Path file, String name, String text) {
        var whole = Repository.text(file);
        var begin = whole.indexOf('\n', whole.indexOf("<!-- " + name)) + 1;
        var end = whole.indexOf("<!-- /" + name);
        assertThat(begin)
                .as("%s has the comments for %s", file, name)
                .isPositive()
                .isLessThanOrEqualTo(end);
        check(file, whole.substring(0, begin) + text + whole.substring(end));
    }

    /** Checks that the folder contains exactly these files. */
    public static void checkFolder(Path folder, Map<String, String> files) {
        var present = Repository.files(Repository.ROOT.relativize(folder).toString(), "");
        for (var stray : present) {
            if (!files.containsKey(folder.relativize(stray).toString())) {
                remove(stray);
            }
        }
        files.forEach((name, text) -> check(folder.resolve(name), text));
    }

    private static void remove(Path stray) {
        if (!UPDATE) {
            fail("%s belongs to nothing: %s", stray, HOW);
        }
        try {
            Files.delete(stray);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            if (!Files.exists(file) || !Repository.text(file).equals(text)) {
                Files.writeString(file, text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
