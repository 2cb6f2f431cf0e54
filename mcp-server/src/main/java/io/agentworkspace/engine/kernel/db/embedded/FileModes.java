package io.agentworkspace.engine.kernel.db.embedded;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The file modes in the data directory. */
final class FileModes {
    private static final Set<PosixFilePermission> OWN_FILE = PosixFilePermissions.fromString("rw-------");

    private FileModes() {}

    /**
     * Creates the file if necessary. Only its owner can open it, even if an earlier version made it readable for all.
     */
    static void keepPrivate(Path file) throws IOException {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(OWN_FILE));
        } catch (FileAlreadyExistsException e) {
            set(file, OWN_FILE);
        }
    }

    static void set(Path path, String mode) throws IOException {
        set(path, PosixFilePermissions.fromString(mode));
    }

    private static void set(Path path, Set<PosixFilePermission> mode) throws IOException {
        if (!Files.getPosixFilePermissions(path).equals(mode)) {
            Files.setPosixFilePermissions(path, mode);
        }
    }
}
