import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Two servers of PostgreSQL, each with its Patroni, and one etcd (Debian: {@code patroni}, {@code etcd-server}). The first one may have
 * lines that a drill can silence: from it to etcd, and to it from the other one and from clients.
 */
final class PatroniCluster implements AutoCloseable {
    private static final String CONFIGURATION = """
            scope: drill
            name: %1$s
            restapi: {listen: "127.0.0.1:%2$d", connect_address: "127.0.0.1:%3$d"}
            etcd3: {hosts: ["127.0.0.1:%4$d"], use_proxies: true}
            bootstrap:
              dcs:
                ttl: 20
                loop_wait: 2
                retry_timeout: 3
                synchronous_mode: true
                postgresql:
                  use_pg_rewind: true
                  parameters: {max_connections: 200, unix_socket_directories: ""}
              initdb: [{encoding: UTF8}, {locale: C}, {auth: trust}]
              pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
            postgresql:
              listen: "127.0.0.1:%5$d"
              connect_address: "127.0.0.1:%6$d"
              data_dir: %7$s/data-%1$s
              bin_dir: %8$s
              pgpass: %7$s/pgpass-%1$s
              authentication:
                superuser: {username: engine, password: drill}
                replication: {username: replicator, password: drill}
            """;

    private static final Duration MOST = Duration.ofMinutes(2);

    private final HttpClient client = HttpClient.newHttpClient();
    private final Path folder = Files.createTempDirectory("engine-drill");
    private final List<Line> lines = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Process etcd;

    /**
     * @param hasLines whether the first server has lines. Patroni must take etcd's address for a proxy, or would ask etcd for its own.
     * @param clock the first server's environment, which may give it another clock
     */
    PatroniCluster(boolean hasLines, Map<String, String> clock) throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        var port = Servers.freePort();
        etcd = etcd(folder, port);
        Drill.closeAtExit(this);
        try {
            nodes.add(new Node("one", hasLines ? line(port) : port, hasLines, clock));
            await(one(), "primary", MOST);
            nodes.add(new Node("two", port, false, Map.of()));
            await(two(), "sync", MOST);
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private int line(int target) throws IOException {
        var line = new Line(Servers.freePort(), target);
        lines.add(line);
        return line.port();
    }

    /** Returns the first leader. */
    Node one() {
        return nodes.get(0);
    }

    Node two() {
        return nodes.get(1);
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?user=engine&targetServerType=primary"
                .formatted(one().outside, two().outside);
    }

    void silence() {
        lines.forEach(Line::silence);
    }

    void mend() throws IOException {
        for (var line : lines) {
            line.mend();
        }
    }

    /** A server, with its Patroni. */
    final class Node {
        private final String name;
        private final Path data;
        private final Path log;
        private final int rest = Servers.freePort();
        private final int port = Servers.freePort();
        private final int outside;
        private final Path file;
        private final Map<String, String> environment;
        private Process patroni;

        private Node(String name, int etcdPort, boolean hasLines, Map<String, String> environment) throws Exception {
            this.name = name;
            this.environment = environment;
            data = folder.resolve("data-" + name);
            log = folder.resolve(name + ".log");
            outside = hasLines ? line(port) : port;
            file = Files.writeString(
                    folder.resolve(name + ".yml"),
                    CONFIGURATION.formatted(name, rest, hasLines ? line(rest) : rest, etcdPort, port, outside, folder, programs()));
            start();
        }

        void start() throws IOException {
            var command = new ArrayList<String>();
            if (System.getProperty("user.name").equals("root")) {
                command.addAll(List.of("runuser", "-u", "postgres", "--"));
            }
            command.addAll(List.of("patroni", file.toString()));
            var builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
            builder.environment().putAll(environment);
            patroni = builder.start();
        }

        /** Returns its address as it is without lines. */
        String url() {
            return "jdbc:postgresql://127.0.0.1:%d/postgres?user=engine".formatted(port);
        }

        private Optional<ProcessHandle> postmaster() throws IOException {
            var pid = data.resolve("postmaster.pid");
            return Files.exists(pid)
                    ? ProcessHandle.of(Long.parseLong(Files.readAllLines(pid).getFirst().strip()))
                    : Optional.empty();
        }

        /** Sends a signal to Patroni, to the server, and then to each process of both. */
        void signal(String signal) throws Exception {
            Drill.signal(signal, patroni.pid());
            for (var each : patroni.descendants().toList()) {
                Drill.reaches(signal, each.pid());
            }
            var postmaster = postmaster().orElseThrow();
            Drill.signal(signal, postmaster.pid());
            for (var each : postmaster.descendants().toList()) {
                Drill.reaches(signal, each.pid());
            }
        }

        void kill() throws Exception {
            patroni.descendants().forEach(ProcessHandle::destroyForcibly);
            patroni.destroyForcibly().waitFor();
            postmaster().ifPresent(postmaster -> {
                var children = postmaster.descendants().toList();
                postmaster.destroyForcibly();
                children.forEach(ProcessHandle::destroyForcibly);
            });
        }

        private String lastLines() throws IOException {
            var all = Files.readAllLines(log);
            return name + ":\n  " + String.join("\n  ", all.subList(Math.max(0, all.size() - 30), all.size()));
        }
    }

    /** Waits until Patroni's interface reports the role: {@code primary}, or {@code sync} for a synchronous standby. */
    void await(Node node, String role, Duration most) throws Exception {
        var end = System.nanoTime() + most.toNanos();
        while (!is(node, role)) {
            if (System.nanoTime() > end) {
                for (var each : nodes) {
                    System.err.println(each.lastLines());
                }
                throw new IllegalStateException("%s did not become %s within %d s".formatted(node.name, role, most.toSeconds()));
            }
            Thread.sleep(100);
        }
    }

    boolean is(Node node, String role) throws InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/%s".formatted(node.rest, role)))
                .timeout(Duration.ofSeconds(2))
                .build();
        try {
            return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false; // It is starting, or busy.
        }
    }

    private static Process etcd(Path folder, int port) throws IOException {
        var peer = "http://127.0.0.1:" + Servers.freePort();
        var address = "http://127.0.0.1:" + port;
        return new ProcessBuilder(
                        "etcd", "--data-dir", folder.resolve("etcd").toString(), "--listen-client-urls", address,
                        "--advertise-client-urls", address, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                        "--initial-cluster", "default=" + peer)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("etcd.log").toFile())
                .start();
    }

    private static Path programs() throws IOException {
        try (var versions = Files.list(Path.of("/usr/lib/postgresql"))) {
            return versions.max(Comparator.comparing(each -> Integer.parseInt(each.getFileName().toString())))
                    .orElseThrow()
                    .resolve("bin");
        }
    }

    @Override
    public void close() throws Exception {
        for (var node : nodes) {
            node.kill();
        }
        for (var line : lines) {
            line.close();
        }
        etcd.destroyForcibly().waitFor();
        new ProcessBuilder("rm", "-rf", folder.toString()).start().waitFor();
    }
}
