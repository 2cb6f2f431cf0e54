import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Measures the tools for tasks in a tenant with very many tasks, and claims by 1, 10 and 100 agents. The engine's own
 * database reports how many pages a call touches, and whether a table was scanned from its beginning to its end.
 */
final class Tasks implements Bench.Benchmark {
    private static final int AGENTS = 100;
    private static final List<Integer> CALLERS = List.of(1, 10, 100);

    /** Of 100 tasks 50 are ready, 1 is held, 1 is blocked, 1 is cancelled and 47 are done; every eighth is the first agent's. */
    private static final String FILL = """
            INSERT INTO task (tenant_id, id, domain_id, title, description, state, holder_id, lease_until, assignee_id, creator_id,
                              created_at, updated_at)
            SELECT d.tenant_id, CAST(md5('bench ' || i) AS uuid), d.id, 'task ' || i, 'Is done by somebody.',
                   CASE WHEN i %% 100 < 50 THEN 'open' WHEN i %% 100 = 50 THEN 'doing' WHEN i %% 100 = 51 THEN 'blocked'
                        WHEN i %% 100 = 52 THEN 'cancelled' ELSE 'done' END,
                   CASE WHEN i %% 100 = 50 THEN a.id END, CASE WHEN i %% 100 = 50 THEN now() + INTERVAL '1 day' END,
                   CASE WHEN i %% 8 = 0 THEN a.id END, d.owner_id, now() - (%1$d - i) * INTERVAL '1 second', now()
              FROM domain d JOIN agent a ON a.tenant_id = d.tenant_id AND a.name = 'Agent0', generate_series(1, %1$d) i
             WHERE d.name = 'bench'
            """;

    private static final String HISTORY = """
            INSERT INTO task_change (tenant_id, task_id, revision, at, by_id, what)
            SELECT tenant_id, id, 1, created_at, creator_id, 'created' FROM task
            """;

    @Override
    public String words() {
        return "the tools for tasks in a tenant with many of them, and claims by 1, 10 and 100 agents [--tasks 1000000] [--seconds 5]"
                + " [--claims 1000: by each number of agents]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var size = options.number("tasks", 1_000_000);
        var time = Duration.ofSeconds(options.number("seconds", 5));
        var claims = options.number("claims", 1_000);
        try (var engine = Engine.start()) {
            var callers = new Callers(engine.url(), engine.key());
            begin(callers);
            for (var agents : CALLERS) {
                claim(engine, callers, agents, claims);
            }
            fill(engine, size);
            System.out.printf("%nwith %,d tasks in the domain%n", count(engine, "SELECT count(*) FROM task"));
            for (var kind : kinds().entrySet()) {
                measure(engine, callers, kind.getKey(), kind.getValue(), time);
            }
        }
    }

    private static void begin(Callers callers) throws Exception {
        Workspace.domain(callers, AGENTS);
        for (var i = 0; i < AGENTS; i++) {
            var place = Map.of("agent", "Agent" + i, "context", "Agent" + i);
            callers.call(new Callers.Work("AP_LogOn", Map.of("target", place)));
        }
    }

    /** A number of agents claim as many tasks as there are, each one after the other. */
    private static void claim(Engine engine, Callers callers, int agents, int tasks) throws Exception {
        execute(engine, "DELETE FROM task");
        execute(engine, """
                INSERT INTO task (tenant_id, id, domain_id, title, description, state, creator_id, created_at, updated_at)
                SELECT d.tenant_id, gen_random_uuid(), d.id, 'task ' || i, '', 'open', d.owner_id, now(), now()
                  FROM domain d, generate_series(1, %d) i WHERE d.name = 'bench'
                """.formatted(tasks));
        execute(engine, "VACUUM ANALYZE task");
        var work = IntStream.range(0, agents)
                .<Callable<Integer>>mapToObj(agent -> () -> {
                    var claimed = 0;
                    for (var left = agent; left < tasks; left += agents) {
                        callers.call(new Callers.Work(
                                "TK_Claim", Map.of("target", Map.of("domain", "bench", "context", "Agent" + agent), "next", true)));
                        claimed++;
                    }
                    return claimed;
                })
                .toList();
        var began = System.nanoTime();
        try (var threads = Executors.newFixedThreadPool(agents)) {
            for (var each : threads.invokeAll(work)) {
                each.get(); // Every call has got a task.
            }
        }
        var seconds = (System.nanoTime() - began) / 1e9;
        var once = count(engine, "SELECT count(*) FROM task WHERE state = 'doing' AND fence = 1");
        System.out.printf(
                "%3d agents claim %,d tasks: %6.0f a second, %d lost, %d twice%n",
                agents, tasks, tasks / seconds, tasks - once, count(engine, "SELECT count(*) FROM task WHERE fence > 1"));
        if (once != tasks) {
            throw new IllegalStateException("%d of %d tasks were claimed once".formatted(once, tasks));
        }
    }

