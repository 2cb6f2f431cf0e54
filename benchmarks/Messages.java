import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** Measures AP_Search in a tenant with very many messages, beside AP_Read and ZN_Read in the same run. */
final class Messages implements Bench.Benchmark {
    private static final int AGENTS = 100;

    /**
     * Messages of 12 words of which few are frequent, a second apart. One in 10,000 has the word {@code needle}, and each has a
     * word of its own.
     */
    private static final String FILL = """
            INSERT INTO message (tenant_id, conversation_id, seq, id, speaker_id, content, chain, created_at)
            SELECT z.tenant_id, z.conversation_id, 1 + i / z.zones, gen_random_uuid(), a.speakers[1 + i %% cardinality(a.speakers)],
                   %2$s || 'number' || i || CASE WHEN i %% 10000 = 0 THEN ' needle' ELSE '' END,
                   '{}', now() - (%1$d - i) * INTERVAL '1 second'
              FROM generate_series(0, %1$d - 1) i
              JOIN (SELECT tenant_id, conversation_id, row_number() OVER (ORDER BY id) - 1 AS number, count(*) OVER () AS zones FROM zone) z
                   ON z.number = i %% z.zones
              CROSS JOIN (SELECT array_agg(id ORDER BY id) AS speakers FROM agent) a
            """;

    private static final String WORDS = "'word' || floor(20000 * power(random(), 3)) || ' ' || ".repeat(11)
            + "'word' || floor(20000 * power(random(), 3)) || ' '";

    private static final String COUNT = """
            UPDATE conversation s SET last_seq = m.last, last_at = now()
              FROM (SELECT tenant_id, conversation_id, max(seq) AS last FROM message GROUP BY tenant_id, conversation_id) m
             WHERE m.tenant_id = s.tenant_id AND m.conversation_id = s.id
            """;

    @Override
    public String words() {
        return "AP_Search in a tenant with many messages, beside AP_Read and ZN_Read [--messages 1000000] [--zones 20: beside the first one] [--seconds 5]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var size = options.number("messages", 1_000_000);
        var zones = options.number("zones", 20);
        var time = Duration.ofSeconds(options.number("seconds", 5));
        try (var engine = Engine.start()) {
            var callers = new Callers(engine.url(), engine.key());
            begin(callers, zones);
            fill(engine, size);
            System.out.printf("%,d messages in %d zones%n", size, zones + 1);
            var base = 0.0;
            for (var kind : kinds(zones).entrySet()) {
                callers.work(1, time.dividedBy(2), kind.getValue()); // Warm-up.
                var measured = callers.work(1, time, number -> kind.getValue().apply(number + 100_000));
                base = base == 0 ? measured.millis(0.99) : base;
                System.out.printf("%-34s %s, p99 %.1f × that of AP_Read%n", kind.getKey(), measured, measured.millis(0.99) / base);
            }
            check(callers, size);
        }
    }

    private static void begin(Callers callers, int zones) throws Exception {
        Workspace.domain(callers, AGENTS);
        for (var i = 0; i < zones; i++) {
            callers.call(new Callers.Work("ZN_Create", Map.of("target", Map.of("domain", "bench"), "vx", Map.of("name", "zone" + i))));
        }
    }

    private static void fill(Engine engine, int size) throws Exception {
        try (var connection = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                var statement = connection.createStatement()) {
            statement.execute("DELETE FROM message");
            var index = indexOfTerms(statement); // It takes a fraction of the time to build it once.
            statement.execute("DROP INDEX message_term");
            statement.execute(FILL.formatted(size, WORDS));
            statement.execute(COUNT);
            statement.execute("SET maintenance_work_mem = '1GB'");
            statement.execute(index);
            statement.execute("VACUUM ANALYZE");
        }
    }

    private static String indexOfTerms(Statement statement) throws SQLException {
        try (var rows = statement.executeQuery("SELECT pg_get_indexdef(CAST('message_term' AS regclass))")) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static Map<String, IntFunction<Callers.Work>> kinds(int zones) {
        var kinds = new LinkedHashMap<String, IntFunction<Callers.Work>>();
        kinds.put("AP_Read", number -> new Callers.Work("AP_Read", Map.of("target", Map.of("agent", "Agent" + number % AGENTS))));
        kinds.put("ZN_Read", number -> new Callers.Work("ZN_Read", Map.of("target", zone(number, zones))));
        kinds.put("AP_Search, a word of one message", number -> search(Map.of(), "number" + number));
        kinds.put("AP_Search, a word of one in 10,000", _ -> search(Map.of(), "needle"));
        kinds.put("AP_Search, two words", number -> search(Map.of(), "needle word" + number % 50));
        kinds.put("AP_Search, a frequent word", number -> search(Map.of(), "word" + number % 3));
        kinds.put("AP_Search, a phrase", number -> search(Map.of(), "\"word1 word%d\"".formatted(number % 50)));
        kinds.put("AP_Search, no message has all", number -> search(Map.of(), "needle word%d absent".formatted(number % 50)));
        kinds.put("AP_Search in a zone", number -> search(zone(number, zones), "needle"));
        kinds.put("AP_Search of an agent", number -> search(Map.of("agent", "Agent" + number % AGENTS), "word1"));
        kinds.put("AP_Search by time", number -> {
            var until = Instant.now().minusSeconds(60L * (number % 1_000));
            return new Callers.Work("AP_Search", Map.of("since", until.minusSeconds(3_600).toString(), "until", until.toString()));
        });
        return kinds;
    }

    /** Returns one of the zones; the first one if there are no others. */
    private static Map<String, String> zone(int number, int zones) {
        return zones == 0 ? Map.of("domain", "bench") : Map.of("domain", "bench", "zone", "zone" + number % zones);
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
