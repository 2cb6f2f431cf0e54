import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Clients that call tools over MCP, each one call after the other. Every call must succeed. */
final class Callers {
    static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final String key;

    Callers(String url, String key) {
        this.url = url;
        this.key = key;
    }

    /** A tool with its arguments. */
    record Work(String tool, Map<String, ?> arguments) {}

    /** The durations of calls in nanoseconds, sorted. */
    record Latencies(long[] sorted) {
        double millis(double quantile) {
            return sorted[(int) Math.min(sorted.length - 1, sorted.length * quantile)] / 1e6;
        }

        /** Returns these and the others together. */
        Latencies with(Latencies others) {
            return new Latencies(LongStream.concat(LongStream.of(sorted), LongStream.of(others.sorted)).sorted().toArray());
        }

        @Override
        public String toString() {
            return "p50 %6.2f ms   p99 %6.2f ms   %,d calls, all succeeded"
                    .formatted(millis(0.5), millis(0.99), sorted.length);
        }
    }

    /** @return the envelope of a call that succeeds */
    JsonNode call(Work work) throws Exception {
        var envelope = answer(work);
        if (!envelope.at("/status/success").asBoolean(false)) {
            throw new IllegalStateException("%s failed: %s".formatted(work.tool(), envelope));
        }
        return envelope;
    }

    /** @return the envelope, also of a refusal */
    JsonNode answer(Work work) throws Exception {
        var body = Map.of(
                "jsonrpc",
                "2.0",
                "id",
                1,
                "method",
                "tools/call",
                "params",
                Map.of("name", work.tool(), "arguments", work.arguments()));
        var request = HttpRequest.newBuilder(URI.create(url + "/mcp"))
                .timeout(Duration.ofMinutes(10))
                .header("Content-Type", "application/json")
                .header("X-API-Key", key)
                .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)));
        var answer = JSON.readTree(http.send(request.build(), BodyHandlers.ofByteArray()).body());
        if (!answer.at("/result/structuredContent").isObject()) {
            throw new IllegalStateException("%s failed: %s".formatted(work.tool(), answer));
        }
        return answer.at("/result/structuredContent");
    }

    /** Runs the given number of callers for the given time. */
    Latencies work(int callers, Duration time, IntFunction<Work> work) throws Exception {
        var end = System.nanoTime() + time.toNanos();
        var shifts = new ArrayList<Callable<List<Long>>>();
        for (var i = 0; i < callers; i++) {
            var first = i;
            shifts.add(() -> {
                var took = new ArrayList<Long>();
                for (var number = first; System.nanoTime() < end; number += callers) {
                    var began = System.nanoTime();
                    call(work.apply(number));
                    took.add(System.nanoTime() - began);
                }
                return took;
            });
        }
        try (var threads = Executors.newFixedThreadPool(callers)) {
            var all = new ArrayList<Long>();
            for (var shift : threads.invokeAll(shifts)) {
                all.addAll(shift.get());
            }
            return new Latencies(all.stream().mapToLong(Long::longValue).sorted().toArray());
        }
    }
}
