package io.agentworkspace.engine.kernel.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.web.server.RefusalWriter;
import io.agentworkspace.engine.web.server.WebServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A queue of a real connection, whose client is slow as long as a line holds the writer up. */
class EventQueueTest {
    private static final Caller CALLER = new Caller(1, "t", 2, "ann", Role.OWNER, Set.of("*"), "key:a", null);
    private static final int KIB = 1024;
    private static final long HEAP = 4 * 3 * 100 * KIB; // 100 KiB for the caller's streams

    private final StreamLimits limits = new StreamLimits(new StreamLimits.Share(2, 2, 2, 2), HEAP, HangLimit.TIME);
    private final StreamLimits.Places other = limits.of(CALLER);
    private final BlockingQueue<EventQueue> opened = new LinkedBlockingQueue<>();
    private final CountDownLatch slow = new CountDownLatch(1);
    private final CountDownLatch reached = new CountDownLatch(1);
    private volatile int lineBytes;
    private WebServer server;
    private Socket client;
    private EventQueue queue;

    private final class Opener extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            var places = limits.of(CALLER);
            places.take(0);
            var stream = EventStream.after(request, response, callback, HangLimit.TIME);
            var made = new EventQueue(stream, places, lineBytes);
            made.begin(line("first"));
            opened.add(made);
            return true;
        }
    }

    private record TextLine(String text) implements EventQueue.Line {
        @Override
        public void sendTo(EventStream stream) throws IOException {
            stream.send("0", text);
        }
    }

    private static EventQueue.Line line(String text) {
        return new TextLine(text);
    }

    private void open(int memoryOfLine) throws Exception {
        lineBytes = memoryOfLine;
        other.take(42 * KIB);
        server = WebServer.bind("127.0.0.1", 0);
        server.serve(new Opener(), new RefusalWriter(Clock.systemUTC()));
        client = new Socket("127.0.0.1", server.port());
        client.setSoTimeout((int) HangLimit.TIME.toMillis());
        client.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        queue = Objects.requireNonNull(opened.poll(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS));
        queue.add(_ -> {
            reached.countDown();
            awaitClient();
        });
        assertThat(reached.await(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    private void awaitClient() throws IOException {
        try {
            slow.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        slow.countDown();
        client.close();
        server.close();
    }

    private List<String> received() throws IOException {
        slow.countDown();
        var lines = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8)).lines();
        return lines.filter(text -> text.startsWith("data: "))
                .map(text -> text.substring(6))
                .toList();
    }

    @Test
    void equalLinesThatWaitAreWrittenOnce() throws Exception {
        open(0);
        List.of("a", "b", "a").forEach(text -> queue.add(line(text)));
        queue.endAfter(EventStream::finish);
        queue.add(line("after the end"));
        assertThat(received()).containsExactly("first", "a", "b");
        await().until(() -> limits.open() == 1);
    }

    /** There is memory for 42 lines besides the two streams. */
    @Test
    void whereNoMoreMayWaitAllButTheNewsOfItGivesWay() throws Exception {
        open(KIB);
        IntStream.range(0, 100).forEach(i -> queue.add(line("line " + i), line("behind")));
        queue.endAfter(EventStream::finish);
        var received = received();
        assertThat(received).startsWith("first", "behind").endsWith("line 99").hasSize(17);
    }

    @ParameterizedTest
    @CsvSource({KIB + ", 42", "0, " + EventQueue.MOST})
    void aClientThatIsFarBehindIsDisconnected(int memoryOfLine, int most) throws Exception {
        open(memoryOfLine);
        IntStream.range(0, most).forEach(i -> queue.add(line("line " + i)));
        assertThat(queue.isEnding()).isFalse();
        queue.add(line("one too many"));
        assertThat(queue.isEnding()).isTrue();
        assertThat(received()).containsExactly("first");
        await().until(() -> limits.open() == 1);
    }
}
