package io.agentworkspace.engine.kernel.tracing;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A receiver of spans over OTLP, on loopback: reads what is sent by the numbers of its fields. */
final class SpanReceiver implements AutoCloseable {
    private final HttpServer server;
    private final List<Received> spans = new CopyOnWriteArrayList<>();

    /** A span, as it came. */
    record Received(
            String trace,
            String id,
            String parent,
            String name,
            long kind,
            Map<String, String> attributes,
            List<String> links,
            Map<String, String> resource) {}

    SpanReceiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/traces", exchange -> {
            read(Fields.of(exchange.getRequestBody().readAllBytes()));
            exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    List<Received> spans() {
        return spans;
    }

    private void read(Fields request) {
        for (var resource : request.messages(1)) {
            var attributes = resource.messages(1).getFirst().attributes(1);
            for (var scope : resource.messages(2)) {
                for (var span : scope.messages(2)) {
                    spans.add(span(span, attributes));
                }
            }
        }
    }

    private static Received span(Fields span, Map<String, String> resource) {
        var links = span.messages(13).stream().map(link -> link.hex(2)).toList();
        return new Received(
                span.hex(1),
                span.hex(2),
                span.hex(4),
                span.text(5),
                span.number(6).orElseThrow(),
                span.attributes(9),
                links,
                resource);
    }

    /** A message of Protocol Buffers: what stands under each number, in the order in which it came. */
    private record Fields(Map<Integer, List<byte[]>> texts, Map<Integer, Long> numbers) {
        private static final int VARINT = 0;
        private static final int FIXED64 = 1;
        private static final int BYTES = 2;
        private static final int FIXED32 = 5;

        static Fields of(byte[] message) {
            var fields = new Fields(new HashMap<>(), new HashMap<>());
            var bytes = ByteBuffer.wrap(message);
            while (bytes.hasRemaining()) {
                var tag = (int) varint(bytes);
                switch (tag & 7) {
                    case VARINT -> fields.numbers.put(tag >> 3, varint(bytes));
                    case FIXED64 -> bytes.position(bytes.position() + Long.BYTES);
                    case FIXED32 -> bytes.position(bytes.position() + Integer.BYTES);
                    case BYTES -> {
                        var value = new byte[(int) varint(bytes)];
                        bytes.get(value);
                        fields.texts
                                .computeIfAbsent(tag >> 3, _ -> new ArrayList<>())
                                .add(value);
                    }
                    default -> throw new IllegalArgumentException("wire type of tag " + tag);
                }
            }
            return fields;
        }

        private static long varint(ByteBuffer bytes) {
            var value = 0L;
            for (var shift = 0; ; shift += 7) {
                var next = bytes.get();
                value |= (long) (next & 0x7f) << shift;
                if (next >= 0) {
                    return value;
                }
            }
        }

        private List<byte[]> values(int field) {
            return texts.getOrDefault(field, List.of());
        }

        List<Fields> messages(int field) {
            return values(field).stream().map(Fields::of).toList();
        }

        Optional<Long> number(int field) {
            return Optional.ofNullable(numbers.get(field));
        }

        String text(int field) {
            return values(field).stream()
                    .map(value -> new String(value, StandardCharsets.UTF_8))
                    .findFirst()
                    .orElse("");
        }

        String hex(int field) {
            return values(field).stream()
                    .map(HexFormat.of()::formatHex)
                    .findFirst()
                    .orElse("");
        }

        /** Names with values, as {@code KeyValue} has them: texts and whole numbers. */
        Map<String, String> attributes(int field) {
            var attributes = new HashMap<String, String>();
            for (var one : messages(field)) {
                var value = one.messages(2).getFirst();
                attributes.put(one.text(1), value.number(3).map(String::valueOf).orElse(value.text(1)));
            }
            return attributes;
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
