package io.agentworkspace.engine.kernel.db.embedded;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs, unpacked once for each version from the archive on the class path; or copied, which is faster, from where
 * {@code ./engine package} has unpacked them.
 */
record Binaries(Path home) {
    /** The version of the archives in pom.xml. */
    static final String VERSION = "18.6.0";

    private static final Logger LOG = LoggerFactory.getLogger(Binaries.class);

    /** The property of the JVM that names the folder of {@link #in(DataDirectory, Path)}. */
    private static final String SHIPPED = "engine.programs";

    /** The file with the checksums of all others. */
    private static final String CHECKSUMS = "checksums";

    /**
     * Unpacks to a temporary place and renames, so that an interrupted start leaves nothing incomplete. What was unpacked before is
     * used if nothing is missing or damaged, as after a power failure or by a cleaner of files.
     */
    static Binaries in(DataDirectory directory) {
        var shipped = System.getProperty(SHIPPED);
        return in(directory, shipped == null ? null : Path.of(shipped));
    }

    /** @param shipped a folder that may have the unpacked programs; null: there is none */
    static Binaries in(DataDirectory directory, @Nullable Path shipped) {
        Path home = directory.programs(VERSION);
        if (isIntact(home)) {
            return new Binaries(home);
        }
        if (Files.exists(home, LinkOption.NOFOLLOW_LINKS)) {
            LOG.warn("the programs of PostgreSQL in {} are incomplete or damaged; unpacking them again", home);
        }
        Path partial = home.resolveSibling(home.getFileName() + ".partial");
        Path ready = shipped == null ? null : shipped.resolve(home.getFileName());
        try {
            delete(partial);
            if (ready != null && Files.isDirectory(ready)) {
                copy(ready, partial);
            }
            if (!isIntact(partial)) {
                delete(partial);
                unpack(partial);
                Files.writeString(partial.resolve(CHECKSUMS), checksums(partial));
            }
            delete(home);
            Files.move(partial, home, StandardCopyOption.ATOMIC_MOVE);
            return new Binaries(home);
        } catch (IOException e) {
            throw new PostgresFailure("cannot unpack PostgreSQL into " + home + ": " + e, e);
        }
    }

    /** Returns whether the directory has every unpacked file as it was unpacked. Reading them takes less than 0.1 s. */
    static boolean isIntact(Path home) {
        try {
            return Files.readString(home.resolve(CHECKSUMS)).equals(checksums(home));
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the checksum and path of each file, one a line. */
    static String checksums(Path home) throws IOException {
        var lines = new StringBuilder();
        try (Stream<Path> all = Files.walk(home.toRealPath())) {
            for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
                Path name = home.toRealPath().relativize(file);
                if (!name.toString().equals(CHECKSUMS)) {
                    lines.append(Long.toHexString(checksum(file)))
                            .append(' ')
                            .append(name)
                            .append('\n');
                }
            }
        }
        return lines.toString();
    }

    private static long checksum(Path file) throws IOException {
        var crc = new CRC32C();
        var buffer = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(file)) {
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                crc.update(buffer, 0, length);
            }
        }
        return crc.getValue();
    }

    Path program(String name) {
        return home.resolve("bin").resolve(name);
    }

    /** Returns the major version, which a cluster's files depend on. */
    static String major() {
        return VERSION.substring(0, VERSION.indexOf('.'));
    }

    static Optional<String> archiveName() {
        return Platform.current().map(Platform::archive);
    }

    private static InputStream archive() {
        InputStream found =
                archiveName().map(Binaries.class::getResourceAsStream).orElse(null);
        if (found == null) {
            throw new PostgresFailure(
                    "there is no embedded PostgreSQL for %s %s: set ENGINE_DATABASE_URL to a PostgreSQL of your own"
                            .formatted(System.getProperty("os.name"), System.getProperty("os.arch")));
        }
        return found;
    }

    private static void copy(Path from, Path into) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Path copied = into.resolve(from.relativize(path).toString());
                Files.copy(path, copied, LinkOption.NOFOLLOW_LINKS);
                if (!Files.isSymbolicLink(path)) {
                    permit(copied, Files.isExecutable(path));
                }
            }
        }
    }

    private static void unpack(Path into) throws IOException {
        try (InputStream archive = archive();
                var xz = new XZInputStream(new BufferedInputStream(archive, 1 << 16));
                var tar = new TarArchiveInputStream(new BufferedInputStream(xz, 1 << 16))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path path = into.resolve(entry.getName());
                makeDirectory(entry.isDirectory() ? path : path.resolveSibling(""));
                if (entry.isDirectory()) {
                    continue;
                }
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
                } else {
                    Files.copy(tar, path);
                    permit(path, (entry.getMode() & 0100) != 0);
                }
            }
        }
    }

    /** Creates a directory with its parents, since the archive does not list all of them. */
    private static void makeDirectory(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            makeDirectory(path.resolveSibling(""));
            Files.createDirectory(path);
            permit(path, true);
        }
    }

    /**
     * Sets the mode explicitly: the user that PostgreSQL runs as must be able to read the file, whatever the engine's
     * umask.
     */
    private static void permit(Path path, boolean executable) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
    }

    static void delete(Path tree) throws IOException {
        if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
