package io.agentworkspace.engine.app.backup;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.TimeLimits;
import io.agentworkspace.engine.kernel.db.embedded.EmbeddedPostgres;
import io.agentworkspace.engine.kernel.secrets.MasterKeys;
import io.agentworkspace.engine.kernel.secrets.SecretsFailure;
import io.agentworkspace.engine.kernel.secrets.Vault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Makes backups, and verifies them.
 *
 * @param path where PostgreSQL's programs may be: the value of PATH
 * @param temporary creates the folder of a temporary server
 */
public record Backup(String path, String version, Clock clock, Supplier<Path> temporary) {
    private static final int SHOWN = 10;

    /** Dumps a running database, and returns what was written. */
    public String make(BackupQueries database, Path folder) {
        var program = ClientProgram.find("pg_dump", path);
        var backup = BackupFolder.create(folder);
        var takenAt = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        var snapshot = database.within((id, server) -> {
            program.checkReads(server);
            program.run(
                    database.environment(),
                    "--format=custom",
                    "--no-owner",
                    "--no-privileges",
                    "--snapshot=" + id,
                    "--file=" + backup.dump());
        });
        var manifest = new Manifest(
                version,
                snapshot.server(),
                snapshot.schema(),
                takenAt.toString(),
                backup.size(),
                backup.sha256(),
                snapshot.tables());
        backup.write(manifest);
        return "%s: %,d rows of %d tables in %,d bytes%n"
                        .formatted(folder, manifest.rows(), manifest.tables().size(), manifest.bytes())
                + "The key for secrets is not in it: keep that in another place. Now verify it: ./engine backup --verify %s%n"
                        .formatted(folder);
    }

    /**
     * Restores a backup into a temporary server, compares what is there with the manifest, and opens the check value with
     * the key for secrets.
     */
    public String verify(Path folder, MasterKeys keys) {
        var backup = new BackupFolder(folder);
        var manifest = backup.checked();
        var program = ClientProgram.find("pg_restore", path);
        var server = temporary.get();
        try (var postgres = EmbeddedPostgres.start(server)) {
            var database = new BackupQueries(postgres.jdbcUrl(), postgres.user(), postgres.password());
            program.run(
                    database.environment(),
                    "--no-owner",
                    "--no-privileges",
                    "--exit-on-error",
                    "--single-transaction",
                    "--dbname=postgres",
                    backup.dump().toString());
            compare(manifest, database.within((_, _) -> {}));
            open(postgres, keys);
        } finally {
            delete(server);
        }
        return "%s is good: restored, %,d rows of %d tables are as they were at %s, schema version %d, and the key for secrets fits%n"
                .formatted(folder, manifest.rows(), manifest.tables().size(), manifest.takenAt(), manifest.schema());
    }

    private static void compare(Manifest manifest, BackupQueries.Snapshot restored) {
        var wrong = new ArrayList<String>();
        var names = new TreeSet<>(manifest.tables().keySet());
        names.addAll(restored.tables().keySet());
        for (var name : names) {
            var expected = manifest.tables().get(name);
            var found = restored.tables().get(name);
            if (found == null) {
                wrong.add(name + " is missing");
            } else if (expected == null) {
                wrong.add(name + " is not in the manifest");
            } else if (expected.rows() != found.rows()) {
                wrong.add("%s has %,d rows instead of %,d".formatted(name, found.rows(), expected.rows()));
            } else if (!expected.equals(found)) {
                wrong.add("%s has other contents".formatted(name));
            }
        }
        if (!wrong.isEmpty()) {
            throw new BackupFailure("the backup is wrong in %d tables: %s", wrong.size(), shown(wrong));
        }
    }

    private static String shown(List<String> wrong) {
        var first = String.join(", ", wrong.subList(0, Math.min(SHOWN, wrong.size())));
        return wrong.size() > SHOWN ? first + ", …" : first;
    }

    private static void open(EmbeddedPostgres postgres, MasterKeys keys) {
        var limits = TimeLimits.of(Duration.ofSeconds(60));
        try (var db = new Db(postgres.jdbcUrl(), postgres.user(), postgres.password(), null, 1, limits)) {
            new Vault(db, keys).check();
        } catch (SecretsFailure e) {
            throw new BackupFailure(
                    "the data are complete, and the key for secrets is wrong: %s", String.valueOf(e.getMessage()));
        }
    }

    /** Creates a folder in the temporary folder of Java. */
    public static Path folder() {
        try {
            return Files.createTempDirectory("engine-verify");
        } catch (IOException e) {
            throw new BackupFailure("no temporary folder can be created: %s", e);
        }
    }

    private static void delete(Path folder) {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new BackupFailure("%s cannot be deleted: %s", folder, e);
        }
    }
}
