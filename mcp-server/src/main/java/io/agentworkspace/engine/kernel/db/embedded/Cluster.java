package io.agentworkspace.engine.kernel.db.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;

/**
 * The database files. They are created once, with one user. Its password is beside them in a file that only its owner
 * can read.
 */
record Cluster(Path path, String password) {
    static final String USER = "engine";

    /** Finds or creates the cluster: first the password, then the files under another name, then the rename. */
    static Cluster in(DataDirectory directory, Binaries binaries, UnprivilegedCommand confinement) {
        Path path = directory.cluster();
        try {
            if (Files.exists(path.resolve("PG_VERSION"))) {
                return existing(
                        directory, Files.readString(path.resolve("PG_VERSION")).strip());
            }
            Path partial = path.resolveSibling("postgres.partial");
            Binaries.delete(partial);
            Files.createDirectory(partial);
            String password = password(directory.password());
            confinement.handOver(directory.password());
            confinement.handOver(partial);
            initialise(confinement.command(
                    binaries.program("initdb"),
                    List.of(
                            "-D",
                            partial.toString(),
                            "-U",
                            USER,
                            "-A",
                            "scram-sha-256",
                            "--pwfile=" + directory.password(),
                            "-E",
                            "UTF8",
                            // PostgreSQL's own rules for letters: macOS has no locale C.UTF-8.
                            "--locale=C",
                            "--locale-provider=builtin",
                            "--builtin-locale=C.UTF-8",
                            // The password is random. To hash it 4,096 times would only make each sign-in slower.
                            "--set=scram_iterations=1",
                            "--no-instructions")));
            Files.move(partial, path, StandardCopyOption.ATOMIC_MOVE);
            return new Cluster(path, password);
        } catch (IOException e) {
            throw new PostgresFailure("cannot create the database in " + path + ": " + e, e);
        }
    }

    private static Cluster existing(DataDirectory directory, String version) throws IOException {
        if (!version.equals(Binaries.major())) {
            throw new PostgresFailure("""
                    the database in %s belongs to PostgreSQL %s, and this engine includes PostgreSQL %s: \
                    first upgrade the database with pg_upgrade or pg_dump""".formatted(directory.cluster(), version, Binaries.major()));
        }
        if (!Files.exists(directory.password())) {
            throw new PostgresFailure(
                    "the password of the database is missing: restore the file " + directory.password());
        }
        return new Cluster(directory.cluster(), readPassword(directory));
    }

    /**
     * Identifies the files: their copy has another text. It is of one file that is never written again, and whose time
     * of creation no program can set.
     */
    String files() {
        try {
            var attributes = Files.readAttributes(path.resolve("PG_VERSION"), "unix:ino,creationTime");
            return attributes.get("ino") + "-" + attributes.get("creationTime");
        } catch (IOException e) {
            throw new PostgresFailure("cannot read the database in " + path + ": " + e, e);
        }
    }

    static String readPassword(DataDirectory directory) {
        try {
            return Files.readString(directory.password()).strip();
        } catch (IOException e) {
            throw new PostgresFailure("cannot read the password of the database: " + e, e);
        }
    }

    private static String password(Path file) throws IOException {
        if (Files.exists(file)) {
            return Files.readString(file).strip();
        }
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        String password = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        Path partial = file.resolveSibling(file.getFileName() + ".partial");
        Files.deleteIfExists(partial);
        Files.createFile(partial, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(partial, password + "\n");
        Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
        return password;
    }

    private static void initialise(List<String> command) {
        var outcome = PostgresProgram.run(command);
        if (!outcome.succeeded()) {
            throw new PostgresFailure("initdb failed: " + outcome.output().replace('\n', ' '));
        }
    }
}
