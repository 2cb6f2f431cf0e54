import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * PostgreSQL servers of the machine's packages (Debian: {@code postgresql}): a primary, and a synchronous standby if there shall
 * be one. As root they run as the user {@code postgres}.
 */
final class Servers implements AutoCloseable {
    private final Path folder = Files.createTempDirectory("engine-drill");
    private final Path programs;
    private final int primary = freePort();
    private final int standby = freePort();
    private final Map<String, String> environment;
    private final String settings;

    /** @param settings flags of the primary */
    private Servers(Map<String, String> environment, String settings) throws Exception {
        this.environment = environment;
        this.settings = settings;
        Drill.closeAtExit(this);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (var versions = Files.list(Path.of("/usr/lib/postgresql"))) {
            programs = versions.max(Comparator.comparing(each -> Integer.parseInt(each.getFileName().toString())))
                    .orElseThrow()
                    .resolve("bin");
        }
        run("initdb", "-D", data("primary"), "-U", "engine", "--auth=trust", "-E", "UTF8", "--no-locale");
        Files.writeString(folder.resolve("more.conf"), """
                listen_addresses = '127.0.0.1'
                unix_socket_directories = ''
                max_connections = 300
                fsync = on
                wal_keep_size = 1GB
                """);
        startPrimary();
    }

    void startPrimary() throws Exception {
        start("primary", primary, settings);
    }

    static Servers alone() throws Exception {
        return new Servers(Map.of(), "");
    }

    /** Starts a primary with these flags. */
    static Servers set(String settings) throws Exception {
        return new Servers(Map.of(), settings);
    }

    /** Starts a primary whose processes have these variables, such as those of another clock. */
    static Servers timed(Map<String, String> environment) throws Exception {
        return new Servers(environment, "");
    }

    static Servers withStandby() throws Exception {
        var servers = new Servers(Map.of(), "");
        servers.run(
                "pg_basebackup", "-D", servers.data("standby"), "-R", "-c", "fast", "-X", "stream",
                "-d", "host=127.0.0.1 port=%d user=engine application_name=standby".formatted(servers.primary));
        servers.start("standby", servers.standby, "");
        servers.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'", "SELECT pg_reload_conf()");
        return servers;
    }

    /** Starts a primary that archives its write-ahead log, and makes a base backup. */
    static Servers archiving() throws Exception {
        var servers = new Servers(Map.of(), "");
        var archive = servers.data("archive");
        Files.createDirectory(Path.of(archive), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        new ProcessBuilder("chown", "--reference=" + servers.data("primary"), archive).start().waitFor();
        servers.sql(
                "ALTER SYSTEM SET archive_mode = on",
                "ALTER SYSTEM SET archive_command = 'cp %%p %s/%%f'".formatted(archive));
        servers.run("pg_ctl", "-D", servers.data("primary"), "-m", "fast", "-w", "stop");
        servers.startPrimary();
        servers.run(
                "pg_basebackup", "-D", servers.data("standby"), "-c", "fast", "-X", "none",
                "-d", "host=127.0.0.1 port=%d user=engine".formatted(servers.primary));
        return servers;
    }

    /** Kills the primary, and starts a server on the base backup that recovers until a point in time. */
    void recover(String until) throws Exception {
        signalPrimary("KILL");
        var signal = Files.createFile(Path.of(data("standby"), "recovery.signal"));
        new ProcessBuilder("chown", "--reference=" + data("standby"), signal.toString()).start().waitFor();
        start(
                "standby",
                standby,
                "-c archive_mode=off -c restore_command='cp %s/%%f %%p' -c recovery_target_time='%s' -c recovery_target_action=promote"
                        .formatted(data("archive"), until));
    }

    private void start(String name, int port, String more) throws Exception {
        run("pg_ctl", "-D", data(name), "-w", "-l", folder.resolve(name + ".log").toString(), "-o",
                "-c config_file=%s/postgresql.conf -c include_dir='' -p %d -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=300 -c max_wal_senders=10 -c wal_keep_size=1GB %s"
                        .formatted(data(name), port, more).replace("-c include_dir='' ", ""), "start");
    }

    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private String data(String name) {
        return folder.resolve(name).toString();
    }

    /** Runs a program of PostgreSQL. */
    String run(String program, String... arguments) throws Exception {
        var command = new ArrayList<String>();
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("runuser", "-u", "postgres", "--"));
        }
        command.add(programs.resolve(program).toString());
        command.addAll(List.of(arguments));
        var log = folder.resolve(program + ".out");
        var builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        var process = builder.start();
        if (process.waitFor() != 0) {
            throw new IOException(program + " failed: " + Files.readString(log));
        }
        return Files.readString(log);
    }

    void sql(String... statements) throws Exception {
        try (var connection = DriverManager.getConnection(url())) {
            for (var statement : statements) {
                connection.createStatement().execute(statement);
            }
        }
    }

    /** Returns the address of the primary. */
    String url() {
        return "jdbc:postgresql://127.0.0.1:%d/postgres?user=engine".formatted(primary);
    }

    int port() {
        return primary;
    }

    String standbyUrl() {
        return "jdbc:postgresql://127.0.0.1:%d/postgres?user=engine".formatted(standby);
    }

    /** Returns the address of whichever is the primary. */
    String bothUrl() {
        return "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?user=engine&targetServerType=primary"
                .formatted(primary, standby);
    }

    /** Signals all processes of the primary. */
    void signalPrimary(String signal) throws Exception {
        var handle = ProcessHandle.of(postmaster()).orElseThrow();
        var children = handle.children().toList();
        Drill.signal(signal, handle.pid());
        for (var child : children) {
            Drill.reaches(signal, child.pid());
        }
    }

    /** Returns the process id of the primary. */
    long postmaster() throws IOException {
        return Long.parseLong(Files.readAllLines(Path.of(data("primary"), "postmaster.pid")).getFirst().strip());
    }

    void promote() throws Exception {
        run("pg_ctl", "-D", data("standby"), "-w", "promote");
    }

    /** Returns the environment of an engine on this address. */
    static Map<String, String> engine(String url, String key) {
        return Map.of(
                "ENGINE_DATABASE_URL", url,
                "ENGINE_BOOTSTRAP_KEY", key,
                "ENGINE_EMBEDDING", "off",
                "ENGINE_SECRETS_KEY", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    }

    @Override
    public void close() throws Exception {
        for (var name : List.of("standby", "primary")) {
            if (Files.exists(folder.resolve(name).resolve("postmaster.pid"))) {
                try {
                    run("pg_ctl", "-D", data(name), "-m", "immediate", "stop");
                } catch (IOException e) {
                    // It was killed.
                }
            }
        }
        new ProcessBuilder("rm", "-rf", folder.toString()).start().waitFor();
    }
}
