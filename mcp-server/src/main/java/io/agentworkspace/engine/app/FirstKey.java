package io.agentworkspace.engine.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The first API key of a fresh installation. It is shown once, framed, on standard output. */
public record FirstKey(String key) {

    public String framed() {
        return """
                +%1$s+
                |  The first API key, shown only this once:%2$s|
                |%3$s|
                |  %4$s  |
                +%1$s+
                """.formatted(
                        "-".repeat(width()),
                        " ".repeat(width() - 42),
                        " ".repeat(width()),
                        key + " ".repeat(width() - 4 - key.length()));
    }

    /** Writes the key to a file that only its owner can read, for those who missed the output. */
    void keepIn(Path dataDir) throws IOException {
        Path file = dataDir.resolve("first-api-key");
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, key + "\n");
    }

    private int width() {
        return Math.max(key.length(), 40) + 4;
    }

    /** Returns a text without the key, in case it gets into a log. */
    @Override
    public String toString() {
        return "FirstKey";
    }
}
