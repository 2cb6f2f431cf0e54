import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Callers that create agents one after the other, whatever happens, and remember what was acknowledged. */
final class Writes implements AutoCloseable {
    private static final Duration MOST = Duration.ofMinutes(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Collection<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger cut = new AtomicInteger();
    private final AtomicInteger number = new AtomicInteger();
    private final AtomicLong latest = new AtomicLong(System.nanoTime());
    private final AtomicLong longest = new AtomicLong();
    private final AtomicLong slowest = new AtomicLong();
    private final List<Thread> callers = new ArrayList<>();
    private final String key;
    private final String prefix;
    private volatile String otherwise = "";
    private volatile boolean over;

    /** @param urls the caller with number i uses the one with this number, modulo their count */
    Writes(List<String> urls, String key, int callers) {
        this.key = key;
        this.prefix = "drill %d ".formatted(System.nanoTime());
        for (var i = 0; i < callers; i++) {
            var url = urls.get(i % urls.size()) + "/demo/v1/Engine/tps/agent/create";
            this.callers.add(Thread.ofVirtual().start(() -> write(URI.create(url))));
        }
    }

    private void write(URI url) {
        while (!over) {
            var name = prefix + number.incrementAndGet();
            var start = System.nanoTime();
            var request = HttpRequest.newBuilder(url)
                    .timeout(PATIENCE)
                    .header("X-Api-Key", key)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(name)))
                    .build();
            try {
                var response = client.send(request, BodyHandlers.ofString());
                if (response.statusCode() == 200) {
                    acknowledge(name, start);
                } else {
                    refused.incrementAndGet();
                    otherwise = response.statusCode() + " " + response.body();
                    Thread.sleep(100);
                }
            } catch (IOException e) {
                cut.incrementAndGet();
                otherwise = e.toString();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void acknowledge(String name, long start) {
        acknowledged.add(name);
        var now = System.nanoTime();
        var before = latest.getAndSet(now);
        longest.accumulateAndGet(now - before, Math::max);
        slowest.accumulateAndGet(now - start, Math::max);
    }

    int count() {
        return acknowledged.size();
    }

    int failures() {
        return refused.get() + cut.get();
    }

    /** Waits until some more are acknowledged. */
    void awaitMore(int more) throws InterruptedException {
        var goal = count() + more;
        var end = System.nanoTime() + MOST.toNanos();
        while (count() < goal) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("no more writes are acknowledged: " + otherwise);
            }
            Thread.sleep(20);
        }
    }

    /** Begins to measure the longest time without an acknowledged write. */
    void mark() {
        latest.set(System.nanoTime());
        longest.set(0);
        slowest.set(0);
    }

    Duration longestGap() {
        return Duration.ofNanos(longest.get());
    }

    @Override
    public void close() throws InterruptedException {
        over = true;
        for (var caller : callers) {
            caller.join();
        }
    }

    /** Prints what was measured. */
    void report(String what) {
        System.out.printf(
                "%s: %,d acknowledged, %,d refused, %,d cut off; longest time without a write %.1f s, slowest write %.1f s%n",
                what, count(), refused.get(), cut.get(), longest.get() / 1e9, slowest.get() / 1e9);
        if (!otherwise.isEmpty()) {
            System.out.println("  the last failure: " + otherwise.substring(0, Math.min(300, otherwise.length())).strip());
        }
    }

    /** Returns the number of the next write: those with this number or a higher one have not begun. */
    int next() {
        return number.get() + 1;
    }

    /** Returns the number in a write's name. */
    static int number(String name) {
        return Integer.parseInt(name.substring(name.lastIndexOf(' ') + 1));
    }

    /** Returns the names that were acknowledged up to now. */
    Set<String> names() {
        return new HashSet<>(acknowledged);
    }

    /** Counts what is in the database. No write is sent twice, and names are unique: what is there twice would not show. */
    void check(String jdbcUrl) throws Exception {
        check(jdbcUrl, names());
    }

    static void check(String jdbcUrl, Set<String> expected) throws Exception {
        var found = new HashSet<String>();
        try (var connection = DriverManager.getConnection(jdbcUrl);
                var rows = connection.createStatement().executeQuery("SELECT name FROM agent WHERE name LIKE 'drill %'")) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        var missing = new HashSet<>(expected);
        missing.removeAll(found);
        System.out.printf("  in the database: %,d of %,d are missing%n", missing.size(), expected.size());
        if (!missing.isEmpty()) {
            throw new IllegalStateException("lost: " + missing);
        }
    }
}
