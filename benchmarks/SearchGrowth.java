import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Measures MB_Search and MB_Store next to AP_Read as banks and their tenant grow. The memories have random English words and random
 * vectors. What a kept database has already is not filled again.
 */
final class SearchGrowth {
    private static final int SMALLEST = 1_000;
    private static final int PORTION = 100_000;
    private static final int ROUNDS = 10;
    private static final String TOKENS = "/all-minilm-l6-v2-q-tokenizer.json";

    /** The first words, most of which are function words. */
    private static final int FUNCTION_WORDS = 150;

    private final Engine engine;
    private final Callers callers;
    private final Duration turn;
    private final List<String> words = words();

    /** How many questions were asked. Each is a new one: the engine caches the vectors of the last ones. */
    private int questions;

    /** @param seconds how long each kind of call is measured */
    SearchGrowth(Engine engine, Callers callers, int seconds) {
        this.engine = engine;
        this.callers = callers;
        this.turn = Duration.ofSeconds(seconds).dividedBy(ROUNDS);
    }

    /**
     * Measures banks from 1,000 memories up, ten times as many at each step; and then with more banks of the largest size, so that
     * the tenant has as many as it should.
     */
    void measure(int most, int tenant) throws Exception {
        var sizes = new ArrayList<Integer>();
        for (var size = SMALLEST; size <= most; size *= 10) {
            sizes.add(size);
        }
        prepare();
        for (var size : sizes) {
            if (fill("bank%d".formatted(size), size)) {
                compare(size);
            }
        }
        for (var others = 1; others * most < tenant; others++) {
            fill("other%d".formatted(others), most);
        }
        if (tenant > most) {
            System.out.printf("%nwith %,d memories in the tenant:%n", count("SELECT count(*) FROM memory"));
            for (var size : sizes) {
                compare(size);
            }
        }
    }

    /** Creates the agent that is read, and the bank that is written to. */
    void prepare() throws Exception {
        if (!hasAgent()) {
            callers.call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", "Ada", "description", "d"))));
            create("written");
        }
    }

