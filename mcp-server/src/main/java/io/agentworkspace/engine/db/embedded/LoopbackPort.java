package io.agentworkspace.engine.db.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * Ports for the server on the loopback address. They lie below the range that systems give to outgoing connections: no connection can
 * take the server's port while it restarts, least of all the pool's own attempts to reach it.
 */
final class LoopbackPort {
    private static final int LOWEST = 20_000;
    private static final int BEYOND = 30_000;

    private LoopbackPort() {}

    static int free() {
        for (int attempt = 0; attempt < 200; attempt++) {
            int port = RandomGenerator.getDefault().nextInt(LOWEST, BEYOND);
            if (isFree(port)) {
                return port;
            }
        }
        throw new PostgresFailure("no free port for PostgreSQL between %d and %d".formatted(LOWEST, BEYOND));
    }

    static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
