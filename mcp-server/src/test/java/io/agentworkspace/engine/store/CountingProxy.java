package io.agentworkspace.engine.store;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between the pool and PostgreSQL and counts round trips where they happen, on the wire: a client waits for the
 * server once for each Sync or simple Query message of the frontend protocol. Connect with {@code sslmode=disable}: what
 * is encrypted cannot be counted.
 */
public final class CountingProxy implements AutoCloseable {
    private static final int MAX_MESSAGE = 64 << 20;

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicInteger roundTrips = new AtomicInteger();
    private final AtomicInteger transactions = new AtomicInteger();
    private final int target;

    public CountingProxy(int target) throws IOException {
        this.target = target;
        Thread.ofVirtual().start(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    public int roundTrips() {
        return roundTrips.get();
    }

    /** How many transactions of more than one statement have ended. */
    public int transactions() {
        return transactions.get();
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

    /** The first message has no type; every later one is a type byte and a length that counts itself. */
    private void count(Socket client, Socket upstream) {
        try (client;
                upstream) {
            var in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
            var out = new DataOutputStream(upstream.getOutputStream());
            write(out, body(in));
            while (true) {
                var type = in.readByte();
                var body = body(in);
                // With more on its way already (a BEGIN is sent together with the statement after it) it does not wait.
                if ((type == 'S' || type == 'Q') && in.available() == 0) {
                    roundTrips.incrementAndGet();
                }
                out.writeByte(type);
                write(out, body);
            }
        } catch (IOException e) {
            // The connection has ended.
        }
    }

    /** ReadyForQuery tells after each round trip whether the session is inside a transaction. */
    private void watch(Socket upstream, Socket client) {
        try (upstream;
                client) {
            var in = new DataInputStream(upstream.getInputStream());
            var out = new DataOutputStream(client.getOutputStream());
            var inside = false;
            while (true) {
                var type = in.readByte();
                var body = body(in);
                if (type == 'Z') {
                    if (inside && body[0] == 'I') {
                        transactions.incrementAndGet();
                    }
                    inside = body[0] != 'I';
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