    /** Returns the words of the embedding model, about 20,000, roughly the most frequent first. */
    private static List<String> words() {
        try (var file = SearchGrowth.class.getResourceAsStream(TOKENS)) {
            return Callers.JSON.readTree(file).at("/model/vocab").propertyStream()
                    .filter(token -> token.getKey().matches("[a-z]{2,}"))
                    .sorted(Comparator.comparingInt(token -> token.getValue().asInt()))
                    .map(Map.Entry::getKey)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean hasAgent() throws Exception {
        return count("SELECT count(*) FROM agent WHERE name = 'Ada'") > 0;
    }

    private void create(String bank) throws Exception {
        callers.call(new Callers.Work("MB_Create", Map.of("vx", Map.of("name", bank))));
        callers.call(new Callers.Work("MB_Store", Map.of("target", Map.of("bank", bank), "content", "the first memory", "vx", Map.of("name", "first"))));
    }

    /** The kinds of calls take turns, so that other work on the machine affects them alike. */
    void compare(int size) throws Exception {
        var bank = "bank%d".formatted(size);
        var began = System.nanoTime();
        callers.call(search(bank, "hybrid"));
        System.out.printf("%n%,d memories in the bank; the first search took %,d ms%n", size, (System.nanoTime() - began) / 1_000_000);
        var kinds = new LinkedHashMap<String, IntFunction<Callers.Work>>();
        kinds.put("AP_Read", _ -> new Callers.Work("AP_Read", Map.of("target", Map.of("agent", "Ada"))));
        for (var mode : List.of("text", "vector", "hybrid")) {
            kinds.put("MB_Search %-6s".formatted(mode), _ -> search(bank, mode));
        }
        kinds.put("MB_Store", number -> new Callers.Work(
                "MB_Store", Map.of("target", Map.of("bank", "written"), "content", "%s of %s".formatted(word(number, 50), word(number, 997)))));
        for (var kind : kinds.values()) {
            callers.work(1, turn, kind); // Warm-up.
        }
        var all = new LinkedHashMap<String, Callers.Latencies>();
        for (var round = 0; round < ROUNDS; round++) {
            for (var kind : kinds.entrySet()) {
                all.merge(kind.getKey(), callers.work(1, turn, kind.getValue()), Callers.Latencies::with);
            }
        }
        var read = all.get("AP_Read").millis(0.5);
        all.forEach((kind, measured) -> System.out.printf("%-16s %5.1f x   %s%n", kind, measured.millis(0.5) / read, measured));
        System.out.printf("resident memory %,d MB, of which %,d MB are files%n", engine.resident() >> 20, engine.residentFiles() >> 20);
    }

    private Callers.Work search(String bank, String mode) {
        var n = questions++; // One caller asks at a time.
        // As long as the questions in sets/notes.txt: 13 tokens in the median.
        var query = "where is %s of %s and %s when %s has %s".formatted(word(n, 50), word(n, 997), word(n, 7919), word(n, 89), word(n, 4001));
        return new Callers.Work("MB_Search", Map.of("target", Map.of("bank", bank), "content", query, "mode", mode));
    }

    /** Returns one of the most frequent words that are not function words. */
    private String word(int number, int most) {
        return words.get(FUNCTION_WORDS + number * 31 % most);
    }

    /** Writes memories of 40 words, a few of them frequent and most rare. Returns whether any were missing. */
    boolean fill(String bank, int size) throws Exception {
        if (count("SELECT count(*) FROM bank WHERE name = '%s'".formatted(bank)) == 0) {
            create(bank);
        }
        var missing = size - count("SELECT count(*) FROM memory m JOIN bank b ON b.id = m.bank_id WHERE b.name = '%s'".formatted(bank));
        for (var left = missing; left > 0; left -= PORTION) {
            fillWith(bank, Math.min(PORTION, left));
        }
        return missing > 0;
    }

    private void fillWith(String bank, long more) throws Exception {
        try (var database = connect();
                var statement = database.createStatement();
                var memories = database.prepareStatement("""
                    INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at, change)
                    SELECT m.tenant_id, m.bank_id, gen_random_uuid(),
                           (SELECT string_agg(word.list[1 + floor(cardinality(word.list) * power(random() + 0 * place, 3))], ' ')
                              FROM generate_series(1, 40 + 0 * n) place),
                           '{}', m.author_id, m.contributors, '{}', now() - n * interval '1 s', now() - n * interval '1 s',
                           CAST(CAST(CAST(CAST(pg_current_xact_id() AS text) AS bigint) - n % 500 AS text) AS xid8)
                      FROM bank b
                      CROSS JOIN LATERAL (SELECT * FROM memory m WHERE m.tenant_id = b.tenant_id AND m.bank_id = b.id LIMIT 1) m,
                           CAST(? AS text[]) word (list), generate_series(1, ?) n
                     WHERE b.name = ?
                    """)) {
            database.setAutoCommit(false); // Nobody else is to compute the vectors.
            memories.setArray(1, database.createArrayOf("text", words.toArray()));
            memories.setLong(2, more);
            memories.setString(3, bank);
            memories.executeUpdate();
            // Given vectors: two bytes for the number of dimensions, four for the scale, a byte for each dimension.
            statement.execute("""
                    UPDATE memory_vector v
                       SET model = 'all-minilm-l6-v2-q/1', change = pg_current_xact_id(), lease_until = NULL,
                           vectors = decode('01803a83126f', 'hex')
                                     || decode((SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 24 + 0 * length(v.memory_id::text))), 'hex')
                     WHERE vectors IS NULL
                    """);
            database.commit();
            database.setAutoCommit(true);
            statement.execute("VACUUM ANALYZE memory, memory_vector");
        }
    }

    private Connection connect() throws Exception {
        return DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
    }

    private long count(String query) throws Exception {
        try (var database = connect();
                var statement = database.createStatement();
                var result = statement.executeQuery(query)) {
            result.next();
            return result.getLong(1);
        }
    }
}
