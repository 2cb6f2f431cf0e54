package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Collectors;

/** A real HAProxy in front of replicas, configured as docs/replicas.md recommends. */
public final class HaProxy implements AutoCloseable {
    private final int port;
    private final Process process;

    private HaProxy(int port, Process process) {
        this.port = port;
        this.process = process;
    }

    /** @param configuration the lines of the backend up to its servers */
    public static HaProxy start(String configuration, List<Integer> replicas) {
        var program = Programs.require("haproxy");
        var port = LoopbackPort.free();
        try {
            var folder = Files.createTempDirectory("haproxy");
            var servers = replicas.stream()
                    .map("    server replica-%1$d 127.0.0.1:%1$d"::formatted)
                    .collect(Collectors.joining("\n"));
            var file = Files.writeString(folder.resolve("haproxy.cfg"), """
                    defaults
                        mode http
                        timeout connect 5s
                        timeout client 120s
                        timeout server 120s
                    frontend front
                        bind 127.0.0.1:%d
                        http-response set-header X-Replica %%s
                        default_backend engine
                    %s
                    %s
                    """.formatted(port, configuration, servers));
            var process = new ProcessBuilder(program.toString(), "-db", "-f", file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
            return new HaProxy(port, process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String url() {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
