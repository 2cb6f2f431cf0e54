import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.VirtualThreadPool;

/** Receives webhooks on loopback, and records the age of each event on arrival. */
final class Receiver implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final Server server = new Server(new VirtualThreadPool());
    private final ServerConnector connector = new ServerConnector(server, 1, 1);
    private final BlockingQueue<Long> ages = new LinkedBlockingQueue<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    Receiver() throws Exception {
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                if (request.getMethod().equals("POST")) { // The pre-flight sends HEAD.
                    take(request);
                }
                callback.succeeded();
                return true;
            }
        });
        server.start();
    }

    /** Returns the URL of one of many endpoints. */
    String url(int endpoint) {
        return "http://127.0.0.1:%d/%d".formatted(connector.getLocalPort(), endpoint);
    }

    private void take(Request request) {
        try (var body = Content.Source.asInputStream(request)) {
            var event = Callers.JSON.readTree(new String(body.readAllBytes(), StandardCharsets.UTF_8));
            var sequence = request.getHeaders().get("X-Service-Sequence");
            if (!seen.add(URI.create(request.getHttpURI().getPath()) + " " + sequence)) {
                throw new IllegalStateException("a delivery came twice");
            }
            var age = Duration.between(Instant.parse(event.get("created_at").asString()), Instant.now());
            ages.add(age.toMillis());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the given number of events, and clears them. */
    long[] await(int count) throws InterruptedException {
        var taken = new long[count];
        var end = System.nanoTime() + LIMIT.toNanos();
        for (var i = 0; i < count; i++) {
            var age = ages.poll(end - System.nanoTime(), java.util.concurrent.TimeUnit.NANOSECONDS);
            if (age == null) {
                throw new IllegalStateException("only %,d of %,d deliveries came".formatted(i, count));
            }
            taken[i] = age;
        }
        if (!ages.isEmpty()) {
            throw new IllegalStateException("more deliveries came than events happened");
        }
        java.util.Arrays.sort(taken);
        return taken;
    }

    /** Runs the work and waits for its deliveries. Returns the age of each in milliseconds, sorted. */
    long[] measured(Work work, int count) throws Exception {
        work.run();
        return await(count);
    }

    /** Work that creates events. */
    interface Work {
        void run() throws Exception;
    }

    @Override
    public void close() throws Exception {
        server.stop();
    }
}
