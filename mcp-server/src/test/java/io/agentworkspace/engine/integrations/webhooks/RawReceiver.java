package io.agentworkspace.engine.integrations.webhooks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver that responds with exactly the bytes of a test, also invalid ones, and counts its connections. */
public final class RawReceiver implements AutoCloseable {
    private static final String LENGTH = "content-length:";

    private final ServerSocket listening;
    private final Script script;
    private final AtomicInteger connections = new AtomicInteger();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    /** The reaction to a request that has been read completely. */
    @FunctionalInterface
    public interface Script {
        void answer(Socket socket, OutputStream out) throws IOException, InterruptedException;
    }

    public RawReceiver(Script script) {
        this(InetAddress.getLoopbackAddress(), 0, script);
    }

    public RawReceiver(InetAddress address, int port, Script script) {
        try {
            listening = new ServerSocket();
            listening.bind(new InetSocketAddress(address, port), 512);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.script = script;
        Thread.ofPlatform().daemon().start(this::accept);
    }

    /** Returns a receiver with the same response to each request, on persistent connections. */
    public static RawReceiver saying(String answer) {
        return new RawReceiver((socket, out) -> out.write(answer.getBytes(StandardCharsets.ISO_8859_1)));
    }

    public static String status(int status, String... headers) {
        return "HTTP/1.1 %d x\r\nContent-Length: 0\r\n%s\r\n"
                .formatted(status, headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n");
    }

    private void accept() {
        while (true) {
            try {
                var socket = listening.accept();
                connections.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            while (read(socket.getInputStream())) {
                script.answer(socket, socket.getOutputStream());
            }
        } catch (IOException | InterruptedException e) {
            // The client has disconnected.
        }
    }

    /** Returns false if no further request arrives. */
    private boolean read(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            var next = in.read();
            if (next < 0) {
                return false;
            }
            head.append((char) next);
        }
        var length = head.toString()
                .lines()
                .filter(line -> line.toLowerCase().startsWith(LENGTH))
                .mapToInt(
                        line -> Integer.parseInt(line.substring(LENGTH.length()).strip()))
                .findFirst()
                .orElse(0);
        requests.add(head + new String(in.readNBytes(length), StandardCharsets.UTF_8));
        return true;
    }

    public int port() {
        return listening.getLocalPort();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + port() + "/hook");
    }

    public int connections() {
        return connections.get();
    }

    /** Returns the head and body of each request so far. */
    public List<String> requests() {
        return requests;
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
