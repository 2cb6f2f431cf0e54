package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The network between the engine and its database, which a test can cut or silence. */
public final class NetworkLine implements AutoCloseable {
    private final int target;
    private final int port;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile ServerSocket server;
    private volatile boolean silent;

    public NetworkLine(int target) {
        this.target = target;
        this.port = LoopbackPort.free();
        this.server = listen(port);
    }

    public int port() {
        return port;
    }

    /** Returns the number of open connections. */
    public long connections() {
        return open.size() / 2;
    }

    /** Breaks every connection and refuses new ones. */
    public void cut() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        open.forEach(NetworkLine::close);
    }

    /** Keeps and accepts connections, but transfers nothing more. */
    public void fallSilent() {
        silent = true;
    }

    public void mend() {
        if (server.isClosed()) {
            server = listen(port);
        }
        synchronized (this) {
            silent = false;
            notifyAll();
        }
    }

    private ServerSocket listen(int port) {
        try {
            var socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
            Thread.ofPlatform().daemon().start(() -> accept(socket));
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                var client = socket.accept();
                var upstream = new Socket(InetAddress.getLoopbackAddress(), target);
                open.add(client);
                open.add(upstream);
                if (socket.isClosed()) { // The line was cut before the connection was in the list.
                    close(client);
                    close(upstream);
                }
                Thread.ofVirtual().start(() -> copy(client, upstream));
                Thread.ofVirtual().start(() -> copy(upstream, client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void copy(Socket from, Socket to) {
        try {
            var in = from.getInputStream();
            var buffer = new byte[8_192];
            for (var count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                waitWhileSilent();
                to.getOutputStream().write(buffer, 0, count);
            }
        } catch (IOException | InterruptedException e) {
            // The connection has ended.
        } finally {
            close(from);
            close(to);
            open.remove(from);
            open.remove(to);
        }
    }

    private synchronized void waitWhileSilent() throws InterruptedException {
        while (silent) {
            wait();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    @Override
    public void close() {
        mend();
        cut();
    }
}
