package io.agentworkspace.engine.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.app.backup.Backup;
import io.agentworkspace.engine.app.backup.BackupFailure;
import io.agentworkspace.engine.app.settings.InvalidSetting;
import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.kernel.db.embedded.UnpackedOnce;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.InstalledPostgres;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./engine backup}, and what {@code --verify} says of good and bad backups. */
@Tag("slow")
class BackupCommandTest {
    private static final String OTHER_KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

    @TempDir
    private Path folder;

    private static String run(String url, String key, String... words) {
        var settings = Settings.read(
                Map.of("ENGINE_DATABASE_URL", url, "ENGINE_SECRETS_KEY", key, "ENGINE_DATA_DIR", "/nowhere"),
                List.of());
        var path = System.getenv("PATH");
        return new BackupCommand(
                        settings, new Backup(path, App.VERSION, Clock.systemUTC(), BackupCommandTest::unpacked))
                .run(BackupCommand.words(List.of(words)));
    }

    private static Path unpacked() {
        var server = Backup.folder();
        UnpackedOnce.into(server);
        return server;
    }

    private static void refused(String folder, String key, String... words) {
        assertThatThrownBy(() -> run("jdbc:postgresql://127.0.0.1:1/none", key, folder, "--verify"))
                .isInstanceOf(BackupFailure.class)
                .hasMessageContainingAll(words);
    }

    @Test
    void aGoodBackupIsRestoredAndBadOnesAreNamed() throws Exception {
        var good = folder.resolve("good");
        try (var server = InstalledPostgres.start()) {
            fill(server.url());
            assertThat(run(server.url(), TestDatabase.SECRETS_KEY, good.toString()))
                    .contains("rows of", "The key for secrets is not in it");
            assertThatThrownBy(() -> run(server.url(), TestDatabase.SECRETS_KEY, good.toString()))
                    .hasMessageContaining("is not empty");
            ofACluster(server.url(), folder.resolve("cluster").toString());
        }
        // The database is gone: nothing but the backup is read.
        assertThat(run("jdbc:postgresql://127.0.0.1:1/none", TestDatabase.SECRETS_KEY, "--verify", good.toString()))
                .contains("is good: restored", "and the key for secrets fits");
        run(
                "jdbc:postgresql://127.0.0.1:1/none",
                TestDatabase.SECRETS_KEY,
                "--verify",
                folder.resolve("cluster").toString());
        refused(good.toString(), OTHER_KEY, "the key for secrets is wrong");
        endedBySignal(good);

        var manifest = good.resolve("manifest.json");
        var text = Files.readString(manifest);
        Files.writeString(
                manifest,
                text.replaceFirst("(\"agent\"\\s*:\\s*\\{\\s*\"rows\"\\s*:\\s*)\\d+", "$1123")
                        .replaceFirst("(\"tenant\"\\s*:\\s*\\{[^}]*\"sum\"\\s*:\\s*\"-?)", "$11")
                        .replace("\"zone\"", "\"zoo\""));
        refused(
                good.toString(),
                TestDatabase.SECRETS_KEY,
                "the backup is wrong in 4 tables: agent has 3 rows instead of 123, tenant has other contents, zone is not in the manifest, zoo is missing");
        Files.writeString(
                manifest,
                text.replaceFirst("(\"(\\w+_seq)\"\\s*:\\s*)\\d+", "$1999999999")
                        .replaceFirst("(\"triggers\"\\s*:\\s*)\\d+", "$11"));
        refused(
                good.toString(),
                TestDatabase.SECRETS_KEY,
                "the data are complete, but not the schema: the sequence ",
                "instead of 999999999",
                "triggers instead of 1");
        Files.writeString(manifest, text.substring(0, 100));
        refused(good.toString(), TestDatabase.SECRETS_KEY, "manifest.json is damaged");

        Files.writeString(manifest, text);
        damage(good.resolve("database.dump"));
        refused(good.toString(), TestDatabase.SECRETS_KEY, "is damaged: its checksum differs");
        Files.write(good.resolve("database.dump"), new byte[] {1});
        refused(good.toString(), TestDatabase.SECRETS_KEY, "is damaged: it has 1 bytes");
        Files.delete(good.resolve("database.dump"));
        refused(good.toString(), TestDatabase.SECRETS_KEY, "database.dump is missing");
        Files.delete(manifest);
        refused(good.toString(), TestDatabase.SECRETS_KEY, "manifest.json is missing");
    }

