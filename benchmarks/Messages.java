import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** Measures AP_Search in a tenant with very many messages, beside AP_Read and ZN_Read in the same run. */
final class Messages implements Bench.Benchmark {
    private static final int AGENTS = 100;
    private static final int ZONES = 20;

    /**
     * Messages of 12 words of which few are frequent, a second apart. One in 10,000 has the word {@code needle}, and each has a
     * word of its own.
     */
    private static final String FILL = """
            INSERT INTO message (tenant_id, stream_id, seq, id, speaker_id, content, chain, created_at)
            SELECT z.tenant_id, z.stream_id, 1 + i / z.zones, gen_random_uuid(), a.speakers[1 + i %% cardinality(a.speakers)],
                   (SELECT string_agg('word' || floor(20000 * power(random() + 0 * place, 3)), ' ') FROM generate_series(1, 12 + 0 * i) place)
                       || ' number' || i || CASE WHEN i %% 10000 = 0 THEN ' needle' ELSE '' END,
                   '{}', now() - (%1$d - i) * INTERVAL '1 second'
              FROM generate_series(0, %1$d - 1) i
              JOIN (SELECT tenant_id, stream_id, row_number() OVER (ORDER BY id) - 1 AS number, count(*) OVER () AS zones FROM zone) z
                   ON z.number = i %% z.zones
              CROSS JOIN (SELECT array_agg(id ORDER BY id) AS speakers FROM agent) a
            """;

    private static final String COUNT = """
            UPDATE stream s SET last_seq = m.last, last_at = now()
              FROM (SELECT tenant_id, stream_id, max(seq) AS last FROM message GROUP BY tenant_id, stream_id) m
             WHERE m.tenant_id = s.tenant_id AND m.stream_id = s.id
            """;

    @Override
    public String words() {
        return "AP_Search in a tenant with many messages, beside AP_Read and ZN_Read [--messages 1000000] [--seconds 5]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var size = options.number("messages", 1_000_000);
        var time = Duration.ofSeconds(options.number("seconds", 5));
        try (var engine = Engine.start()) {
            var callers = new Callers(engine.url(), engine.key());
            begin(callers);
            fill(engine, size);
            System.out.printf("%,d messages in %d zones%n", size, ZONES + 1);
            var base = 0.0;
            for (var kind : kinds().entrySet()) {
                callers.work(1, time.dividedBy(2), kind.getValue()); // Warm-up.
                var measured = callers.work(1, time, number -> kind.getValue().apply(number + 100_000));
                base = base == 0 ? measured.millis(0.99) : base;
                System.out.printf("%-34s %s, p99 %.1f × that of AP_Read%n", kind.getKey(), measured, measured.millis(0.99) / base);
            }
            check(callers, size);
        }
    }

    private static void begin(Callers callers) throws Exception {
        for (var i = 0; i < AGENTS; i++) {
            callers.call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", "Agent" + i, "description", "Says things."))));
        }
        callers.call(new Callers.Work(
                "DM_Create", Map.of("target", Map.of("agent", "Agent0"), "vx", Map.of("name", "bench", "description", "Has rooms."))));
        for (var i = 1; i < AGENTS; i++) {
            callers.call(new Callers.Work("DM_Invite", Map.of("target", Map.of("domain", "bench", "agent", "Agent" + i))));
        }
        for (var i = 0; i < ZONES; i++) {
            callers.call(new Callers.Work("ZN_Create", Map.of("target", Map.of("domain", "bench"), "vx", Map.of("name", "zone" + i))));
        }
    }

    private static void fill(Engine engine, int size) throws Exception {
        try (var connection = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                var statement = connection.createStatement()) {
            statement.execute("DELETE FROM message");
            statement.execute(FILL.formatted(size));
            statement.execute(COUNT);
            statement.execute("VACUUM ANALYZE");
        }
    }

    private static Map<String, IntFunction<Callers.Work>> kinds() {
        var kinds = new LinkedHashMap<String, IntFunction<Callers.Work>>();
        kinds.put("AP_Read", number -> new Callers.Work("AP_Read", Map.of("target", Map.of("agent", "Agent" + number % AGENTS))));
        kinds.put("ZN_Read", number -> new Callers.Work(
                "ZN_Read", Map.of("target", Map.of("domain", "bench", "zone", "zone" + number % ZONES))));
        kinds.put("AP_Search, a word of one message", number -> search(Map.of(), "number" + number));
        kinds.put("AP_Search, a word of one in 10,000", _ -> search(Map.of(), "needle"));
        kinds.put("AP_Search, two words", number -> search(Map.of(), "needle word" + number % 50));
        kinds.put("AP_Search, a frequent word", number -> search(Map.of(), "word" + number % 3));
        kinds.put("AP_Search, a phrase", number -> search(Map.of(), "\"word1 word%d\"".formatted(number % 50)));
        kinds.put("AP_Search, no message has all", number -> search(Map.of(), "needle word%d absent".formatted(number % 50)));
        kinds.put("AP_Search in a zone", number -> search(Map.of("domain", "bench", "zone", "zone" + number % ZONES), "needle"));
        kinds.put("AP_Search of an agent", number -> search(Map.of("agent", "Agent" + number % AGENTS), "word1"));
        kinds.put("AP_Search by time", number -> {
            var until = Instant.now().minusSeconds(60L * (number % 1_000));
            return new Callers.Work("AP_Search", Map.of("since", until.minusSeconds(3_600).toString(), "until", until.toString()));
        });
        return kinds;
    }

    private static Callers.Work search(Map<String, String> target, String content) {
        return new Callers.Work("AP_Search", Map.of("target", target, "content", content));
    }

    /** The right message is found. */
    private static void check(Callers callers, int size) throws Exception {
        for (var number : List.of(0, size / 2, size - 1)) {
            var found = callers.call(search(Map.of(), "number" + number)).at("/content");
            if (found.size() != 1 || !(found.at("/0/text").asString() + " ").contains(" number%d ".formatted(number))) {
                throw new IllegalStateException("number%d found %s".formatted(number, found));
            }
        }
    }
}
