package io.agentworkspace.engine.testing;

import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.app.Features;
import io.agentworkspace.engine.app.Ground;
import io.agentworkspace.engine.app.settings.Settings;
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
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.TimeLimits;
import io.agentworkspace.engine.kernel.db.embedded.EmbeddedPostgres;
import io.agentworkspace.engine.kernel.db.migration.Migrations;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.events.RestoreStore;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.kernel.secrets.MasterKey;
import io.agentworkspace.engine.kernel.secrets.MasterKeys;
import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.kernel.secrets.StateSigner;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.mcp.endpoint.McpEndpoint;
import io.agentworkspace.engine.mcp.handshakes.HandshakeStore;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.workspace.agents.AgentPresence;
import io.agentworkspace.engine.workspace.agents.AgentUseStore;
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
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/** One migrated embedded PostgreSQL for all tests of this JVM. Each test uses its own tenants. */
public final class TestDatabase {
    /** Connections and statements of tests have no time limit except the one that ends a hang. */
    private static final TimeLimits UNHURRIED = unhurried();

    /** The URL of an empty database on a cluster, which tests use instead of an embedded one. */
    private static final Optional<String> CLUSTER = Optional.ofNullable(System.getenv("ENGINE_TEST_CLUSTER"));

    private static final Path FOLDER = temporary();
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

    /** Waits until all events of the tenant have their place in the feed. */
    public static void awaitNumbered(long tenant) {
        await().until(() -> DB.sql(
                        "SELECT 1 AS one FROM event WHERE tenant_id = :tenant AND seq IS NULL AND NOT directed")
                .set("tenant", tenant)
                .one(_ -> true)
                .isEmpty());
    }

    public static EmbeddedPostgres postgres() {
        return POSTGRES;
    }

    public static Db db() {
        return DB;
    }

    /** Returns the URL with the credentials, as an operator would set it. */
    public static String url() {
        return CLUSTER.orElseGet(() -> withCredentials(POSTGRES.jdbcUrl()));
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

    /** Returns what encrypts secrets, as all replicas on this database do. */
    public static Vault vault() {
        return new Vault(DB, new MasterKeys(MasterKey.parse(SECRETS_KEY), Path.of("none")));
    }

    /** Returns all tools, without a model for their search, and with receivers and upstream servers on this machine. */
    public static Catalogue catalogue() {
        return Offline.CATALOGUE;
    }

    /** Returns the same over a database that a test looks at, with its limits. */
    public static Catalogue catalogue(Db db, CallLimits limits) {
        var environment = Map.of(
                "ENGINE_EMBEDDING", "off",
                "ENGINE_WEBHOOKS_ALLOW_PRIVATE", "true",
                "ENGINE_UPSTREAMS_ALLOW", "127.0.0.0/8");
        var clock = Clock.systemUTC();
        var vault = new Vault(db, new MasterKeys(MasterKey.parse(SECRETS_KEY), Path.of("none")));
        var ground = new Ground(
                Settings.read(
                        environment,
                        List.of("--data-dir", folder().resolve("catalogue").toString())),
                new PublicAddresses("http://127.0.0.1", "http://127.0.0.1", "0"),
                db,
                new Contexts(db),
                METERING,
                new RestoreStore(db, clock, ""),
                vault,
                new EventLog(),
                HeavyWork.ofMachine(),
                clock);
        return new Features(ground, limits, 2_000).catalogue();
    }

    /** The tools on this database, assembled when they are first needed. */
    private static final class Offline {
        private static final Catalogue CATALOGUE = catalogue(DB, metering());
    }

    /** Returns the skills that a replica serves. */
    public static Library library() {
        return new Library(new SkillQueries(DB));
    }

    public static CallerChanges watch() {
        return new CallerChanges(DB);
    }

    public static DatabaseSignals signals() {
        return new DatabaseSignals(METERING);
    }

    /** Returns the MCP endpoint of another replica on this database. */
    public static McpEndpoint mcp(ServedContent served, Callers callers, DatabaseSignals signals, String url) {
        var limits =
                new StreamLimits(new StreamLimits.Share(STREAMS_EACH, 100, 100, 100), 64 << 20, Duration.ofSeconds(2));
        var handshakes = new HandshakeStore(DB);
        var endpoint = new McpEndpoint(
                served, DB, callers, handshakes, limits, url, new SealKeys(DB, Clock.systemUTC()), Clock.systemUTC());
        endpoint.listeners().forEach(signals::onSignal);
        return endpoint;
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
            DB.sql("SELECT pg_notify('changes', :mark)").set("mark", mark).one(_ -> true);
            return received.getCount() == 0;
        });
    }

    /** Returns the runner of all tools, on a database that a test observes. */
    public static Runner runner(Db db) {
        var limits = metering(db);
        return runner(catalogue(db, limits), db, new EventLog(), limits);
    }

    public static Runner runner(Catalogue catalogue, Db db, EventLog events) {
        return runner(catalogue, db, events, metering(db));
    }

    private static Runner runner(Catalogue catalogue, Db db, EventLog events, CallLimits limits) {
        var clock = Clock.systemUTC();
        return new Runner(
                catalogue,
                db,
                new Contexts(db),
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
        var db = CLUSTER.map(url -> new Db(url, null, null, 12, UNHURRIED))
                .orElseGet(() -> connect(POSTGRES.jdbcUrl(), 12));
        Migrations.run(db);
        PlanLimits.publish(db);
        return db;
    }

    /**
     * Returns the folder of this database, in which engines keep their files: the copies of a prepared database all look like the same
     * one to a search index.
     */
    static Path folder() {
        return FOLDER;
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("engine-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static EmbeddedPostgres start() {
        PreparedDatabase.into(FOLDER);
        var postgres = EmbeddedPostgres.start(FOLDER);
        quicken(postgres);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            postgres.close();
            PreparedDatabase.delete(FOLDER);
        }));
        return postgres;
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
}