    private static void fill(Engine engine, int size) throws Exception {
        execute(engine, "DELETE FROM task");
        try (var connection = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            // Triggers count for the plan, and foreign keys hold.
            statement.execute("SET LOCAL session_replication_role = replica");
            statement.execute(FILL.formatted(size));
            statement.execute(HISTORY);
            connection.commit();
        }
        execute(engine, "VACUUM ANALYZE");
    }

    private static Map<String, IntFunction<Callers.Work>> kinds() {
        var domain = Map.of("domain", "bench", "context", "Agent1");
        var kinds = new LinkedHashMap<String, IntFunction<Callers.Work>>();
        kinds.put("TK_List", _ -> new Callers.Work("TK_List", Map.of("target", domain)));
        for (var state : List.of("open", "doing", "blocked", "done", "cancelled")) {
            kinds.put("TK_List state: " + state, _ -> new Callers.Work("TK_List", Map.of("target", domain, "state", state)));
        }
        kinds.put("TK_List ready", _ -> new Callers.Work("TK_List", Map.of("target", domain, "ready", true)));
        kinds.put("TK_List mine", _ -> new Callers.Work("TK_List", Map.of("target", Map.of("domain", "bench", "context", "Agent0"), "mine", true)));
        kinds.put("TK_List of a tag", _ -> new Callers.Work("TK_List", Map.of("target", domain, "vx", Map.of("tags", List.of("rare")))));
        kinds.put("TK_Read", number -> new Callers.Work("TK_Read", Map.of("task", id(1 + number))));
        kinds.put("TK_Claim next", number -> new Callers.Work("TK_Claim", Map.of("target", domain, "next", true)));
        return kinds;
    }

    /** Returns the id of a task, as the statement that fills makes it. */
    private static String id(int number) {
        try {
            var hash = MessageDigest.getInstance("MD5")
                    .digest("bench %d".formatted(number).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash).replaceFirst("(.{8})(.{4})(.{4})(.{4})", "$1-$2-$3-$4-");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void measure(
            Engine engine, Callers callers, String name, IntFunction<Callers.Work> work, Duration time) throws Exception {
        callers.work(1, time.dividedBy(2), work); // Warm-up.
        settle(callers, work.apply(900_000));
        var before = pages(engine);
        var scans = scans(engine);
        var measured = callers.work(1, time, number -> work.apply(number + 100_000));
        settle(callers, work.apply(900_001));
        var calls = measured.sorted().length;
        System.out.printf(
                "%-24s %s, about %,d pages of tasks each, %d sequential scans%n",
                name, measured, (pages(engine) - before) / calls, scans(engine) - scans);
        if (scans(engine) != scans) {
            throw new IllegalStateException(name + " scanned a table of tasks");
        }
    }

    /** A connection of the database reports what it did with the first call after a second. */
    private static void settle(Callers callers, Callers.Work work) throws Exception {
        Thread.sleep(1_500);
        callers.call(work);
    }

    private static long pages(Engine engine) throws Exception {
        return count(engine, """
                SELECT sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))
                  FROM pg_statio_user_tables WHERE relname IN ('task', 'task_order', 'task_change')
                """);
    }

    private static long scans(Engine engine) throws Exception {
        return count(engine, "SELECT sum(seq_scan) FROM pg_stat_user_tables WHERE relname IN ('task', 'task_order', 'task_change')");
    }

    private static void execute(Engine engine, String sql) throws Exception {
        try (var connection = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long count(Engine engine, String sql) throws Exception {
        try (var connection = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }
}
