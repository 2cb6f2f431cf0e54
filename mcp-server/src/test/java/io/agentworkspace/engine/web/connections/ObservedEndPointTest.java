package io.agentworkspace.engine.web.connections;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.web.connections.ConnectionTable.Limits;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.BufferUtil;
import org.junit.jupiter.api.Test;

class ObservedEndPointTest {
    private final ConnectionTable table =
            new ConnectionTable(new Limits(1, 1 << 30, Duration.ZERO, Duration.ZERO), _ -> true);
    private final EngineConnector connector = new EngineConnector(new Server(), table, new HttpConfiguration());

    /** Whatever the state of the buffer that is read into: full, read to its end, or with room left. */
    @Test
    void lookingForTheEndMovesNoByte() throws Exception {
        var sent = IntStream.range(0, 2_000).mapToObj(Integer::toString).collect(Collectors.joining(" "));
        try (var listening =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                var client = SocketChannel.open(listening.getLocalAddress());
                var server = listening.accept();
                var selector = Selector.open()) {
            server.configureBlocking(false);
            var key = server.register(
                    selector,
                    0,
                    new EngineConnector.Accepted(
                            table.open(InetAddress.getLoopbackAddress(), () -> {})
                                    .orElseThrow(),
                            null));
            var endPoint = (ObservedEndPoint)
                    connector.newEndPoint(server, new ManagedSelector(connector.getSelectorManager(), 0), key);
            client.write(ByteBuffer.wrap(sent.getBytes(StandardCharsets.US_ASCII)));
            client.shutdownOutput();
            assertThat(received(endPoint)).isEqualTo(sent);
        }
    }

    private static String received(ObservedEndPoint endPoint) throws Exception {
        var received = new ByteArrayOutputStream();
        var buffer = BufferUtil.allocate(7);
        for (var i = 0; endPoint.fill(buffer) >= 0; i++) {
            endPoint.isAbandoned();
            endPoint.fill(buffer); // It may be full.
            for (var some = i % 3; some < 3 && buffer.hasRemaining(); some++) {
                received.write(buffer.get());
                endPoint.isAbandoned();
            }
        }
        while (buffer.hasRemaining()) {
            received.write(buffer.get());
        }
        return received.toString(StandardCharsets.US_ASCII);
    }
}
