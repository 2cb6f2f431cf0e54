import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Callers that store memories one after the other, whatever happens, and remember what was acknowledged. A call that was refused or cut
 * off is sent again with its idempotency key until it is acknowledged. The database would take the same memory twice.
 */
final class Writes implements AutoCloseable {
    /** Memories, and the agents of {@link Attempts}. */
    private static final String FOUND = """
            SELECT text, count(*)
              FROM (SELECT text FROM memory UNION ALL SELECT name FROM agent) written
             WHERE text LIKE 'drill %'
             GROUP BY text
            """;

    private static final Duration MOST = Duration.ofMinutes(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Collection<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger cut = new AtomicInteger();
    private final AtomicInteger again = new AtomicInteger();
    private final AtomicInteger replayed = new AtomicInteger();
    private final AtomicInteger number = new AtomicInteger();
    /** When the latest write was acknowledged, or {@link #mark} was called; 0 before both. */
    private final AtomicLong latest = new AtomicLong();

    private final AtomicLong longest = new AtomicLong();
    private final AtomicLong slowest = new AtomicLong();
    private final List<Thread> callers = new ArrayList<>();
    private final String key;
    private final String prefix;
    private volatile String otherwise = "";
    private volatile boolean over;
    private volatile long end = Long.MAX_VALUE;

    /** @param urls the caller with number i uses the one with this number, modulo their count */
    Writes(List<String> urls, String key, int callers) throws IOException, InterruptedException {
        this.key = key;
        this.prefix = "drill %d ".formatted(System.nanoTime());
        var bank = prefix.strip();
        var made = send(address(urls.getFirst()), bank, "{\"service\":\"MB_Create\",\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(bank));
        if (made.statusCode() != 200) {
            throw new IllegalStateException("there is no bank to write to: " + made.body());
        }
        for (var i = 0; i < callers; i++) {
            var url = address(urls.get(i % urls.size()));
            this.callers.add(Thread.ofVirtual().start(() -> write(url, bank)));
        }
    }

    private static URI address(String url) {
        return URI.create(url + "/demo/v1/Engine/tps");
    }

    private HttpResponse<String> send(URI url, String idempotencyKey, String body) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(url)
                        .timeout(PATIENCE)
                        .header("X-Api-Key", key)
                        .header("Idempotency-Key", idempotencyKey)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private void write(URI url, String bank) {
        try {
            while (!over) {
                var text = prefix + number.incrementAndGet();
                var body = "{\"service\":\"MB_Store\",\"target\":{\"bank\":\"%s\"},\"content\":\"%s\"}".formatted(bank, text);
                var start = System.nanoTime();
                while (!isDone(url, text, body)) {
                    if (System.nanoTime() > end) {
                        return;
                    }
                    again.incrementAndGet();
                    Thread.sleep(100);
                }
                acknowledge(text, start);
            }
        } catch (InterruptedException e) {
            // The drill is over.
        }
    }

    /** Sends a write once, for the first time or again. */
    private boolean isDone(URI url, String text, String body) throws InterruptedException {
        try {
            var response = send(url, text.replace(' ', '-'), body);
            if (response.statusCode() == 200) {
                replayed.addAndGet(response.headers().firstValue("Idempotency-Replayed").isPresent() ? 1 : 0);
                return true;
            }
            refused.incrementAndGet();
            otherwise = response.statusCode() + " " + response.body();
        } catch (IOException e) {
            cut.incrementAndGet();
            otherwise = e.toString();
        }
        return false;
    }

    private void acknowledge(String text, long start) {
        acknowledged.add(text);
        var now = System.nanoTime();
        var before = latest.getAndSet(now);
        longest.accumulateAndGet(before == 0 ? 0 : now - before, Math::max);
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
        var last = System.nanoTime() + MOST.toNanos();
        while (count() < goal) {
            if (System.nanoTime() > last) {
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

    /** Begins no more writes, and waits until those that have begun are acknowledged. */
    @Override
    public void close() throws InterruptedException {
        over = true;
        end = System.nanoTime() + MOST.toNanos();
        for (var caller : callers) {
            caller.join();
        }
    }

    /** Prints what was measured. */
    void report(String what) {
        System.out.printf(
                "%s: %,d acknowledged, %,d refused, %,d cut off; longest time without a write %.1f s, slowest write %.1f s%n",
                what, count(), refused.get(), cut.get(), longest.get() / 1e9, slowest.get() / 1e9);
        if (again.get() > 0) {
            System.out.printf("  sent again with their keys %,d times; %,d of these had been done before%n", again.get(), replayed.get());
        }
        if (!otherwise.isEmpty()) {
            System.out.println("  the last failure: " + otherwise.substring(0, Math.min(300, otherwise.length())).strip());
        }
    }

    /**
     * Fails if callers met more than this since {@link #mark}.
     *
     * @param failures how many calls may have been refused or cut off since the first one
     * @param seconds the longest time without an acknowledged write
     */
    void limit(int failures, double seconds) {
        var pause = longest.get() / 1e9;
        System.out.printf("  limits: %,d of %,d refused or cut off, %.1f of %.1f s without a write%n", failures(), failures, pause, seconds);
        if (failures() > failures || pause > seconds) {
            throw new IllegalStateException("a limit is passed");
        }
    }

    /** Returns the number of the next write: those with this number or a higher one have not begun. */
    int next() {
        return number.get() + 1;
    }

    /** Returns the number in a write's text. */
    static int number(String text) {
        return Integer.parseInt(text.substring(text.lastIndexOf(' ') + 1));
    }

    /** Returns the texts that were acknowledged up to now. */
    Set<String> texts() {
        return new HashSet<>(acknowledged);
    }

    /** Checks that the database has all of its acknowledged writes, and none twice. */
    void check(String jdbcUrl) throws Exception {
        check(jdbcUrl, texts());
    }

    static void check(String jdbcUrl, Set<String> expected) throws Exception {
        var found = found(jdbcUrl);
        var missing = new HashSet<>(expected);
        missing.removeAll(found.keySet());
        var doubled = new HashMap<>(found);
        doubled.values().removeIf(times -> times == 1);
        System.out.printf("  in the database: %,d of %,d are missing, %,d of %,d are there twice%n",
                missing.size(), expected.size(), doubled.size(), found.size());
        if (!missing.isEmpty() || !doubled.isEmpty()) {
            throw new IllegalStateException("lost: %s, there twice: %s".formatted(missing, doubled.keySet()));
        }
    }

    /** Returns each write that is in the database, and how many times. */
    static Map<String, Integer> found(String jdbcUrl) throws Exception {
        var found = new HashMap<String, Integer>();
        try (var connection = DriverManager.getConnection(jdbcUrl);
                var rows = connection.createStatement().executeQuery(FOUND)) {
            while (rows.next()) {
                found.put(rows.getString(1), rows.getInt(2));
            }
        }
        return found;
    }
}
