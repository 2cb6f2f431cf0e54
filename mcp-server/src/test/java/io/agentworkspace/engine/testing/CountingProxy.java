package io.agentworkspace.engine.testing;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A proxy between the pool and PostgreSQL that counts round trips on the wire: a client waits for the server once
 * for each Sync or simple Query message of the frontend protocol. Connect with {@code sslmode=disable}, since
 * encrypted traffic cannot be counted.
 */
public final class CountingProxy implements AutoCloseable {
    private static final int MAX_MESSAGE = 64 << 20;
    /**
     * The size of an empty query, with which the pool checks a connection that has been idle for half a second. It
     * is not part of a command's cost.
     */
    private static final int EMPTY = 1;

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicInteger roundTrips = new AtomicInteger();
    private final AtomicInteger statements = new AtomicInteger();
    private final AtomicInteger transactions = new AtomicInteger();
    private final AtomicInteger watched = new AtomicInteger();
    private final int target;
    private volatile @Nullable String watch;
    private final Consumer<String> notices;

    public CountingProxy(int target) throws IOException {
        this(target, _ -> {});
    }

    /** @param notices receives each notice of the server before the client does */
    public CountingProxy(int target, Consumer<String> notices) throws IOException {
        this.target = target;
        this.notices = notices;
        Thread.ofVirtual().start(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    public int roundTrips() {
        return roundTrips.get();
    }

    /** Returns how many statements were run, those that begin and end transactions included. */
    public int statements() {
        return statements.get();
    }

    /** Returns the number of ended transactions with more than one statement. */
    public int transactions() {
        return transactions.get();
    }

    /** Counts from now on the round trips with a statement that contains these words. */
    public void watch(String words) {
        watch = words;
    }

    public int watched() {
        return watched.get();
    }

    /** Returns the strings at the beginning of a message. Each ends with a NUL. */
    private static String[] parts(byte[] body) {
        return new String(body, StandardCharsets.UTF_8).split("\0", 3);
    }

    private static boolean has(@Nullable String statement, @Nullable String words) {
        return statement != null && words != null && statement.contains(words);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var client = server.accept();
                var upstream = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                upstream.setTcpNoDelay(true);
                Thread.ofVirtual().start(() -> count(client, upstream));
                Thread.ofVirtual().start(() -> watch(upstream, client));
            } catch (IOException e) {
                return;
            }
        }
    }

    /**
     * Counts the client's messages. The first one has no type; every later one has a type byte and
     * a length that includes itself.
     */
    private void count(Socket client, Socket upstream) {
        try (client;
                upstream) {
            var in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
            var out = new DataOutputStream(new BufferedOutputStream(upstream.getOutputStream()));
            write(out, body(in));
            var statements = new HashMap<String, String>();
            var isWatched = false;
            while (true) {
                var type = in.readByte();
                var body = body(in);
                if (type == 'P') {
                    statements.put(parts(body)[0], parts(body)[1]);
                } else if (type == 'B') {
                    this.statements.incrementAndGet();
                    isWatched |= has(statements.get(parts(body)[1]), watch);
                } else if (type == 'S' && isWatched) {
                    watched.incrementAndGet();
                    isWatched = false;
                }
                // If more data follows (BEGIN is sent together with the next statement), the client does not wait.
                if ((type == 'S' || type == 'Q' && body.length > EMPTY) && in.available() == 0) {
                    roundTrips.incrementAndGet();
                }
                out.writeByte(type);
                write(out, body);
            }
        } catch (IOException e) {
            // The connection has ended.
        }
    }

    /** Watches ReadyForQuery, which states after each round trip whether the session is in a transaction. */
    private void watch(Socket upstream, Socket client) {
        try (upstream;
                client) {
            var in = new DataInputStream(new BufferedInputStream(upstream.getInputStream()));
            var out = new DataOutputStream(new BufferedOutputStream(client.getOutputStream()));
            var inside = false;
            while (true) {
                var type = in.readByte();
                var body = body(in);
                if (type == 'Z') {
                    if (inside && body[0] == 'I') {
                        transactions.incrementAndGet();
                    }
                    inside = body[0] != 'I';
                } else if (type == 'N') {
                    notices.accept(new String(body, StandardCharsets.UTF_8));
                }
                out.writeByte(type);
                write(out, body);
            }
        } catch (IOException e) {
            // The connection has ended.
        }
    }

    private static byte[] body(DataInputStream in) throws IOException {
        var length = in.readInt();
        if (length < 4 || length > MAX_MESSAGE) {
            throw new IOException("no message is %d bytes long".formatted(length));
        }
        return in.readNBytes(length - 4);
    }

    private static void write(DataOutputStream out, byte[] body) throws IOException {
        out.writeInt(body.length + 4);
        out.write(body);
        out.flush();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
