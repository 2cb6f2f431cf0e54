package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.http.TrustedProxies;
import io.agentworkspace.engine.kernel.streams.EventStream;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.web.connections.ConnectionTable.Limits;
import io.agentworkspace.engine.web.connections.EngineConnection;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The connections of open streams: they count like others, but do not give way and do not expire. */
class OpenStreamsTest {
    private static final int CONNECTIONS = 16;
    private static final int REQUESTS = 14;
    private static final Duration LONG = Duration.ofHours(1);

    private final List<Socket> sockets = new ArrayList<>();
    private final BlockingQueue<EventStream> opened = new LinkedBlockingQueue<>();

    /** Both ends of a stream. */
    private record OpenStream(Socket client, EventStream server) {
        void goesOn() throws IOException {
            write(server);
            readUntilEvent(client);
        }
    }

    /** Opens a stream for each request, if there is room. */
    private final class Streams extends Handler.Abstract {
        private final AtomicLong tenant = new AtomicLong();

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            try {
                EngineConnection.of(request).orElseThrow().admit(tenant.incrementAndGet());
            } catch (Problem full) {
                Response.writeError(request, response, callback, HttpStatus.SERVICE_UNAVAILABLE_503);
                return true;
            }
            var stream = EventStream.after(request, response, callback, HangLimit.TIME);
            Thread.startVirtualThread(() -> {
                write(stream);
                opened.add(stream);
            });
            return true;
        }
    }

    @AfterEach
    void close() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
    }

    private WebServer server(Duration idle) throws IOException {
        var limits = new Limits(CONNECTIONS, 1 << 30, LONG, idle);
        var server = WebServer.bind("127.0.0.1", 0, WebServer.GRACE, limits, new TrustedProxies(Set.of()));
        server.serve(new Streams(), new RefusalWriter(Clock.systemUTC()));
        return server;
    }

    private Socket connect(WebServer server) throws IOException {
        var socket = new Socket("127.0.0.1", server.port());
        sockets.add(socket);
        socket.setSoTimeout((int) HangLimit.TIME.toMillis());
        return socket;
    }

    private Socket send(WebServer server) throws IOException {
        var socket = connect(server);
        socket.getOutputStream()
                .write("GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private List<OpenStream> open(WebServer server, int count) throws IOException {
        var streams = new ArrayList<OpenStream>();
        for (var i = 0; i < count; i++) {
            var client = send(server);
            assertThat(readUntilEvent(client)).startsWith("HTTP/1.1 200 ");
            streams.add(new OpenStream(client, next()));
        }
        return streams;
    }

    private EventStream next() {
        try {
            var stream = opened.poll(HangLimit.TIME.toMillis(), TimeUnit.MILLISECONDS);
            assertThat(stream).isNotNull();
            return stream;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(EventStream stream) {
        try {
            stream.keepAlive();
        } catch (IOException gone) {
            stream.cut(gone);
        }
    }

    private static String readUntilEvent(Socket client) throws IOException {
        var text = new StringBuilder();
        while (text.indexOf(": alive") < 0) {
            var next = client.getInputStream().read();
            assertThat(next).as("the stream has ended after: %s", text).isNotNegative();
            text.append((char) next);
        }
        return text.toString();
    }

    private static boolean isClosed(Socket socket) {
        try {
            while (socket.getInputStream().read() >= 0) {}
            return true;
        } catch (IOException e) {
            return !(e instanceof java.net.SocketTimeoutException);
        }
    }

    private static void allGoOn(List<OpenStream> streams) throws IOException {
        for (var stream : streams) {
            stream.goesOn();
        }
    }

    @Test
    void theyCountAndDoNotGiveWayToOthers() throws IOException {
        try (var server = server(LONG)) {
            var streams = open(server, REQUESTS);
            assertThat(server.connections()).isEqualTo(REQUESTS);
            for (var i = 0; i < 50; i++) {
                connect(server);
                assertThat(server.connections()).isLessThanOrEqualTo(CONNECTIONS);
            }
            var refused = new String(send(server).getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            assertThat(refused).isEqualTo("HTTP/1.1 503");
            assertThat(server.closedConnections()).isPositive();
            allGoOn(streams);
        }
    }

    @Test
    void theyDoNotExpire() throws IOException {
        try (var server = server(Duration.ZERO)) {
            var streams = open(server, 3);
            assertThat(isClosed(connect(server))).isTrue(); // The others were checked, too.
            assertThat(server.connections()).isEqualTo(3);
            allGoOn(streams);
        }
    }

    @Test
    void theyAreForgottenWhenEitherSideEndsThem() throws IOException {
        try (var server = server(LONG)) {
            var streams = open(server, 4);
            streams.get(0).server().finish();
            streams.get(1).server().cut(new IOException("cut"));
            assertThat(isClosed(streams.get(0).client())).isTrue();
            assertThat(isClosed(streams.get(1).client())).isTrue();
            await().until(() -> server.connections() == 2);
            streams.get(2).client().close();
            streams.get(3).client().close();
            await().until(() -> {
                write(streams.get(2).server()); // The second write meets the reset.
                write(streams.get(3).server());
                return server.connections() == 0;
            });
        }
    }
}
