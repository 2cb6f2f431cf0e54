package io.agentworkspace.engine.testing;

import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.app.Tools;
import io.agentworkspace.engine.calls.runner.Runner;
import io.agentworkspace.engine.identity.account.CallLimits;
import io.agentworkspace.engine.identity.account.PlanLimits;
import io.agentworkspace.engine.identity.account.Quotas;
import io.agentworkspace.engine.identity.audit.AuditStore;
import io.agentworkspace.engine.identity.credentials.Callers;
import io.agentworkspace.engine.identity.keys.KeyUse;
import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.integrations.skills.Library;
import io.agentworkspace.engine.integrations.skills.SkillQueries;
import io.agentworkspace.engine.integrations.webhooks.ReceiverServices;
import io.agentworkspace.engine.integrations.webhooks.sender.ReceiverProbes;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.TimeLimits;
import io.agentworkspace.engine.kernel.db.embedded.EmbeddedPostgres;
import io.agentworkspace.engine.kernel.db.embedded.UnpackedOnce;
import io.agentworkspace.engine.kernel.db.migration.Migrations;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.outbound.AddressPolicy;
import io.agentworkspace.engine.kernel.outbound.VettedClient;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.kernel.secrets.MasterKey;
import io.agentworkspace.engine.kernel.secrets.MasterKeys;
import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.kernel.secrets.StateSigner;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.mcp.doctor.HandshakeStore;
import io.agentworkspace.engine.mcp.endpoint.McpEndpoint;
import io.agentworkspace.engine.mcp.source.ServerFeatures;
import io.agentworkspace.engine.memory.banks.VectorSource;
import io.agentworkspace.engine.memory.documents.DocumentFileStore;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.EmbeddingConfig;
import io.agentworkspace.engine.memory.embedding.EmbeddingQueue;
import io.agentworkspace.engine.memory.embedding.EmbeddingStore;
import io.agentworkspace.engine.memory.search.IndexBuilder;
import io.agentworkspace.engine.memory.search.IndexCache;
import io.agentworkspace.engine.memory.search.SearchQueries;
import io.agentworkspace.engine.memory.search.SearchedBankStore;
import io.agentworkspace.engine.memory.search.Searcher;
import io.agentworkspace.engine.memory.search.WordScanQueries;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.workspace.agents.AgentPresence;
import io.agentworkspace.engine.workspace.agents.AgentUseStore;
import io.agentworkspace.engine.workspace.delivery.wait.WaitQueries;
import io.agentworkspace.engine.workspace.delivery.wait.WaitingCalls;
import io.agentworkspace.engine.workspace.delivery.wait.WakeStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/** One migrated embedded PostgreSQL for all tests of this JVM. Each test uses its own tenants. */
public final class TestDatabase {
    /** Connections and statements of tests have no time limit except the one that ends a hang. */
    private static final TimeLimits UNHURRIED = unhurried();

    private static final EmbeddedPostgres POSTGRES = start();
    private static final Db DB = open();
    private static final CallerChanges METERING = watch();

    private static boolean templateIsMade;

    /** The master key with which all replicas on this database encrypt. */
    public static final String SECRETS_KEY = randomKey();

    /** The maximum number of open streams of a principal at {@link #mcp}. */
    public static final int STREAMS_EACH = 50;

    private TestDatabase() {}

    private static TimeLimits unhurried() {
        var hang = Duration.ofMinutes(2);
        return new TimeLimits(hang, hang, hang, hang);
    }

