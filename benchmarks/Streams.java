import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** Many open streams of {@code subscriptions/listen}, each with its own socket. One thread reads all of them. */
final class Streams implements AutoCloseable {
    private static final String META = "io.modelcontextprotocol/";
    /** Ends a hung benchmark. A slow machine takes minutes for some thousand streams. */
    private static final long PATIENCE = 600_000_000_000L;

    /**
     * The number of streams that are opened at once. A key has only a share of the calls in flight, so a
     * slow machine would refuse more.
     */
    private static final int OPENING = 16;

    private final URI url;
    private final String key;
    private final Selector selector;
    private final List<Stream> all = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
    private volatile Exception failure;

    Streams(String url, String key) throws IOException {
        this.url = URI.create(url);
        this.key = key;
        this.selector = Selector.open();
        Thread.ofPlatform().daemon().start(this::read);
    }

    /** A stream: what it requested, and which notifications it received. */
    static final class Stream {
        private final int id;
        private final String uri;
        private final SocketChannel channel;
        private String rest = "";
        private volatile String heard = "";
        private volatile boolean acknowledged;
        private volatile boolean hasMessage;
        private volatile boolean open = true;

        private Stream(int id, String uri, SocketChannel channel) {
            this.id = id;
            this.uri = uri;
            this.channel = channel;
        }

        String uri() {
            return uri;
        }

        boolean isTold() {
            return hasMessage;
        }
    }

    /** Opens a stream for the changes of a resource, once few enough streams wait for their acknowledgement. */
    void open(String uri) throws IOException, InterruptedException {
        if (all.size() >= OPENING) {
            var before = all.get(all.size() - OPENING);
            await("be acknowledged", stream -> stream != before || stream.acknowledged);
        }
        var channel = SocketChannel.open(new InetSocketAddress(url.getHost(), url.getPort()));
        var stream = new Stream(all.size(), uri, channel);
        var request = ByteBuffer.wrap(request(stream));
        while (request.hasRemaining()) {
            channel.write(request);
        }
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, stream);
        all.add(stream);
        selector.wakeup();
    }

    private byte[] request(Stream stream) {
        var meta = Map.of(META + "protocolVersion", "2026-07-28", META + "clientCapabilities", Map.of());
        var wishes = Map.of("resourceSubscriptions", List.of(stream.uri));
        var body = Callers.JSON.writeValueAsBytes(Map.of(
                "jsonrpc",
                "2.0",
                "id",
                stream.id,
                "method",
                "subscriptions/listen",
                "params",
                Map.of("_meta", meta, "notifications", wishes)));
        var head = """
                POST /mcp HTTP/1.1
                Host: localhost
                X-API-Key: %s
                Content-Type: application/json
                Accept: application/json, text/event-stream
                MCP-Protocol-Version: 2026-07-28
                Mcp-Method: subscriptions/listen
                Content-Length: %d

                """.formatted(key, body.length).replace("\n", "\r\n");
        var whole = ByteBuffer.allocate(head.length() + body.length);
        return whole.put(head.getBytes(StandardCharsets.US_ASCII)).put(body).array();
    }

    private void read() {
        try {
            while (selector.isOpen()) {
                selector.select(ready -> take((Stream) ready.attachment()));
            }
        } catch (IOException | RuntimeException e) {
            failure = e;
        }
    }

    private void take(Stream stream) {
        try {
            var count = stream.channel.read(buffer.clear());
            if (count < 0) {
                stream.open = false;
                stream.channel.close();
                return;
            }
            var text = stream.rest + new String(buffer.array(), 0, count, StandardCharsets.UTF_8);
            stream.heard = text;
            var end = text.lastIndexOf('\n') + 1;
            stream.rest = text.substring(end);
            for (var line : text.substring(0, end).split("\n")) {
                if (line.startsWith("data: ")) {
                    hear(stream, Callers.JSON.readTree(line.substring("data: ".length())));
                }
            }
        } catch (IOException e) {
            stream.open = false;
        }
    }

    private static void hear(Stream stream, JsonNode message) {
        var subscription = message.path("params").path("_meta").path(META + "subscriptionId");
        if (subscription.asInt(-1) != stream.id) {
            throw new IllegalStateException("stream %d got what is not its own: %s".formatted(stream.id, message));
        }
        switch (message.path("method").asString("")) {
            case "notifications/subscriptions/acknowledged" -> stream.acknowledged = true;
            case "notifications/resources/updated" -> {
                if (!message.at("/params/uri").asString("").equals(stream.uri)) {
                    throw new IllegalStateException("%s was not asked for by %s".formatted(message, stream.uri));
                }
                stream.hasMessage = true;
            }
            default -> throw new IllegalStateException("unexpected: " + message);
        }
    }

    void awaitAcknowledged() throws InterruptedException {
        await("be acknowledged", stream -> stream.acknowledged);
    }

    /** Waits until the condition holds for all streams, which must all be open. */
    void await(String what, Predicate<Stream> condition) throws InterruptedException {
        var began = System.nanoTime();
        while (!all.stream().allMatch(condition)) {
            if (System.nanoTime() - began > PATIENCE) {
                var missing = all.stream().filter(condition.negate()).count();
                throw new IllegalStateException("%d of %d streams did not %s".formatted(missing, all.size(), what));
            }
            check();
            Thread.sleep(1);
        }
        check();
    }

    /** Checks that no stream received a wrong message or was lost. */
    void check() {
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
        var lost = all.stream().filter(stream -> !stream.open).count();
        if (lost > 0) {
            var last = all.stream().filter(stream -> !stream.open).map(stream -> stream.heard).findFirst();
            throw new IllegalStateException(
                    "%d of %d streams were lost, one after: %s".formatted(lost, all.size(), last.orElse("")));
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        for (var stream : all) {
            stream.channel.close();
        }
    }
}
