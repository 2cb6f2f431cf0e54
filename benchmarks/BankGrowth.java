import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;

/**
 * Measures one bank as it grows up to 1,000,000 memories: stores, searches, evaluation, memory, disk, and a new replica, whose answers
 * are checked while it builds its index. The bank is filled in the database, in bulk.
 */
final class BankGrowth implements Bench.Benchmark {
    private static final int FIRST = 1_000;
    private static final int PAIRS = 20;
    private static final int UNAVAILABLE = 5002;
    private static final String RARE = "gnomonwright";

    @Override
    public String words() {
        return "one bank as it grows, and a new replica [--memories 1000000 --seconds 10 --data folder-that-is-kept]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var most = options.number("memories", 1_000_000);
        try (var engine = Engine.startWith(options.text("data"))) {
            var callers = new Callers(engine.url(), engine.key());
            var growth = new SearchGrowth(engine, callers, options.number("seconds", 10));
            growth.prepare();
            for (var size : sizes(most)) {
                var began = System.nanoTime();
                growth.fill(bank(size), size);
                System.out.printf("%n%,d memories: filled in %,d s%n", size, Duration.ofNanos(System.nanoTime() - began).toSeconds());
                awaitIndex(callers, bank(size), "the first search");
                growth.compare(size);
                evaluate(callers, bank(size));
                System.out.printf(
                        "resident memory of PostgreSQL %,d MB; on disk: database %,d MB, indexes of searches %,d MB%n",
                        engine.residentPostgres() >> 20, size(engine.file("postgres")) >> 20, size(engine.file("search")) >> 20);
            }
            replica(engine, callers, bank(most));
        }
    }

    private static List<Integer> sizes(int most) {
        return IntStream.concat(IntStream.iterate(FIRST, size -> size < most, size -> size * 10), IntStream.of(most))
                .boxed()
                .toList();
    }

    private static String bank(int size) {
        return "bank%d".formatted(size);
    }

    private static Callers.Work searched(String bank, String query) {
        return new Callers.Work("MB_Search", Map.of("target", Map.of("bank", bank), "content", query));
    }

    /** While its index is built, a bank that cannot be compared whole has no answer. */
    private static boolean isRefused(JsonNode answer) {
        return answer.at("/status/internal_code").asInt() == UNAVAILABLE;
    }

    /** Searches until an answer comes from the index. */
    private static void awaitIndex(Callers callers, String bank, String what) throws Exception {
        var began = System.nanoTime();
        var question = searched(bank, "the first memory");
        var answer = callers.answer(question);
        var first = System.nanoTime() - began;
        var answers = 1;
        while (answer.has("index") || isRefused(answer)) {
            answer = callers.answer(question);
            answers++;
        }
        System.out.printf(
                "%s took %,d ms; %,d answers until the index was there, after %,d ms%n",
                what, first / 1_000_000, answers, (System.nanoTime() - began) / 1_000_000);
    }

    private static void evaluate(Callers callers, String bank) throws Exception {
        var pairs = new ArrayList<Map<String, Object>>();
        for (var i = 0; i < PAIRS; i++) {
            pairs.add(Map.of("query", "the first memory " + i, "expected", List.of("first")));
        }
        var began = System.nanoTime();
        var answer = callers.call(new Callers.Work("MB_Evaluate", Map.of("target", Map.of("bank", bank), "pairs", pairs)));
        System.out.printf(
                "MB_Evaluate with %d pairs took %,d ms; p50 by words %.1f, by meaning %.1f, by both %.1f ms%n",
                PAIRS,
                (System.nanoTime() - began) / 1_000_000,
                answer.at("/text/p50_ms").asDouble(),
                answer.at("/vector/p50_ms").asDouble(),
                answer.at("/hybrid/p50_ms").asDouble());
    }

    /** A second process on the same database, without files of its own. What is stored and deleted meanwhile counts at once. */
    private static void replica(Engine engine, Callers callers, String bank) throws Exception {
        var environment = Map.of("ENGINE_DATABASE_URL", engine.database());
        var began = System.nanoTime();
        try (var replica = Engine.startIn(environment)) {
            System.out.printf("%na new replica started in %,d ms%n", (System.nanoTime() - began) / 1_000_000);
            var there = new Callers(replica.url(), engine.key());
            began = System.nanoTime();
            var answers = 0;
            var building = 0;
            var refused = 0;
            var worst = 0L;
            var isBuilt = false;
            while (!isBuilt) {
                var word = RARE + answers;
                var stored = callers.call(new Callers.Work("MB_Store", Map.of("target", Map.of("bank", bank), "content", "the " + word + " keeps the dial")));
                var id = stored.at("/memory/id").asString();
                var asked = System.nanoTime();
                var answer = there.answer(searched(bank, word));
                worst = Math.max(worst, System.nanoTime() - asked);
                var isRefused = isRefused(answer);
                isBuilt = !isRefused && !answer.has("index");
                building += isBuilt || isRefused ? 0 : 1;
                refused += isRefused ? 1 : 0;
                check(isRefused || answer.at("/content/0/id").asString().equals(id), "the replica did not find what was just stored: " + answer);
                callers.call(new Callers.Work("MB_Delete", Map.of("target", Map.of("bank", bank), "memory", id)));
                var after = there.answer(searched(bank, word));
                check(isRefused(after) || after.at("/content").isEmpty(), "the replica found what was just deleted");
                answers++;
            }
            System.out.printf(
                    "its index was there after %,d ms; of %,d answers none was wrong, %,d came from the database, and %,d searches were refused as unavailable; the slowest took %,d ms%n",
                    (System.nanoTime() - began) / 1_000_000, answers, building, refused, worst / 1_000_000);
            System.out.printf("resident memory of the replica %,d MB, of which %,d MB are files%n", replica.resident() >> 20, replica.residentFiles() >> 20);
        }
    }

    private static void check(boolean isRight, String otherwise) {
        if (!isRight) {
            throw new IllegalStateException(otherwise);
        }
    }

    private static long size(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
        }
    }
}
