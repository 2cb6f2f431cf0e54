package io.agentworkspace.engine.web.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.web.connections.ConnectionTable.Limits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that come to nothing end in the table, too. */
class EngineConnectorTest {
    private static final Duration LONG = Duration.ofHours(1);

    private final ConnectionTable table = new ConnectionTable(new Limits(9, 1 << 30, LONG, LONG), _ -> true);
    private final Server server = new Server();
    private final AtomicInteger attempts = new AtomicInteger();
    private volatile boolean isFailing;
    private EngineConnector connector;

    /** A configuration with which connections cannot be made while the test wants it. */
    private final class Failing extends HttpConfiguration {
        @Override
        public int getRequestHeaderSize() {
            if (isFailing) {
                attempts.incrementAndGet();
                throw new IllegalStateException("no connection");
            }
            return super.getRequestHeaderSize();
        }
    }

    @BeforeEach
    void start() throws Exception {
        connector = new EngineConnector(server, table, new Failing());
        connector.bind("127.0.0.1", 0);
        server.addConnector(connector);
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private Socket connect() throws IOException {
        var socket = new Socket("127.0.0.1", connector.getLocalPort());
        socket.setSoTimeout((int) HangLimit.TIME.toMillis());
        return socket;
    }

    private static boolean isClosed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void aConnectionThatCannotBeMadeIsClosedAndForgotten() throws IOException {
        isFailing = true;
        for (var i = 0; i < 20; i++) {
            try (var socket = connect()) {
                socket.getOutputStream().write('G');
                assertThat(isClosed(socket)).isTrue();
            }
        }
        await().until(() -> table.size() == 0);
        assertThat(attempts).hasValueGreaterThanOrEqualTo(20);
    }

    @Test
    void whoHasSentNothingWhenItStopsIsForgotten() throws Exception {
        try (var silent = connect()) {
            await().until(() -> table.size() == 1);
            server.stop();
            assertThat(isClosed(silent)).isTrue();
            await().until(() -> table.size() == 0);
        }
    }

    /** The thread that accepts connections is the only one: if it ended, the engine would answer nobody. */
    @Test
    void whatGoesWrongWithOneConnectionStopsNoOther() throws IOException {
        var checks = new AtomicInteger();
        var entry = table.open(InetAddress.getLoopbackAddress(), () -> {}).orElseThrow();
        entry.admit(1);
        entry.served(() -> {
            checks.incrementAndGet();
            throw new IllegalStateException("cannot be checked");
        });
        await().until(() -> checks.get() > 1);
        try (var _ = connect()) {
            await().until(() -> table.size() == 2);
        }
    }
}
