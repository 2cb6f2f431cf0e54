package io.agentworkspace.engine.store;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between the pool and PostgreSQL and counts round trips where they happen, on the wire: a client waits for the
 * server once for each Sync or simple Query message of the frontend protocol.
 */
final class CountingProxy implements AutoCloseable {
    private static final int MAX_MESSAGE = 64 << 20;

    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicInteger roundTrips = new AtomicInteger();
    private final int target;

    CountingProxy(int target) throws IOException {
        this.target = target;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    int roundTrips() {
        return roundTrips.get();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var client = server.accept();
                var upstream = new Socket(InetAddress.getLoopbackAddress(), target);
                client.setTcpNoDelay(true);
                upstream.setTcpNoDelay(true);
                Thread.ofVirtual().start(() -> count(client, upstream));
                Thread.ofVirtual().start(() -> copy(upstream, client));
            } catch (IOException e) {
                return;
            }
        }
    }

    /** The first message has no type; every later one is a type byte and a length that counts itself. */
    private void count(Socket client, Socket upstream) {
        try (client;
                upstream) {
            var in = new DataInputStream(client.getInputStream());
            var out = new DataOutputStream(upstream.getOutputStream());
            forward(in, out);
            while (true) {
                var type = in.readByte();
                if (type == 'S' || type == 'Q') {
                    roundTrips.incrementAndGet();
                }
                out.writeByte(type);
                forward(in, out);
            }
        } catch (IOException e) {
            // The connection has ended.
        }
    }

    private static void forward(DataInputStream in, DataOutputStream out) throws IOException {
        var length = in.readInt();
        if (length < 4 || length > MAX_MESSAGE) {
            throw new IOException("no message is %d bytes long".formatted(length));
        }
        out.writeInt(length);
        out.write(in.readNBytes(length - 4));
        out.flush();
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // The connection has ended.
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
