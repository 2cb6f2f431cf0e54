import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;

/**
 * Two servers that Patroni runs, with etcd (Debian: {@code patroni}, {@code etcd-server}). The leader is killed with its Patroni, or
 * hangs with it.
 */
final class Patroni implements Bench.Benchmark {
    private static final String CONFIGURATION = """
            scope: drill
            name: %1$s
            restapi: {listen: "127.0.0.1:%2$d", connect_address: "127.0.0.1:%2$d"}
            etcd3: {host: "127.0.0.1:%3$d"}
            bootstrap:
              dcs:
                ttl: 20
                loop_wait: 2
                retry_timeout: 3
                synchronous_mode: true
                postgresql:
                  parameters: {max_connections: 200, unix_socket_directories: ""}
              initdb: [{encoding: UTF8}, {locale: C}, {auth: trust}]
              pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
            postgresql:
              listen: "127.0.0.1:%4$d"
              connect_address: "127.0.0.1:%4$d"
              data_dir: %5$s/data-%1$s
              bin_dir: %6$s
              pgpass: %5$s/pgpass-%1$s
              authentication:
                superuser: {username: engine, password: drill}
                replication: {username: replicator, password: drill}
            """;

    private final HttpClient client = HttpClient.newHttpClient();

    @Override
    public String words() {
        return "Patroni's leader is killed or hangs, and Patroni promotes the other one [--case kill|hang --timeout 3s --writers 8]";
    }

    /** A server, with its Patroni. */
    private record Node(Path data, int rest, int port, Process patroni) {
        String url() {
            return "jdbc:postgresql://127.0.0.1:%d/postgres?user=engine".formatted(port);
        }

        /** Sends a signal to Patroni and to each process of the server. */
        void signal(String name) throws Exception {
            var all = new ArrayList<>(patroni.descendants().toList());
            all.addFirst(patroni.toHandle());
            var file = data.resolve("postmaster.pid");
            if (Files.exists(file)) {
                ProcessHandle.of(Long.parseLong(Files.readAllLines(file).getFirst().strip())).ifPresent(postmaster -> {
                    all.add(postmaster);
                    postmaster.descendants().forEach(all::add);
                });
            }
            for (var each : all) {
                if (each.isAlive()) {
                    Drill.signal(name, each.pid());
                }
            }
        }

        void kill() throws Exception {
            patroni.descendants().forEach(ProcessHandle::destroyForcibly);
            patroni.destroyForcibly().waitFor();
            var file = data.resolve("postmaster.pid");
            if (Files.exists(file)) {
                ProcessHandle.of(Long.parseLong(Files.readAllLines(file).getFirst().strip())).ifPresent(postmaster -> {
                    postmaster.descendants().forEach(ProcessHandle::destroyForcibly);
                    postmaster.destroyForcibly();
                });
            }
        }
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        var hangs = options.text("case", "kill").equals("hang");
        var folder = Files.createTempDirectory("engine-drill");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        var etcdPort = Servers.freePort();
        var etcd = etcd(folder, etcdPort);
        var nodes = new ArrayList<Node>();
        try {
            nodes.add(node("one", folder, etcdPort));
            await(nodes.get(0), "primary", Duration.ofMinutes(2));
            nodes.add(node("two", folder, etcdPort));
            await(nodes.get(1), "sync", Duration.ofMinutes(2));
            var environment = new HashMap<>(Servers.engine(
                    "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?user=engine&targetServerType=primary"
                            .formatted(nodes.get(0).port(), nodes.get(1).port()),
                    key));
            environment.put("ENGINE_DATABASE_TIMEOUT", options.text("timeout", "3s"));
            try (var engine = Engine.startIn(environment)) {
                var writes = new Writes(List.of(engine.url()), key, options.number("writers", 8));
                writes.awaitMore(300);
                writes.mark();
                var start = System.nanoTime();
                if (hangs) {
                    nodes.get(0).signal("STOP");
                } else {
                    nodes.get(0).kill();
                }
                await(nodes.get(1), "primary", Duration.ofMinutes(2));
                var promoted = System.nanoTime();
                writes.awaitMore(200);
                if (hangs) {
                    nodes.get(0).signal("CONT"); // The old leader wakes up, and must not take writes.
                    writes.awaitMore(200);
                }
                writes.close();
                System.out.printf(
                        "the leader %s; Patroni promoted the other one after %.1f s%n",
                        hangs ? "hung" : "was killed", (promoted - start) / 1e9);
                writes.report("ttl 20 s, synchronous_mode");
                System.out.printf("  writes again %.1f s after the promotion%n",
                        writes.longestGap().toMillis() / 1e3 - (promoted - start) / 1e9);
                writes.check(nodes.get(1).url());
            }
        } finally {
            for (var node : nodes) {
                node.kill();
            }
            etcd.destroyForcibly().waitFor();
            new ProcessBuilder("rm", "-rf", folder.toString()).start().waitFor();
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

    private static Node node(String name, Path folder, int etcd) throws Exception {
        var rest = Servers.freePort();
        var port = Servers.freePort();
        Path programs;
        try (var versions = Files.list(Path.of("/usr/lib/postgresql"))) {
            programs = versions.max(Comparator.comparing(each -> Integer.parseInt(each.getFileName().toString())))
                    .orElseThrow()
                    .resolve("bin");
        }
        var file = Files.writeString(
                folder.resolve(name + ".yml"), CONFIGURATION.formatted(name, rest, etcd, port, folder, programs));
        var command = new ArrayList<String>();
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("runuser", "-u", "postgres", "--"));
        }
        command.addAll(List.of("patroni", file.toString()));
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
        return new Node(folder.resolve("data-" + name), rest, port, process);
    }

    /** Waits until Patroni's interface reports the role: {@code primary}, or {@code sync} for a synchronous standby. */
    private void await(Node node, String role, Duration most) throws Exception {
        var end = System.nanoTime() + most.toNanos();
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/%s".formatted(node.rest(), role)))
                .timeout(Duration.ofSeconds(2))
                .build();
        while (System.nanoTime() < end) {
            try {
                if (client.send(request, BodyHandlers.discarding()).statusCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                // It is starting, or busy.
            }
            Thread.sleep(100);
        }
        throw new IllegalStateException("no %s at %s".formatted(role, node));
    }
}
