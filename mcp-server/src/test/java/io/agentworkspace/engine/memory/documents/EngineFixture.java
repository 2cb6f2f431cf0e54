package io.agentworkspace.engine.memory.documents;

import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Three engines that are processes of their own, on a database of their own, so that they can be killed. */
final class EngineFixture implements AutoCloseable {
    private static final long GATE = 4_711;

    private final String database;
    private final Path folder;
    private final @Nullable EngineProcess[] engines = new EngineProcess[3];
    private final Db db;
    final String key = ApiKey.generate(new SecureRandom()).reveal();

    EngineFixture(String database, Path folder) {
        this.database = database;
        this.folder = folder;
        this.db = TestDatabase.fresh(database);
    }

    /** Returns the engine, which is started if it does not run. */
    EngineProcess engine(int n) {
        var engine = engines[n];
        if (engine == null) {
            engine = EngineProcess.start(
                    folder(n),
                    Map.of(
                            "ENGINE_DATABASE_URL",
                            TestDatabase.url(database),
                            "ENGINE_SECRETS_KEY",
                            TestDatabase.SECRETS_KEY,
                            "ENGINE_EMBEDDING",
                            "off",
                            "ENGINE_BOOTSTRAP_KEY",
                            key));
            engines[n] = engine;
        }
        return engine;
    }

    private Path folder(int n) {
        try {
            return Files.createDirectories(folder.resolve("engine " + n));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts all that do not run, at the same time. */
    void startAll() throws Exception {
        engine(0); // It prepares the database.
        try (var threads = Executors.newFixedThreadPool(2)) {
            var one = threads.submit(() -> engine(1));
            var two = threads.submit(() -> engine(2));
            one.get();
            two.get();
        }
    }

    /** Kills the engine as {@code kill -9} does, if it runs. */
    void kill(int n) {
        var engine = engines[n];
        if (engine != null) {
            engine.kill();
            engines[n] = null;
        }
    }

    /** A call of the owner over REST. */
    Reply call(int engine, String tool, ObjectNode arguments) {
        return ClientApi.REST.call(engine(engine).url(), key, tool, arguments);
    }

    Reply call(int engine, String tool, String arguments) {
        return call(engine, tool, Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    long count(String rows) {
        return db.sql("SELECT count(*) AS n FROM " + rows)
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    /** Transactions that insert into a table wait in it, as long as it is closed. */
    final class Gate implements AutoCloseable {
        private final String table;
        private final Connection holder;

        Gate(String table) throws SQLException {
            this.table = table;
            db.sql("""
                    CREATE OR REPLACE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
                        'BEGIN PERFORM pg_advisory_xact_lock(%d); RETURN NULL; END';
                    """.formatted(GATE)).run();
            holder = DriverManager.getConnection(TestDatabase.url(database));
            holder.createStatement().execute("SELECT pg_advisory_lock(%d)".formatted(GATE));
            db.sql("CREATE TRIGGER gate AFTER INSERT ON %s FOR EACH STATEMENT EXECUTE FUNCTION wait_at_gate()"
                            .formatted(table))
                    .run();
        }

        /** Returns when as many transactions wait. */
        void awaitArrival(int transactions) {
            await().until(() ->
                    count("pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = " + GATE) == transactions);
        }

        @Override
        public void close() throws SQLException {
            holder.close();
            db.sql("DROP TRIGGER gate ON " + table).run();
        }
    }

    @Override
    public void close() {
        for (var engine : engines) {
            if (engine != null) {
                engine.close();
            }
        }
        db.close();
    }
}
