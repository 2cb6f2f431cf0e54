import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures in real Chromium how soon pages show something and messages arrive, by {@code paint.mjs}. */
final class Pages implements Bench.Benchmark {
    private static final Path SCRIPTS = Path.of("mcp-server/src/test/node");

    /** In the tenant {@code ?}: 1,000 agents, 100,000 messages in one zone, 100,000 memories in one bank. */
    private static final List<String> FILL = List.of(
            """
            INSERT INTO agent (tenant_id, id, name, name_key, description, access, owner_id, created_at, updated_at)
            SELECT a.tenant_id, 800000000 + i, 'sailor-' || i, 'sailor-' || i, 'Mends nets.', 'public', a.owner_id, now(), now()
              FROM agent a, generate_series(1, 1000) i
             WHERE a.tenant_id = ? AND a.name = 'Ada'
            """,
            """
            INSERT INTO roster (tenant_id, user_id, agent_id, added_at)
            SELECT tenant_id, owner_id, id, now() FROM agent WHERE tenant_id = ? AND id > 800000000
            """,
            """
            INSERT INTO message (tenant_id, conversation_id, seq, id, speaker_id, content, chain, created_at)
            SELECT z.tenant_id, z.conversation_id, 1000 + i, gen_random_uuid(), a.id, 'The tide turns at ' || i, '{}',
                   now() - (100001 - i) * INTERVAL '1 second'
              FROM zone z
              JOIN domain d ON d.tenant_id = z.tenant_id AND d.id = z.domain_id AND d.name = 'bench'
              JOIN agent a ON a.tenant_id = z.tenant_id AND a.name = 'Ada', generate_series(1, 100000) i
             WHERE z.tenant_id = ?
            """,
            """
            UPDATE conversation SET last_seq = 101000, last_at = now()
             WHERE tenant_id = ? AND id IN (SELECT conversation_id FROM zone)
            """,
            """
            INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id, contributors, derived_from,
                                created_at, updated_at, change)
            SELECT b.tenant_id, b.id, gen_random_uuid(), 'entry ' || i, 'entry ' || i, repeat('The tide turns. ', 8), '{}', a.id,
                   ARRAY[a.id], '{}', now() - i * INTERVAL '1 second', now(), pg_current_xact_id()
              FROM bank b JOIN agent a ON a.tenant_id = b.tenant_id AND a.name = 'Ada', generate_series(1, 100000) i
             WHERE b.tenant_id = ? AND b.name = 'bench'
            """);

    @Override
    public String words() {
        return "the first paint of pages, the console with little and with much in it, and how fast messages reach browsers, in"
                + " Chromium; needs npm ci in " + SCRIPTS + " [--loads 9] [--film folder: a picture of the demo every 5 s]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var loads = Integer.toString(options.number("loads", 9));
        var film = options.text("film");
        if (film != null) {
            Files.createDirectories(Path.of(film));
            try (var engine = Engine.start()) {
                play(engine, "1", "demo", film);
            }
        }
        try (var engine = Engine.start()) {
            var callers = new Callers(engine.url(), engine.key());
            callers.call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", "Ada", "description", "Writes."))));
            callers.call(new Callers.Work(
                    "DM_Create", Map.of("target", Map.of("agent", "Ada"), "vx", Map.of("name", "bench", "description", "A room."))));
            callers.call(new Callers.Work("MB_Create", Map.of("target", Map.of("agent", "Ada"), "vx", Map.of("name", "bench"))));
            callers.call(new Callers.Work("MB_Store", Map.of("target", Map.of("bank", "bench"), "content", "The tide turns at seven.")));
            callers.call(new Callers.Work("AP_Chat", Map.of("target", Map.of("domain", "bench"), "content", "Low water at six.")));
            play(engine, loads, "paints,weight,content,message,streams");
            fill(engine);
            System.out.println("with 1,000 agents, 100,000 messages and 100,000 memories");
            play(engine, loads, "content");
        }
    }

    private static void play(Engine engine, String loads, String steps, String... pictures) throws Exception {
        var command = new ArrayList<>(List.of(
                SCRIPTS.resolve("node_modules/.bin/node").toString(), SCRIPTS.resolve("paint.mjs").toString(), engine.url(), loads, steps));
        command.addAll(List.of(pictures));
        var browser = new ProcessBuilder(command).inheritIO();
        browser.environment().put("ENGINE_KEY", engine.key());
        if (browser.start().waitFor() != 0) {
            throw new IllegalStateException("the browser failed");
        }
    }

    private static void fill(Engine engine) throws Exception {
        try (var connection = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            // Triggers count and announce, which is not measured here.
            statement.execute("SET LOCAL session_replication_role = replica");
            var own = statement.executeQuery("SELECT tenant_id FROM agent WHERE name_key = 'ada'");
            own.next();
            var tenant = own.getLong(1);
            for (var text : FILL) {
                try (var fill = connection.prepareStatement(text)) {
                    fill.setLong(1, tenant);
                    fill.execute();
                }
            }
            connection.commit();
            connection.setAutoCommit(true);
            statement.execute("ANALYZE");
        }
    }
}
