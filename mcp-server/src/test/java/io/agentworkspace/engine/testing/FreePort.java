package io.agentworkspace.engine.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** A port of the loopback address for a server that has to know it before it starts. */
public final class FreePort {
    private FreePort() {}

    /** Below the range that connections get theirs from, so that it stays free while nobody listens. */
    public static int find() {
        while (true) {
            var port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // It is taken.
            }
        }
    }
}
