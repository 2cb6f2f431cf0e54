package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.model.json.Json;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import tools.jackson.databind.node.ObjectNode;

/** An MCP server with sessions on a raw socket: a test decides over each byte of a response. Each connection has one request. */
final class RawUpstream implements AutoCloseable {
    private final ServerSocket socket;
    private final Answers answers;

    /** What came: requests with a body, and those without. */
    final List<Received> received = new CopyOnWriteArrayList<>();

    /** A request. */
    record Received(String line, Map<String, String> headers, ObjectNode body) {
        String method() {
            return body.path("method").asString("");
        }
    }

    /** Writes the response to a request. */
    @FunctionalInterface
    interface Answers {
        void write(Received request, ObjectNode answer, OutputStream out) throws IOException;
    }

    /** @param answers write the responses to requests, and to those without a body; the answer is then empty */
    RawUpstream(Answers answers) {
        this.answers = answers;
        try {
            socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.startVirtualThread(this::accept);
    }

    String url() {
        return "http://127.0.0.1:%d/mcp".formatted(socket.getLocalPort());
    }

    /** Returns the requests of this method; the empty one has no body. */
    List<Received> of(String method) {
        return received.stream().filter(each -> each.method().equals(method)).toList();
    }

    private void accept() {
        try {
            while (true) {
                var connection = socket.accept();
                Thread.startVirtualThread(() -> serve(connection));
            }
        } catch (IOException e) {
            // It is closed.
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            connection.setTcpNoDelay(true);
            var in = new BufferedInputStream(connection.getInputStream());
            var line = line(in);
            var headers = new TreeMap<String, String>();
            for (var header = line(in); !header.isEmpty(); header = line(in)) {
                var colon = header.indexOf(':');
                headers.put(
                        header.substring(0, colon).toLowerCase(Locale.ROOT),
                        header.substring(colon + 1).strip());
            }
            var length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
            var body = length == 0 ? Json.object() : Json.readObject(in.readNBytes(length));
            var request = new Received(line, headers, body);
            received.add(request);
            respond(request, connection.getOutputStream());
        } catch (IOException e) {
            // The engine has gone.
        }
    }

    private static String line(BufferedInputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (var next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.write(next);
        }
        return line.toString(StandardCharsets.US_ASCII).stripTrailing();
    }

    private void respond(Received request, OutputStream out) throws IOException {
        if (request.body().isEmpty()) {
            answers.write(request, Json.object(), out);
        } else if (!request.body().has("id") || !request.body().has("method")) {
            head(out, "202 Accepted", "Content-Length: 0");
        } else {
            var answer = Json.object().put("jsonrpc", "2.0");
            answer.set("id", request.body().get("id"));
            switch (request.method()) {
                case "server/discover" ->
                    answer.putObject("error").put("code", -32601).put("message", "unknown");
                case "initialize" -> {
                    var result = answer.putObject("result").put("protocolVersion", "2025-11-25");
                    result.putObject("capabilities").putObject("tools");
                    result.putObject("serverInfo").put("name", "raw").put("version", "1");
                }
                case "tools/list" ->
                    answer.putObject("result").putArray("tools").add(Json.readObject("""
                                    {"name":"save","description":"Saves.","inputSchema":{"type":"object"}}""".getBytes(
                                    StandardCharsets.UTF_8)));
                default ->
                    answer.putObject("result")
                            .putArray("content")
                            .addObject()
                            .put("type", "text")
                            .put("text", "Grüße, 世界");
            }
            answers.write(request, answer, out);
        }
    }

    static void head(OutputStream out, String status, String... headers) throws IOException {
        out.write(("HTTP/1.1 " + status + "\r\nConnection: close\r\nMcp-Session-Id: raw-1\r\n"
                        + String.join("\r\n", headers) + "\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    static void json(OutputStream out, ObjectNode answer) throws IOException {
        var bytes = Json.bytes(answer);
        head(out, "200 OK", "Content-Type: application/json", "Content-Length: " + bytes.length);
        out.write(bytes);
    }

    /** Writes the head of a stream that ends with its connection. */
    static void stream(OutputStream out) throws IOException {
        head(out, "200 OK", "Content-Type: text/event-stream; charset=utf-8");
    }

    static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
