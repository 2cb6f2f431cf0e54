package io.agentworkspace.engine.kernel.db.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The data directory of the embedded database: its real path, and the names inside it. */
record DataDirectory(Path root) {

    /**
     * The group that {@link UnprivilegedCommand} switches to: that of the user nobody on every system, whatever its
     * name.
     */
    static final int NOGROUP = 65534;

    private static final Set<String> OWN_MODES = Set.of("rwx------", "rwx--x---", "rwx--x--x");
    private static final Set<String> OWN_NAMES = Set.of("postgres", "lock", "first-api-key", "secrets-key");

    /** Opens the directory. Creates it if necessary, for its owner only. */
    static DataDirectory open(Path path) {
        try {
            Files.createDirectories(
                    path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            if (!Files.isWritable(path)) {
                throw new PostgresFailure("the data directory " + path + " is not writable; it belongs to "
                        + Files.getOwner(path).getName());
            }
            return new DataDirectory(path.toRealPath());
        } catch (IOException e) {
            throw new PostgresFailure("cannot create the data directory " + path + ": " + e, e);
        }
    }

    /** Denies access to everyone but the owner, root. PostgreSQL runs as the same user, without root's privileges. */
    void closeForOthers() throws IOException {
        if (Files.getOwner(root).getName().equals("root") && isForUsAlone()) {
            FileModes.set(root, "rwx------");
        }
    }

    /**
     * Lets the group of the user nobody pass through, which PostgreSQL has if it runs as another user. The group
     * cannot list the directory.
     */
    void letPass() throws IOException {
        if (isForUsAlone()) {
            Files.setAttribute(root, "unix:gid", NOGROUP);
            FileModes.set(root, "rwx--x---");
        }
    }

    /**
     * Returns whether the directory belongs to an engine alone: it has a mode that an engine sets, or contains only
     * an engine's files. Somebody's {@code /srv} does not.
     */
    private boolean isForUsAlone() throws IOException {
        var mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(root));
        if (OWN_MODES.contains(mode)) {
            return true;
        }
        try (var entries = Files.list(root)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .allMatch(name -> OWN_NAMES.stream().anyMatch(name::startsWith));
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
