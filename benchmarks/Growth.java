import java.sql.DriverManager;
import java.util.List;

/** Fills the tenant of the benchmark with agents, messages and memories, and the database with other tenants. */
final class Growth {
    private static final int OF_OTHERS = 100;

    /** The tenant {@code ?}, how many there are, and how many there shall be: ids are far above those that the engine gives. */
    private static final List<String> FILL = List.of(
            """
            INSERT INTO agent (tenant_id, id, name, name_key, description, access, owner_id, created_at, updated_at)
            SELECT t.id, 1000000000 + i, 'grown-' || i, 'grown-' || i, 'Was made to fill the tenant.', 'public',
                   (SELECT min(u.id) FROM app_user u WHERE u.tenant_id = t.id), now(), now()
              FROM (SELECT CAST(? AS bigint) AS id, CAST(? AS integer) AS now, CAST(? AS integer) AS size) t, generate_series(t.now + 1, t.size) i
            """,
            """
            INSERT INTO conversation (tenant_id, id, low_id, high_id, last_seq, last_at)
            SELECT t.id, 2000000000 + i, 1000000000 + i, 1000000000 + i + 1, 10, now() - i * INTERVAL '1 second'
              FROM (SELECT CAST(? AS bigint) AS id, CAST(? AS integer) AS now, CAST(? AS integer) AS size) t, generate_series(t.now / 10 + 1, t.size / 10) i
            """,
            """
            INSERT INTO message (tenant_id, conversation_id, seq, id, speaker_id, content, chain, created_at)
            SELECT t.id, 2000000000 + i, n, gen_random_uuid(), 1000000000 + i + n % 2, 'The tide turns at seven.', '{}',
                   now() - i * INTERVAL '1 second'
              FROM (SELECT CAST(? AS bigint) AS id, CAST(? AS integer) AS now, CAST(? AS integer) AS size) t, generate_series(t.now / 10 + 1, t.size / 10) i,
                   generate_series(1, 10) n
            """,
            """
            INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq, last_seq)
            SELECT t.id, 1000000000 + i + n, 2000000000 + i, (SELECT min(u.id) FROM app_user u WHERE u.tenant_id = t.id), 10, 10
              FROM (SELECT CAST(? AS bigint) AS id, CAST(? AS integer) AS now, CAST(? AS integer) AS size) t, generate_series(t.now / 10 + 1, t.size / 10) i,
                   generate_series(0, 1) n
            """,
            """
            INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at, change)
            SELECT b.tenant_id, b.id, gen_random_uuid(), 'The tide turns at seven.', '{}', b.owner_id, ARRAY[b.owner_id], '{}',
                   now() - i * INTERVAL '1 second', now(), pg_current_xact_id()
              FROM (SELECT CAST(? AS bigint) AS id, CAST(? AS integer) AS now, CAST(? AS integer) AS size) t, bank b, generate_series(t.now + 1, t.size) i
             WHERE b.tenant_id = t.id AND b.name_key = 'read'
            """);

    private Growth() {}

    /** Adds tasks that are ready to the domain where all talk. */
    static void tasks(Engine engine, int count) throws Exception {
        try (var connection = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                var statement = connection.createStatement()) {
            statement.execute("""
                    INSERT INTO task (tenant_id, id, domain_id, title, description, state, creator_id, created_at, updated_at)
                    SELECT d.tenant_id, gen_random_uuid(), d.id, 'task ' || i, 'Is claimed.', 'open', d.owner_id, now(), now()
                      FROM domain d, generate_series(1, %d) i
                     WHERE d.name_key = 'square'
                    """.formatted(count));
            statement.execute("ANALYZE task");
        }
    }

    /** @param from how many rows of each kind an earlier call has added */
    static void fill(Engine engine, int from, int rows, int tenants) throws Exception {
        try (var connection = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            // Triggers and foreign keys are passed over: they hold.
            statement.execute("SET LOCAL session_replication_role = replica");
            var own = statement.executeQuery("SELECT tenant_id FROM agent WHERE name_key = 'reader'");
            own.next();
            var tenant = own.getLong(1);
            for (var text : FILL) {
                try (var fill = connection.prepareStatement(text)) {
                    fill.setLong(1, tenant);
                    fill.setInt(2, from);
                    fill.setInt(3, rows);
                    fill.execute();
                }
            }
            statement.execute("""
                    INSERT INTO tenant (tenant_id, name, name_key, created_at)
                    SELECT 3000000000 + n, 'other ' || n, 'other ' || n, now() FROM generate_series(2, %d) n
                    """.formatted(tenants));
            statement.execute(
                    "INSERT INTO tenant_plan (tenant_id, plan) SELECT 3000000000 + n, 'unlimited' FROM generate_series(2, %d) n"
                            .formatted(tenants));
            statement.execute("INSERT INTO event_feed (tenant_id) SELECT 3000000000 + n FROM generate_series(2, %d) n"
                    .formatted(tenants));
            statement.execute("""
                    INSERT INTO app_user (tenant_id, id, name, name_key, role, created_at)
                    SELECT 3000000000 + n, 3000000000 + n, 'owner', 'owner', 'owner', now() FROM generate_series(2, %d) n
                    """.formatted(tenants));
            statement.execute("""
                    INSERT INTO agent (tenant_id, id, name, name_key, description, access, owner_id, created_at, updated_at)
                    SELECT 3000000000 + n, 1000000000 + i, 'grown-' || i, 'grown-' || i, 'Fills a tenant.', 'public', 3000000000 + n, now(), now()
                      FROM generate_series(2, %d) n, generate_series(1, %d) i
                    """.formatted(tenants, OF_OTHERS));
            connection.commit();
            connection.setAutoCommit(true);
            statement.execute("ANALYZE");
        }
    }
}
