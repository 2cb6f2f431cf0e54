package io.agentworkspace.engine.proof;

import io.agentworkspace.engine.testing.CommandAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Requests that are written byte by byte, with connections that stay open until all are closed. */
final class RawRequests implements AutoCloseable {
    private static final int HEADERS = 16 * 1024;
    static final String COMMAND = "POST " + CommandAddress.GENERIC.path("");
    private static final String FIELD = "a:\r\n";
    private static final Pattern LENGTH = Pattern.compile("\r\nContent-Length: (\\d+)\r\n");

    private final URI server;
    private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());

    RawRequests(String server) {
        this.server = URI.create(server);
    }

    /** Returns a request with as many header fields as are allowed. */
    static String largest(String target, String key, String headers, String body) {
        var head = head(target, key, headers, body);
        return head + FIELD.repeat((HEADERS - head.length() - 100) / FIELD.length()) + "\r\n" + body;
    }

    static String largest(String target, String key, String body) {
        return largest(target, key, "", body);
    }

    /** Returns a small call of a command. */
    static String command(String key, String tool, String arguments) {
        var body = CommandAddress.GENERIC.body(tool, arguments);
        return head(COMMAND, key, "", body) + "\r\n" + body;
    }

    private static String head(String target, String key, String headers, String body) {
        var length = body.getBytes(StandardCharsets.UTF_8).length;
        var content = length == 0 ? "" : "Content-Type: application/json\r\nContent-Length: %d\r\n".formatted(length);
        return "%s HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\n%s%s".formatted(target, key, headers, content);
    }

    /** Sends a request this many times, a few at once, and returns the beginning of each status line. */
    List<String> open(int count, String request) {
        return IntStream.range(0, count)
                .parallel()
                .mapToObj(_ -> statuses(post(1, request)).getFirst())
                .toList();
    }

    /** Sends a request this many times, and returns the connections, on which no response is read. */
    List<Socket> post(int count, String request) {
        return IntStream.range(0, count)
                .parallel()
                .mapToObj(_ -> {
                    try {
                        return post(request);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .toList();
    }

    /** Returns the beginning of the status line that each connection gets, or an empty text if it is closed instead. */
    static List<String> statuses(List<Socket> sockets) {
        return sockets.stream().map(RawRequests::status).toList();
    }

    private static String status(Socket socket) {
        try {
            return text(socket.getInputStream().readNBytes(12));
        } catch (IOException closed) {
            return "";
        }
    }

    /** Returns the connections on which a response has begun. */
    static List<Socket> answered(List<Socket> sockets) {
        return sockets.stream().filter(RawRequests::isAnswered).toList();
    }

    private static boolean isAnswered(Socket socket) {
        try {
            return socket.getInputStream().available() > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the whole response that each connection gets, or an empty text if it is closed instead. */
    static List<String> responses(List<Socket> sockets) {
        return sockets.stream().map(RawRequests::response).toList();
    }

    private static String response(Socket socket) {
        var head = new StringBuilder();
        try {
            var in = socket.getInputStream();
            while (head.indexOf("\r\n\r\n") < 0) {
                var next = in.read();
                if (next < 0) {
                    return "";
                }
                head.append((char) next);
            }
            var length = LENGTH.matcher(head);
            return head + text(in.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0));
        } catch (IOException closed) {
            return "";
        }
    }

    private Socket post(String request) throws IOException {
        var socket = connect();
        sockets.add(socket);
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private Socket connect() throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.connect(new InetSocketAddress(server.getHost(), server.getPort()));
        return socket;
    }

    /** Returns the whole response. */
    String answer(String request) {
        try (var socket = connect()) {
            var last = request.replaceFirst("\r\n", "\r\nConnection: close\r\n");
            socket.getOutputStream().write(last.getBytes(StandardCharsets.UTF_8));
            return text(socket.getInputStream().readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
    }
}
