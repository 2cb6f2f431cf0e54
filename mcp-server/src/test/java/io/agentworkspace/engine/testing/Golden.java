package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Files in the repository that are derived from the code: a test compares them, or with {@code -Dgolden=update} rewrites them. */
public final class Golden {
    private static final boolean UPDATE = System.getProperty("golden", "").equals("update");
    private static final String HOW =
            "./engine test -Dgolden=update rewrites it; then read the difference, for clients will see it";

    private Golden() {}

    /** Whether files are rewritten now. */
    public static boolean isUpdating() {
        return UPDATE;
    }

    /** The file holds just this text. */
    public static void check(Path file, String text) {
        if (UPDATE) {
            write(file, text);
        }
        if (!Files.exists(file)) {
            fail("%s is missing: %s", file, HOW);
        }
        assertThat(Repository.text(file)).as("%s is stale: %s", file, HOW).isEqualTo(text);
    }

    /** Between the two comments of this name, which have a line each, the file holds just this text. */
    public static void checkPart(Path file, String name, String text) {
        var whole = Repository.text(file);
        var begin = whole.indexOf('\n', whole.indexOf("<!-- " + name)) + 1;
        var end = whole.indexOf("<!-- /" + name);
        assertThat(begin).as("%s has a place for %s", file, name).isPositive().isLessThanOrEqualTo(end);
        check(file, whole.substring(0, begin) + text + whole.substring(end));
    }

    /** The folder holds the files of these names, and no others. */
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
