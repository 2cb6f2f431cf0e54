package io.agentworkspace.engine.app.setup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks the room on the disk of the data directory. */
final class DiskCheck {
    private static final long GIGABYTE = 1_000_000_000;
    private static final long LITTLE = 2 * GIGABYTE;
    private static final long TOO_LITTLE = GIGABYTE / 5;

    private DiskCheck() {}

    /** @param directory the data directory, or one that does not exist yet */
    static Finding run(Path directory) {
        var existing = directory;
        while (existing != null && !Files.isDirectory(existing)) {
            existing = existing.getParent();
        }
        if (existing == null || !Files.isWritable(existing)) {
            return Finding.fail(
                    "disk", "%s cannot be written to: set ENGINE_DATA_DIR to a directory that can", directory);
        }
        try {
            var free = Files.getFileStore(existing).getUsableSpace();
            var words = "%.1f GB are free at %s".formatted((double) free / GIGABYTE, directory);
            if (free < TOO_LITTLE) {
                return Finding.fail("disk", "%s: PostgreSQL stops when the disk is full", words);
            }
            return free < LITTLE ? Finding.warn("disk", "%s: make room", words) : Finding.ok("disk", "%s", words);
        } catch (IOException e) {
            return Finding.note("disk", "the free space at %s cannot be read", directory);
        }
    }
}
