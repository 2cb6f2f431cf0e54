import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/** Many connections that each send prepared requests one after the other, with as little overhead as possible. */
final class Load {
    private static final byte[] FAILED = "\"isError\":true".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ERROR = "\"error\":{\"code\"".getBytes(StandardCharsets.US_ASCII);

    private Load() {}

    /** The result: calls per second, and quantiles of their duration. */
    record Measured(long calls, double perSecond, double p50, double p99) {}

    /** Returns a complete HTTP request. */
    static byte[] request(String url, String headers, String body) {
        var address = URI.create(url);
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        var head = "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
                .formatted(address.getPath(), address.getAuthority(), headers, bytes.length);
        var whole = Arrays.copyOf(head.getBytes(StandardCharsets.UTF_8), head.length() + bytes.length);
        System.arraycopy(bytes, 0, whole, head.length(), bytes.length);
        return whole;
    }

    /** Returns the body of the response to one request. */
    static String ask(String url, byte[] request) throws IOException {
        try (var connection = new Connection(URI.create(url))) {
            connection.send(request);
            return connection.text();
        }
    }

    /** @param requests by connection and number, prepared before the measurement */
    static Measured run(String url, int connections, Duration time, IntFunction<List<byte[]>> requests) throws Exception {
        return run(url, connections, time, requests, Double.POSITIVE_INFINITY);
    }

    /** @param rate the calls a second; each is timed from when it should have been sent */
    static Measured run(String url, int connections, Duration time, IntFunction<List<byte[]>> requests, double rate)
            throws Exception {
        var pause = Double.isInfinite(rate) ? 0 : (long) (1e9 * connections / rate);
        var shifts = new ArrayList<Callable<long[]>>();
        var end = System.nanoTime() + time.toNanos();
        for (var i = 0; i < connections; i++) {
            var ready = requests.apply(i);
            var first = System.nanoTime() + pause * i / connections;
            shifts.add(() -> shift(url, ready, first, end, pause));
        }
        var began = System.nanoTime();
        try (var threads = Executors.newFixedThreadPool(connections)) {
            var all = new ArrayList<long[]>();
            for (var shift : threads.invokeAll(shifts)) {
                all.add(shift.get());
            }
            var took = (System.nanoTime() - began) / 1e9;
            var sorted = all.stream().flatMapToLong(Arrays::stream).sorted().toArray();
            return new Measured(sorted.length, sorted.length / took, at(sorted, 0.5), at(sorted, 0.99));
        }
    }

    private static double at(long[] sorted, double quantile) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) (sorted.length * quantile)] / 1e6;
    }

    private static long[] shift(String url, List<byte[]> ready, long first, long end, long pause) throws IOException {
        var took = new long[1 << 16];
        var count = 0;
        try (var connection = new Connection(URI.create(url))) {
            for (var now = pause == 0 ? System.nanoTime() : first; now < end; ) {
                for (var early = now - System.nanoTime(); early > 0; early = now - System.nanoTime()) {
                    LockSupport.parkNanos(early);
                }
                connection.send(ready.get(count % ready.size()));
                var then = System.nanoTime();
                if (count == took.length) {
                    took = Arrays.copyOf(took, 2 * count);
                }
                took[count++] = then - now;
                now = pause == 0 ? then : now + pause;
            }
        }
        return Arrays.copyOf(took, count);
    }

    /** A persistent connection. */
    static final class Connection implements AutoCloseable {
        private final Socket socket;
        private final InputStream in;
        private final BufferedOutputStream out;
        private byte[] buffer = new byte[1 << 16];
        private int filled;
        private int from;
        private int to;

        Connection(URI url) throws IOException {
            socket = new Socket(url.getHost(), url.getPort());
            socket.setTcpNoDelay(true);
            in = socket.getInputStream();
            out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
        }

        /** Sends a request and reads the whole response, which must be a success. */
        void send(byte[] request) throws IOException {
            if (exchange(request) / 100 != 2) {
                throw new IOException("refused: " + new String(buffer, 0, filled, StandardCharsets.UTF_8));
            }
            if (has(FAILED) || has(ERROR)) {
                throw new IOException("failed: " + text());
            }
        }

        /** Sends a request, reads the whole response, and returns its status. */
        int exchange(byte[] request) throws IOException {
            out.write(request);
            out.flush();
            filled = 0;
            var head = -1;
            while (head < 0) {
                fill();
                head = find("\r\n\r\n", 0, filled);
            }
            from = head + 4;
            var length = length(head);
            if (length >= 0) {
                to = from + length;
                while (filled < to) {
                    fill();
                }
            } else {
                while (!(endsWith("0\r\n\r\n"))) {
                    fill();
                }
                to = filled;
            }
            return Integer.parseInt(new String(buffer, 9, 3, StandardCharsets.US_ASCII));
        }

        /** Returns whether the response has a header, whose name begins a line. */
        boolean hasHeader(String name) {
            return new String(buffer, 0, from, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT).contains("\r\n" + name + ":");
        }

        /** Searches the response. Failures are short, or have the word near their end. */
        private boolean has(byte[] word) {
            for (var i = Math.max(from, to - 1_000); i <= to - word.length; i++) {
                if (buffer[i] == word[0] && Arrays.equals(buffer, i, i + word.length, word, 0, word.length)) {
                    return true;
                }
            }
            return false;
        }

        private int length(int head) {
            var at = find("ontent-", 0, head);
            while (at >= 0) {
                if ((buffer[at + 7] | 0x20) == 'l') {
                    var value = 0;
                    for (var i = at + 14; buffer[i] != '\r'; i++) {
                        value = buffer[i] >= '0' && buffer[i] <= '9' ? 10 * value + buffer[i] - '0' : value;
                    }
                    return value;
                }
                at = find("ontent-", at + 1, head);
            }
            return -1;
        }

        private boolean endsWith(String end) {
            return filled - from >= end.length() && find(end, filled - end.length(), filled) >= 0;
        }

        private int find(String text, int start, int limit) {
            for (var i = start; i <= limit - text.length(); i++) {
                var k = 0;
                while (k < text.length() && buffer[i + k] == text.charAt(k)) {
                    k++;
                }
                if (k == text.length()) {
                    return i;
                }
            }
            return -1;
        }

        private void fill() throws IOException {
            if (filled == buffer.length) {
                buffer = Arrays.copyOf(buffer, 2 * filled);
            }
            var count = in.read(buffer, filled, buffer.length - filled);
            if (count < 0) {
                throw new IOException("the connection was closed: " + new String(buffer, 0, filled, StandardCharsets.UTF_8));
            }
            filled += count;
        }

        String text() {
            return new String(buffer, from, to - from, StandardCharsets.UTF_8);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
