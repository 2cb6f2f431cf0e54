package io.agentworkspace.engine.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;

/**
 * Collects invalid messages since the last check, for which the running test fails. A process that a test starts writes
 * them to the file in {@link Wire#FAULTS}.
 */
final class Faults {
    private static final int SHOWN = 2_000;
    private static final Queue<String> FOUND = new ConcurrentLinkedQueue<>();
    private static final boolean STARTED_BY_A_TEST = System.getenv(Wire.FAULTS) != null;
    private static final Pattern END = Pattern.compile("\u001e");
    private static final Path FILE = STARTED_BY_A_TEST ? Path.of(System.getenv(Wire.FAULTS)) : newFile();
    private static int taken;
    private static volatile boolean strict = true;

    private Faults() {}

    private static Path newFile() {
        try {
            var file = Files.createTempFile("faults", ".txt");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the file into which processes write what they find. */
    static Path file() {
        return FILE;
    }

    /** @param exchange the messages that the problems are about */
    static void report(List<String> wrongs, Object... exchange) {
        if (!wrongs.isEmpty()) {
            var about = new StringBuilder(String.join("\n  ", wrongs));
            for (var message : exchange) {
                var text = message.toString();
                about.append("\n    ").append(text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text);
            }
            if (STARTED_BY_A_TEST) {
                append(about.append(END).toString());
            } else {
                FOUND.add(about.toString());
            }
        }
    }

    private static void append(String fault) {
        try {
            Files.writeString(FILE, fault, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> take() {
        var faults = new ArrayList<String>();
        for (var next = FOUND.poll(); next != null; next = FOUND.poll()) {
            faults.add(next);
        }
        END.splitAsStream(written()).filter(fault -> !fault.isEmpty()).forEach(faults::add);
        return faults;
    }

    private static synchronized String written() {
        try {
            var all = Files.readString(FILE);
            var added = all.substring(taken);
            taken = all.length();
            return added;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether messages of tests must be valid even if the server accepts them. */
    static boolean strict() {
        return strict;
    }

    static void strict(boolean value) {
        strict = value;
    }
}
