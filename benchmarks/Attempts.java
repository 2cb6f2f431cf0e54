import java.io.IOException;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes that may be refused. An answer is right if it is a success, or a refusal of a server that is busy or not ready yet, with
 * {@code Retry-After}.
 */
final class Attempts implements AutoCloseable {
    private final ConcurrentLinkedDeque<Load.Connection> idle = new ConcurrentLinkedDeque<>();
    private final String prefix = "drill %d ".formatted(System.nanoTime());
    private final AtomicLong number = new AtomicLong();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicInteger refused = new AtomicInteger();
    private final Set<String> wrong = ConcurrentHashMap.newKeySet();
    private final AtomicInteger cut = new AtomicInteger();
    private final String url;
    private final String key;

    Attempts(String url, String key) {
        this.url = url;
        this.key = key;
    }

    /** Creates an agent, and returns whether that was acknowledged. */
    boolean attempt() {
        var name = prefix + number.incrementAndGet();
        var connection = idle.pollFirst();
        try {
            if (connection == null) {
                connection = new Load.Connection(URI.create(url));
            }
            var status = connection.exchange(Load.request(
                    url + "/demo/v1/Engine/tps/agent/create",
                    "X-Api-Key: %s\r\n".formatted(key),
                    "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(name)));
            if (status == 200) {
                acknowledged.add(name);
            } else if (connection.hasHeader("retry-after")) {
                refused.incrementAndGet();
            } else {
                wrong.add(status + " " + connection.text());
            }
            if (connection.hasHeader("connection")) { // It is about to be closed.
                connection.close();
            } else {
                idle.addFirst(connection);
            }
            return status == 200;
        } catch (IOException e) {
            cut.incrementAndGet();
            return false;
        }
    }

    Set<String> acknowledged() {
        return acknowledged;
    }

    int refused() {
        return refused.get();
    }

    /** Returns how many got no answer. */
    int cut() {
        return cut.get();
    }

    /** Fails if an answer was neither a success nor a clear refusal. */
    void check() {
        if (!wrong.isEmpty()) {
            throw new IllegalStateException("wrong answers: " + wrong.stream().limit(5).toList());
        }
    }

    @Override
    public void close() throws IOException {
        for (var connection : idle) {
            connection.close();
        }
    }
}
