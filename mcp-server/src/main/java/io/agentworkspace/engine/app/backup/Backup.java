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
import java.util.List;
import java.util.function.Supplier;

/**
 * Makes backups, and verifies them.
 *
 * @param path where PostgreSQL's programs may be: the value of PATH
 * @param temporary creates the folder of a temporary server
 */
public record Backup(String path, String version, Clock clock, Supplier<Path> temporary) {
    /** Of the extensions, only the one that each server has: the engine needs none, and Citus need not be where a backup is restored. */
    private static final String NO_EXTENSION = "--extension=plpgsql";

    /** Dumps a running database, and returns what was written. */
    public String make(BackupQueries database, Path folder) {
        var programs = ClientProgram.find("pg_dump", path);
        var backup = BackupFolder.create(folder);
        try {
            var manifest = dump(database, programs, backup);
            backup.write(manifest);
            return "%s: %,d rows of %d tables in %,d bytes%n"
                            .formatted(
                                    folder, manifest.rows(), manifest.tables().size(), manifest.bytes())
                    + "The key for secrets is not in it: keep that in another place. Now verify it: ./engine backup --verify %s%n"
                            .formatted(folder);
        } catch (RuntimeException e) {
            backup.discard();
            throw e;
        }
    }

    private Manifest dump(BackupQueries database, List<ClientProgram> programs, BackupFolder backup) {
        var takenAt = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        var snapshot = database.within((id, server) -> ClientProgram.of(programs, server)
                .run(
                        database.environment(),
                        "--format=custom",
                        "--no-owner",
                        "--no-privileges",
                        NO_EXTENSION,
                        "--snapshot=" + id,
                        "--file=" + backup.dump()));
        return new Manifest(
                version,
                snapshot.server(),
                snapshot.schema(),
                takenAt.toString(),
                backup.size(),
                backup.sha256(),
                snapshot.tables(),
                snapshot.sequences(),
                snapshot.objects());
    }

    /**
     * Restores a backup into a temporary server, compares what is there with the manifest, and opens the check value with
     * the key for secrets.
     */
    public String verify(Path folder, MasterKeys keys) {
        var backup = new BackupFolder(folder);
        var manifest = backup.checked();
        var program = ClientProgram.find("pg_restore", path).getFirst();
        boolean isSealed;
        try (var server = new TemporaryServer(temporary.get())) {
            var postgres = server.start();
            var database = new BackupQueries(postgres.jdbcUrl(), postgres.user(), postgres.password());
            program.run(
                    database.environment(),
                    "--no-owner",
                    "--no-privileges",
                    "--exit-on-error",
                    "--single-transaction",
                    "--dbname=postgres",
                    backup.dump().toString());
            new Comparison(manifest, database.within((_, _) -> {})).check();
            isSealed = open(postgres, keys);
        }
        return "%s is good: restored, %,d rows of %d tables are as they were at %s, schema version %d, and %s%n"
                .formatted(
                        folder,
                        manifest.rows(),
                        manifest.tables().size(),
                        manifest.takenAt(),
                        manifest.schema(),
                        isSealed ? "the key for secrets fits" : "there is no secret to try the key with");
    }

    /** Returns whether there was anything to open. */
    private static boolean open(EmbeddedPostgres postgres, MasterKeys keys) {
        var limits = TimeLimits.of(Duration.ofSeconds(60));
        try (var db = new Db(postgres.jdbcUrl(), postgres.user(), postgres.password(), null, 1, limits)) {
            return new Vault(db, keys).check();
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
}
