package io.agentworkspace.engine.kernel.db.embedded;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.zip.CRC32;

/**
 * PostgreSQL's programs, unpacked once for all tests of this user on this machine. Data directories link to them. The
 * tests of unpacking do not use this.
 */
public final class UnpackedOnce {
    private static Path programs;

    private UnpackedOnce() {}

    /** Links the programs into the data directory, unless they are there or this system has no archive. */
    public static void into(Path dataDir) {
        var programs = new DataDirectory(dataDir).programs(Binaries.VERSION);
        var archive = Binaries.archiveName();
        if (archive.isPresent() && Files.isDirectory(dataDir) && !Files.exists(programs)) {
            try {
                Files.createSymbolicLink(programs, programs(archive.get()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** They are checked once in each process, since this reads all of them. */
    private static synchronized Path programs(String archive) throws IOException {
        if (programs == null) {
            programs = intact(archive);
        }
        return programs;
    }

    private static Path intact(String archive) throws IOException {
        var place = place();
        var shared = place.resolve("%s-checked-%08x".formatted(Binaries.VERSION, digest(archive)));
        try (var channel = FileChannel.open(place.resolve("lock"), CREATE, WRITE);
                var _ = channel.lock()) {
            // A cleaner of temporary files may have removed a part.
            if (!Binaries.isIntact(shared)) {
                var fresh = Files.createTempDirectory(place, "new");
                var unpacked = Binaries.in(new DataDirectory(fresh)).home();
                Binaries.delete(shared);
                Files.move(unpacked, shared);
                Files.delete(fresh);
            }
        }
        return shared;
    }

    /** Returns a directory that only this user can write, and that the account of PostgreSQL can read. */
    private static Path place() throws IOException {
        var temporary = Path.of(System.getProperty("java.io.tmpdir"));
        var place = temporary.resolve("engine-tests-" + System.getProperty("user.name"));
        try {
            Files.createDirectory(place);
            FileModes.set(place, "rwxr-xr-x");
        } catch (FileSystemException e) {
            var own = Files.createTempFile("engine-tests", "");
            var isOurs = Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)
                    && Files.getOwner(place).equals(Files.getOwner(own))
                    && PosixFilePermissions.toString(Files.getPosixFilePermissions(place))
                            .equals("rwxr-xr-x");
            Files.delete(own);
            if (!isOurs) {
                throw new IOException(place + " belongs to somebody else, or others may write there: remove it", e);
            }
        }
        return place;
    }

    private static long digest(String archive) throws IOException {
        try (var in = UnpackedOnce.class.getResourceAsStream(archive)) {
            if (in == null) {
                throw new IOException("no " + archive);
            }
            var crc = new CRC32();
            crc.update(in.readAllBytes());
            return crc.getValue();
        }
    }
}
