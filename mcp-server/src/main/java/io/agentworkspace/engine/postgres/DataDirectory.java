package io.agentworkspace.engine.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Where everything of the embedded database lies: one directory, its real path, and the names in it. */
record DataDirectory(Path root) {

    /** Makes the directory if need be. For root it stays passable, since PostgreSQL may have to run as somebody else. */
    static DataDirectory open(Path path) {
        String mode = Confinement.runningAsRoot() ? "rwx--x--x" : "rwx------";
        try {
            Files.createDirectories(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)));
            if (!Files.isWritable(path)) {
                throw new PostgresFailure("the data directory " + path + " is not writable; it belongs to "
                        + Files.getOwner(path).getName());
            }
            return new DataDirectory(path.toRealPath());
        } catch (IOException e) {
            throw new PostgresFailure("the data directory " + path + " cannot be made: " + e, e);
        }
    }

    Path cluster() {
        return root.resolve("postgres");
    }

    Path programs(String version) {
        return root.resolve("postgres-" + version);
    }

    Path password() {
        return root.resolve("postgres-password");
    }

    Path log() {
        return root.resolve("postgres.log");
    }

    Path lock() {
        return root.resolve("lock");
    }
}
