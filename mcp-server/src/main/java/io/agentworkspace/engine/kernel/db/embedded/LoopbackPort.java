package io.agentworkspace.engine.kernel.db.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.random.RandomGenerator;

/**
 * Free ports of the loopback address, for a server that must know its port before it starts. They are below the range
 * for outgoing connections. Therefore no connection can take the port while the server restarts, not even the pool's
 * own attempts to connect.
 */
public final class LoopbackPort {
    private static final int LOWEST = 20_000;
    private static final int BEYOND = 30_000;

    private LoopbackPort() {}

    public static int free() {
        for (int attempt = 0; attempt < 200; attempt++) {
            int port = RandomGenerator.getDefault().nextInt(LOWEST, BEYOND);
            if (isFree(port)) {
                return port;
            }
        }
        throw new PostgresFailure("no free port between %d and %d".formatted(LOWEST, BEYOND));
    }

    static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