    private static String randomKey() {
        var bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    public static long rows(String table) {
        return DB.sql("SELECT count(*) FROM " + table).one(row -> row.number(1)).orElseThrow();
    }

    public static EmbeddedPostgres postgres() {
        return POSTGRES;
    }

    public static Db db() {
        return DB;
    }

    /** Returns the URL with the credentials, as an operator would set it. */
    public static String url() {
        return withCredentials(POSTGRES.jdbcUrl());
    }

    /** Returns the URL of a test's own database. */
    public static String url(String name) {
        return withCredentials(jdbcUrl(name));
    }

    private static String jdbcUrl(String name) {
        return POSTGRES.jdbcUrl().replaceFirst("/[^/]*$", "/" + name);
    }

    private static String withCredentials(String jdbcUrl) {
        return "%s?user=%s&password=%s".formatted(jdbcUrl, POSTGRES.user(), POSTGRES.password());
    }

    /** Returns an audit store as every replica has it. */
    public static AuditStore audit() {
        return new AuditStore(DB, Duration.ofDays(90));
    }

    /** Returns the call limits of a new replica without a rate limit. */
    public static CallLimits metering() {
        return metering(DB);
    }

    /** Returns call limits for a database that a test observes. */
    public static CallLimits metering(Db db) {
        return new CallLimits(new Quotas(db, METERING, new EventLog(), Clock.systemUTC()), _ -> List.of(), _ -> {});
    }

    /** Returns the tenants' rules, for calls outside of a server. */
    public static Rules rules() {
        return new Rules(DB, METERING);
    }

    /** Returns access to endpoints at any address, as in development. */
    public static ReceiverServices outbound() {
        var vault = new Vault(DB, new MasterKeys(MasterKey.parse(SECRETS_KEY), Path.of("none")));
        var clock = Clock.systemUTC();
        return new ReceiverServices(vault, new ReceiverProbes(true, List.of(), clock), true);
    }

    /** A search without a model, in no bank yet, and the files of documents. */
    public static Tools.Shared shared() {
        return shared(DB, new EmbeddingConfig(false, null, null, null));
    }

    /** The same over a database that a test looks at, with settings for embeddings. */
    public static Tools.Shared shared(Db db, EmbeddingConfig settings) {
        var embedder = new Embedder(settings, Clock.systemUTC());
        var queries = new SearchQueries(db, embedder.id());
        var indexes = new IndexCache(queries, Path.of("target", "search"), Clock.systemUTC());
        return new Tools.Shared(
                searcher(db, queries, indexes, embedder),
                new VectorSource(embedder, new EmbeddingQueue(new EmbeddingStore(db), embedder)),
                new DocumentFileStore(db, Clock.systemUTC()),
                waiting(db),
                Clock.systemUTC(),
                "http://127.0.0.1",
                new Rules(db, METERING),
                upstreams(db));
    }

    /** Returns upstream servers on this machine. */
    private static Tools.Upstreams upstreams(Db db) {
        var vault = new Vault(db, new MasterKeys(MasterKey.parse(SECRETS_KEY), Path.of("none")));
        return Tools.Upstreams.of(
                db, vault, UpstreamClient.SHARED, (_, _) -> "", METERING, HeavyWork.ofMachine(), Clock.systemUTC());
    }

    /** The client of upstream servers, made when it is first needed: it has threads of its own. */
    private static final class UpstreamClient {
        private static final VettedClient SHARED =
                new VettedClient(AddressPolicy.allowing(List.of("127.0.0.0/8")), List.of());
    }

    private static WaitingCalls waiting(Db db) {
        var clock = Clock.systemUTC();
        return new WaitingCalls(
                new WaitQueries(db), new ListeningTenants(db, clock), new WakeStore(db, clock), 2_000, clock);
    }

    /** Returns the search as a replica has it. */
    private static Searcher searcher(Db db, SearchQueries queries, IndexCache indexes, Embedder embedder) {
        return new Searcher(
                queries,
                indexes,
                new IndexBuilder(
                        queries,
                        new SearchedBankStore(db),
                        indexes,
                        HeavyWork.ofMachine(),
                        Clock.systemUTC(),
                        IndexBuilder.Limits.DEFAULT),
                new WordScanQueries(db, embedder.id()),
                embedder);
    }

    /** Returns the skills that a replica serves. */
    public static Library library() {
        return new Library(new SkillQueries(DB));
    }

    public static CallerChanges watch() {
        return new CallerChanges(DB);
    }

    public static DatabaseSignals signals() {
        return new DatabaseSignals(DB);
    }

    /** Returns the MCP endpoint of another replica on this database. */
    public static McpEndpoint mcp(ServerFeatures features, Callers callers, DatabaseSignals signals, String url) {
        var limits =
                new StreamLimits(new StreamLimits.Share(STREAMS_EACH, 100, 100, 100), 64 << 20, Duration.ofSeconds(2));
        var handshakes = new HandshakeStore(DB);
        return new McpEndpoint(
                features,
                DB,
                callers,
                signals,
                handshakes,
                limits,
                url,
                new SealKeys(DB, Clock.systemUTC()),
                Clock.systemUTC());
    }

    /**
     * Waits until the runners of this class have received every change of a plan or a rule that is committed so far.
     * Signals come in the order of their commits, to one listener after the other, so this one is the last.
     */
    public static void awaitChanges() {
        var mark = "mark:" + UUID.randomUUID();
        var received = new CountDownLatch(1);
        METERING.onChange(change -> {
            if (change.equals(mark)) {
                received.countDown();
            }
        });
        await().until(() -> {
            DB.sql("SELECT pg_notify('callers_changed', :mark)")
                    .set("mark", mark)
                    .one(_ -> true);
            return received.getCount() == 0;
        });
    }

    /** Returns the runner of all tools, on a database that a test observes. */
    public static Runner runner(Db db) {
        var limits = metering(db);
        return runner(
                Tools.catalogue(db, limits, outbound(), shared(db, new EmbeddingConfig(false, null, null, null))),
                db,
                new EventLog(),
                limits);
    }

    public static Runner runner(Catalogue catalogue, Db db, EventLog events) {
        return runner(catalogue, db, events, metering(db));
    }

    private static Runner runner(Catalogue catalogue, Db db, EventLog events, CallLimits limits) {
        var clock = Clock.systemUTC();
        return new Runner(
                catalogue,
                db,
                clock,
                new AgentPresence(db),
                new KeyUse(db, clock),
                new AgentUseStore(db),
                new AuditStore(db, Duration.ofDays(90)),
                events,
                limits,
                new Rules(db, METERING),
                new SealedCursors(new StateSigner(new SealKeys(db, clock))),
                HeavyWork.ofMachine());
    }

    /** Restores a backup, which is a database without connections, under a new name. */
    public static Db restored(String backup, String name) {
        DB.sql("CREATE DATABASE %s TEMPLATE %s".formatted(name, backup)).run();
        return connect(jdbcUrl(name), 2);
    }

    /** Creates a test's own database, apart from the shared one. */
    public static synchronized Db fresh(String name) {
        if (!templateIsMade) {
            try (var db = empty("template_of_tests")) {
                Migrations.run(db);
                PlanLimits.publish(db);
            }
            templateIsMade = true;
        }
        create(name, " TEMPLATE template_of_tests");
        return connect(jdbcUrl(name), 2);
    }

    /** A test that runs again after a failure begins with a new one. */
    private static void create(String name, String template) {
        DB.sql("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)").run();
        DB.sql("CREATE DATABASE " + name + template).run();
    }

    /** Creates a test's own database before its first migration. */
    public static Db empty(String name) {
        create(name, "");
        return connect(jdbcUrl(name), 2);
    }

    /** Returns a pool on a database of the shared PostgreSQL, whatever way the URL goes. */
    public static Db connect(String jdbcUrl, int connections) {
        return new Db(jdbcUrl, POSTGRES.user(), POSTGRES.password(), connections, UNHURRIED);
    }

    /** Returns a single connection that the pool never checks, so that all its round trips are those of statements. */
    public static Db connectUnchecked(String jdbcUrl) {
        var checks = "com.zaxxer.hikari.aliveBypassWindowMs"; // How long a connection may be idle without a check.
        System.setProperty(checks, Integer.toString(Integer.MAX_VALUE));
        try {
            return connect(jdbcUrl, 1);
        } finally {
            System.clearProperty(checks);
        }
    }

    /** Returns another pool on the same database, as another replica has it. */
    public static Db open() {
        var db = connect(POSTGRES.jdbcUrl(), 12);
        Migrations.run(db);
        PlanLimits.publish(db);
        return db;
    }

    private static EmbeddedPostgres start() {
        try {
            Path directory = Files.createTempDirectory("engine-test");
            UnpackedOnce.into(directory);
            var postgres = EmbeddedPostgres.start(directory);
            quicken(postgres);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                postgres.close();
                delete(directory);
            }));
            return postgres;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Turns off durability, since tests of it use engines in separate processes. Hashes the password once instead of 4,096
     * times, which each of many connections would have to repeat.
     */
    private static void quicken(EmbeddedPostgres postgres) {
        try (var connection = DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
                var statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET fsync = off");
            statement.execute("ALTER SYSTEM SET full_page_writes = off");
            statement.execute("SELECT pg_reload_conf()");
            statement.execute("SET scram_iterations = 1");
            statement.execute("ALTER ROLE %s PASSWORD '%s'".formatted(postgres.user(), postgres.password()));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void delete(Path directory) {
        try (var files = Files.walk(directory)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException | UncheckedIOException e) {
            // Remains in the temporary folder.
        }
    }
}
