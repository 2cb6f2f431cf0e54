package io.agentworkspace.engine.kernel.db.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.app.setup.Checkup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All tests share one data directory. Each finds the state that the one before left, as an engine would. */
@Tag("slow")
class EmbeddedPostgresTest {
    @TempDir
    static Path dataDir;

    @BeforeAll
    static void link() {
        UnpackedOnce.into(dataDir);
    }

    @Test
    void dataSurvivesARestart() throws Exception {
        long before;
        String files;
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            Accounts accounts = new Accounts(server).create();
            accounts.add();
            before = accounts.count();
            files = server.files();
        }
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            assertThat(new Accounts(server).count()).isEqualTo(before);
            assertThat(server.files()).isEqualTo(files);
        }
        assertThat(PidFile.find(dataDir.resolve("postgres"))).isEmpty();
    }

    @Test
    void itIsPostgresEighteenWithDurabilityOn() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            Accounts accounts = new Accounts(server);
            assertThat(accounts.ask("SHOW server_version")).startsWith("18.");
            for (String guard : List.of("fsync", "synchronous_commit", "full_page_writes")) {
                assertThat(accounts.ask("SHOW " + guard)).as(guard).isEqualTo("on");
            }
            assertThat(accounts.ask("SHOW server_encoding")).isEqualTo("UTF8");
            assertThat(accounts.ask("SELECT lower('ÀΣЖ')"))
                    .as("letters beyond ASCII")
                    .isEqualTo("àσж");
            assertThat(accounts.ask("SELECT 'Z' < 'a' AND 'z' < 'à'"))
                    .as("an order by code points")
                    .isEqualTo("t");
        }
    }

    @Test
    void aKilledServerComesBackOnTheSamePortWithEveryAcknowledgedRow() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            Accounts accounts = new Accounts(server).create();
            String address = server.jdbcUrl();
            for (int round = 0; round < 2; round++) {
                accounts.add();
                long acknowledged = accounts.count();
                long pid = postmaster();
                try (var busy = accounts.connect();
                        var statement = busy.createStatement()) {
                    // A busy session outlives its postmaster for a while, since it notices the exit only when it waits.
                    Thread.ofVirtual()
                            .start(() -> assertThatThrownBy(
                                    () -> statement.execute("SELECT count(*) FROM generate_series(1, 1000000000)")));
                    await().until(() -> accounts.queries() > 0);
                    PostgresProgram.signal("KILL", pid);
                    await().pollInterval(Duration.ofMillis(20))
                            .ignoreExceptions()
                            .untilAsserted(() -> assertThat(accounts.count()).isEqualTo(acknowledged));
                }
                assertThat(postmaster()).isNotEqualTo(pid);
            }
            assertThat(server.jdbcUrl()).isEqualTo(address);
        }
    }

    @Test
    void aKilledEngineTakesItsServerAlongAndTheNextOneFindsItsRows() throws Exception {
        Process engine = AnotherEngine.on(dataDir);
        long acknowledged = Long.parseLong(engine.inputReader().readLine());
        ProcessHandle left = ProcessHandle.of(postmaster()).orElseThrow();
        engine.destroyForcibly().waitFor();
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            assertThat(new Accounts(server).count()).isEqualTo(acknowledged);
            await().until(() -> !left.isAlive());
        }
    }

    @Test
    void aServerThatOutlivedItsEngineIsStoppedFirst() throws Exception {
        EmbeddedPostgres.start(dataDir).close();
        DataDirectory directory = DataDirectory.open(dataDir);
        Postmaster orphan = Postmaster.launch(
                UnprivilegedCommand.choose(directory),
                Binaries.in(directory).program("postgres"),
                directory.cluster(),
                LoopbackPort.free(),
                new ServerLog(directory.log()));
        orphan.awaitReady();
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            assertThat(orphan.awaitEnd()).isZero();
            assertThat(new Accounts(server).ask("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aStaleNumberOfAnotherProcessIsNoServer() throws Exception {
        EmbeddedPostgres.start(dataDir).close();
        Path pidFile = PidFile.in(dataDir.toRealPath().resolve("postgres"));
        Files.writeString(
                pidFile, ProcessHandle.current().parent().orElseThrow().pid() + "\n/nowhere\n1\n1\n\n\n");
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            assertThat(new Accounts(server).ask("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aPidFileThatNamesNoServerDoesNotStopTheStart() throws Exception {
        EmbeddedPostgres.start(dataDir).close();
        var cluster = dataDir.toRealPath().resolve("postgres");
        for (var content : List.of("", "\n", "0\n", "-7\n", "rubbish\n\n\n", "\u00ff\u00fe")) {
            Files.writeString(PidFile.in(cluster), content, StandardCharsets.ISO_8859_1);
            OrphanedServers.clear(cluster);
            assertThat(PidFile.in(cluster)).as(content).doesNotExist();
        }
        Files.writeString(PidFile.in(cluster), "rubbish");
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            assertThat(new Accounts(server).ask("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void nobodyElseMayOpenWhatIsInTheDirectory() throws Exception {
        EmbeddedPostgres.start(dataDir).close();
        // The permissions that an earlier version of the engine set.
        Files.setPosixFilePermissions(dataDir, PosixFilePermissions.fromString("rwx--x--x"));
        for (var file : List.of("lock", "postgres.log")) {
            Files.setPosixFilePermissions(dataDir.resolve(file), PosixFilePermissions.fromString("rw-r--r--"));
        }
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            assertThat(new Accounts(server).ask("SELECT 1")).isEqualTo("1");
        }
        for (var file : List.of("lock", "postgres.log", "postgres-password")) {
            assertThat(mode(dataDir.resolve(file))).as(file).isEqualTo("rw-------");
        }
        if (UnprivilegedCommand.runningAsRoot()) {
            assertThat(mode(dataDir)).isIn("rwx------", "rwx--x---");
        }
        Path fresh = Files.createTempDirectory("engine").resolve("data");
        var directory = DataDirectory.open(fresh);
        assertThat(mode(fresh)).isEqualTo("rwx------");
        if (UnprivilegedCommand.runningAsRoot()) {
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
            directory.closeForOthers();
            assertThat(mode(fresh)).as("empty").isEqualTo("rwx------");
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.createFile(fresh.resolve("of somebody else"));
            directory.closeForOthers();
            assertThat(mode(fresh)).as("shared with others").isEqualTo("rwxr-xr-x");
        }
    }

    private static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void oneEngineForOneDirectoryAndThePasswordIsItsOwnersAlone() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(dataDir)) {
            String pid = Long.toString(ProcessHandle.current().pid());
            assertThatThrownBy(() -> EmbeddedPostgres.start(dataDir))
                    .isInstanceOfSatisfying(
                            PostgresFailure.class,
                            failure -> assertThat(stopped(failure))
                                    .startsWith("fail  database")
                                    .contains("its database is not", dataDir + "/postgres.log says why"))
                    .hasMessageContainingAll("in use", dataDir.toString(), pid);
            Process second = AnotherEngine.on(dataDir);
            assertThat(second.inputReader().readLine()).contains("in use", dataDir.toString(), pid);
            assertThat(mode(dataDir.resolve("postgres-password"))).isEqualTo("rw-------");
            assertThat(server.jdbcUrl()).doesNotContain(server.password());
            assertThatThrownBy(() -> DriverManager.getConnection(server.jdbcUrl(), server.user(), "guess"))
                    .hasMessageContaining("password");
            assertThat(new Accounts(server).ask("SELECT 1")).isEqualTo("1");
        }
    }

    /** Returns what the doctor says if it cannot start the database since the engine runs: the engine is without it. */
    private String stopped(PostgresFailure failure) {
        var settings = Settings.read(Map.of("ENGINE_DATA_DIR", dataDir.toString()), List.of());
        return new Checkup(settings, "0", Clock.systemUTC())
                .databaseFailure(failure)
                .line();
    }

    private static long postmaster() {
        return PidFile.find(dataDir.resolve("postgres")).orElseThrow().pid();
    }

    /** As by {@code cp -a}, which keeps the time of the last change. */
    @Test
    void aCopyOfItsFilesIsToldFromThem(@TempDir Path folder) throws Exception {
        var cluster = new Cluster(folder, "");
        var file = folder.resolve("PG_VERSION");
        Files.writeString(file, "18\n");
        var before = cluster.files();
        assertThat(cluster.files()).isEqualTo(before);
        Files.move(file, folder.resolve("old"));
        Files.copy(folder.resolve("old"), file, StandardCopyOption.COPY_ATTRIBUTES);
        assertThat(cluster.files()).isNotEqualTo(before);
    }
}
