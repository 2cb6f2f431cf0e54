package io.agentworkspace.engine.testing;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.TimeLimits;
import io.agentworkspace.engine.kernel.db.embedded.EmbeddedPostgres;
import io.agentworkspace.engine.kernel.db.embedded.UnpackedOnce;
import io.agentworkspace.engine.kernel.db.migration.Migrations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * An embedded database with its schema, of which each data directory of a test gets a copy. To create one anew takes three seconds of
 * processor time. It is created again when the schema changes.
 */
final class PreparedDatabase {
    private static final Path FOLDER = Repository.file("mcp-server/target/prepared-database");

    private PreparedDatabase() {}

    /** Copies it into the data directory, unless that has a database, and links the programs. */
    static void into(Path dataDir) {
        UnpackedOnce.into(dataDir);
        if (Files.isDirectory(dataDir) && !Files.exists(dataDir.resolve("postgres"))) {
            try {
                copy(Prepared.PLACE, dataDir);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Found or created when it is first needed. */
    private static final class Prepared {
        private static final Path PLACE = place();
    }

    private static Path place() {
        var place = FOLDER.resolve(state());
        try {
            Files.createDirectories(FOLDER);
            try (var channel = FileChannel.open(FOLDER.resolve("lock"), CREATE, WRITE);
                    var _ = channel.lock()) {
                if (!Files.isDirectory(place)) {
                    create(place);
                }
            }
            return place;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a checksum of what it is made from: PostgreSQL, whose version the build has, and the schema. */
    private static String state() {
        var sources = Stream.of(
                Stream.of(Repository.file("pom.xml")),
                Repository.files("mcp-server/src/main/resources/db", ".sql").stream(),
                Repository.files("mcp-server/src/main/java/io/agentworkspace/engine/kernel/db", ".java").stream());
        var sum = new CRC32();
        sources.flatMap(files -> files)
                .forEach(file -> sum.update(Repository.text(file).getBytes(StandardCharsets.UTF_8)));
        return "%08x".formatted(sum.getValue());
    }

    private static void create(Path place) throws IOException {
        var directory = Files.createTempDirectory("engine-test");
        UnpackedOnce.into(directory);
        try (var postgres = EmbeddedPostgres.start(directory);
                var db = new Db(
                        postgres.jdbcUrl(), postgres.user(), postgres.password(), 2, TimeLimits.of(HangLimit.TIME))) {
            Migrations.run(db);
        }
        var partial = Files.createTempDirectory(FOLDER, "new");
        copy(directory, partial);
        delete(directory);
        Files.move(partial, place);
    }

    /** Copies the files with their owner, which may be the account of PostgreSQL. */
    private static void copy(Path from, Path to) throws IOException {
        for (var name : List.of("postgres-password", "postgres")) {
            var copying = new ProcessBuilder("cp", "-Rp", from.resolve(name).toString(), to.toString())
                    .redirectErrorStream(true)
                    .start();
            var errors = copying.inputReader().readAllAsString();
            if (!errors.isEmpty()) {
                throw new IOException(errors);
            }
        }
    }

    static void delete(Path directory) {
        try (var files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException | UncheckedIOException e) {
            // Remains in the temporary folder.
        }
    }
}
