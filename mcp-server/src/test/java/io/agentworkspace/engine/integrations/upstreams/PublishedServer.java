package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.mcp.endpoint.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server of a published package, as a program that listens on loopback only. It can be started again at the same address. */
final class PublishedServer implements AutoCloseable {
    private final Path folder;
    private final List<String> command;
    private final Map<String, String> environment;
    private final String path;
    private Process process;
    private String address = "";

    /**
     * @param folder for its output
     * @param path of its endpoint
     * @param command the script, and its arguments
     */
    PublishedServer(Path folder, String path, Map<String, String> environment, List<String> command) {
        this.folder = folder;
        this.path = path;
        this.environment = environment;
        this.command = new ArrayList<>(List.of(Node.module(".bin/node").toString()));
        this.command.addAll(command);
        process = started();
    }

    private Process started() {
        try {
            var output = folder.resolve("output").toFile();
            var builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(output));
            builder.environment().putAll(Node.COMPILED);
            builder.environment().put("NODE_OPTIONS", "--import " + Node.script("loopback.mjs"));
            builder.environment().put("ADDRESS", folder.resolve("address").toString());
            builder.environment().putAll(environment);
            if (!address.isEmpty()) {
                builder.environment().put("LISTEN", address.substring(address.lastIndexOf(':') + 1));
            }
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it listens. */
    void awaitStart() {
        var written = folder.resolve("address");
        await().until(() -> Files.exists(written) || !process.isAlive());
        try {
            assertThat(Files.exists(written))
                    .as(Files.readString(folder.resolve("output")))
                    .isTrue();
            address = Files.readString(written);
            Files.delete(written);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(address).startsWith("127.0.0.1:");
    }

    String url() {
        return "http://%s%s".formatted(address, path);
    }

    /** Ends it like a crash, and starts it again. */
    void restart() {
        close();
        process = started();
        awaitStart();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }
}