    /** Citus is only in the catalogue of this server, so a dump that asked for it could not be restored. */
    private static void ofACluster(String url, String folder) throws SQLException {
        try (var engine = DriverManager.getConnection(url + "&ApplicationName=agent-workspace-engine")) {
            engine.createStatement().execute("""
                    SET allow_system_table_mods = on;
                    CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
                    INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
                    SELECT 65000, 'citus', extowner, extnamespace, false, '13.2' FROM pg_extension WHERE extname = 'plpgsql'
                    """);
            run(url, TestDatabase.SECRETS_KEY, folder + "-not-distributed");
            engine.createStatement().execute("INSERT INTO pg_dist_partition VALUES ('agent')");
            assertThatThrownBy(() -> run(url, TestDatabase.SECRETS_KEY, folder))
                    .isInstanceOf(BackupFailure.class)
                    .hasMessageContaining("on several servers (Citus), and engines use it");
        }
        // The server may see the connection for a moment after it was closed.
        await().ignoreExceptionsInstanceOf(BackupFailure.class)
                .until(() -> run(url, TestDatabase.SECRETS_KEY, folder).contains("rows of"));
    }

    /** Nothing stays of a copy of the database that is being verified when the process is told to end. */
    private void endedBySignal(Path good) throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        var temporary = Files.createDirectory(folder.resolve("temporary"));
        var process = EngineProcess.spawn(
                Map.of(
                        "ENGINE_SECRETS_KEY",
                        TestDatabase.SECRETS_KEY,
                        "JAVA_TOOL_OPTIONS",
                        "-Djava.io.tmpdir=" + temporary),
                "backup",
                "--verify",
                good.toString());
        await().until(() -> copies(temporary) == 1);
        process.destroy();
        assertThat(process.waitFor()).isNotZero();
        assertThat(copies(temporary)).isZero();
    }

    private static long copies(Path temporary) throws IOException {
        try (var files = Files.list(temporary)) {
            return files.filter(file -> file.getFileName().toString().startsWith("engine-verify"))
                    .count();
        }
    }

    @Test
    void withoutANewEnoughProgramItSaysWhichIsNeeded() {
        var newer = folder.resolve("newer").toString();
        assertThatThrownBy(() -> run(TestDatabase.url(), TestDatabase.SECRETS_KEY, newer))
                .isInstanceOf(BackupFailure.class)
                .hasMessageContaining("the database is PostgreSQL 18, and the newest pg_dump here is of")
                .hasMessageContaining("postgresql-client-18");
        assertThatThrownBy(() -> run(TestDatabase.url(), TestDatabase.SECRETS_KEY))
                .isInstanceOf(InvalidSetting.class)
                .hasMessageContaining("usage: backup <folder>");
    }

    /** Three agents, and a secret in the vault. */
    private static void fill(String url) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var app = TestServer.start(Map.of("ENGINE_DATABASE_URL", url, "ENGINE_BOOTSTRAP_KEY", key));
        try (app) {
            for (var name : List.of("ada", "grace", "joan")) {
                post(
                        app,
                        key,
                        "/demo/v1/Engine/tps/agent/create",
                        "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(name));
            }
            post(app, key, "/api/webhooks/endpoints", "{\"url\":\"http://127.0.0.1:9/\",\"events\":[\"*\"]}");
        }
    }

    private static void post(App app, String key, String path, String body) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(app.baseUrl() + path))
                    .header("X-Api-Key", key)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(body))
                    .build();
            var response = client.send(request, BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isBetween(200, 201);
        }
    }

    /** Changes one byte in the middle. */
    private static void damage(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
    }
}
