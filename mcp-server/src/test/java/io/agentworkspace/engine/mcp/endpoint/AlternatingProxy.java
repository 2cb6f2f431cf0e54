package io.agentworkspace.engine.mcp.endpoint;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A proxy that gives each request to the next replica in turn, and skips replicas that are down. Each request has its
 * own connection on both sides, so a disconnect on one side closes the other.
 */
final class AlternatingProxy implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    private final List<Replica> replicas = new CopyOnWriteArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    AlternatingProxy() throws IOException {
        Thread.ofPlatform().daemon().start(this::accept);
    }

    /** Starts the proxy for these replicas, which are on this machine. */
    AlternatingProxy(String... urls) throws IOException {
        this();
        Stream.of(urls).forEach(this::add);
    }

    void add(String url) {
        replicas.add(new Replica(URI.create(url).getPort(), new AtomicInteger()));
    }

    private record Replica(int port, AtomicInteger served) {}

    String url(String path) {
        return "http://127.0.0.1:%d%s".formatted(server.getLocalPort(), path);
    }

    /** Returns the number of requests for each replica. */
    List<Integer> served() {
        return replicas.stream().map(replica -> replica.served().get()).toList();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var client = server.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            var in = new BufferedInputStream(client.getInputStream());
            var head = head(in);
            try (var upstream = next()) {
                upstream.getOutputStream().write(head);
                Thread.ofVirtual().start(() -> {
                    try (client;
                            upstream) {
                        in.transferTo(upstream.getOutputStream());
                    } catch (IOException e) {
                        // The client has disconnected.
                    }
                });
                upstream.getInputStream().transferTo(client.getOutputStream());
            }
        } catch (IOException e) {
            // One of the two sides has disconnected.
        }
    }

    private Socket next() throws IOException {
        for (var i = 0; i < replicas.size(); i++) {
            var replica = replicas.get(Math.floorMod(turn.getAndIncrement(), replicas.size()));
            try {
                var socket = new Socket(InetAddress.getLoopbackAddress(), replica.port());
                socket.setTcpNoDelay(true);
                replica.served().incrementAndGet();
                return socket;
            } catch (ConnectException e) {
                // It is down: try the next one.
            }
        }
        throw new IOException("no replica is there");
    }

    /** Returns the head of the request, changed so that the response closes the connection. */
    private static byte[] head(InputStream in) throws IOException {
        var head = new ByteArrayOutputStream();
        for (var last = 0;
                last != '\n' || !head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n"); ) {
            last = in.read();
            if (last < 0) {
                throw new IOException("hung up before it asked");
            }
            head.write(last);
        }
        return head.toString(StandardCharsets.ISO_8859_1)
                .replaceAll("(?i)\r\nConnection:[^\r]*", "")
                .replaceFirst("\r\n", "\r\nConnection: close\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
