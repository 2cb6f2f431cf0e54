package io.agentworkspace.engine.kernel.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.agentworkspace.engine.kernel.metrics.Latency;
import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.kernel.scheduling.FairQueue;
import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.kernel.tracing.TraceSpan;
import io.agentworkspace.engine.model.plan.Plan;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.DatabaseState;
import io.agentworkspace.engine.model.problem.LimitExceeded;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The database. A statement outside {@link #transaction} is a round trip of its own. Inside, all statements of the
 * calling thread belong to the transaction. If the database fails, a {@link Problem} {@code unavailable} is thrown.
 */
public final class Db implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Db.class);
    static final ScopedValue<Transaction> CURRENT = ScopedValue.newInstance();
    private static final ScopedValue<Duration> LIMIT = ScopedValue.newInstance();
    private static final Set<String> RETRYABLE = Set.of("40001", "40P01");
    private static final String UNIQUE_VIOLATION = "23505";

    private static final String OWNER_REMOVED = "EN001"; // By present_user: the new thing has lost its owner.

    /** Raised by count_usage: the plan's limit is reached. */
    private static final String QUOTA = "EN002";

    private static final Pattern EXCESS = Pattern.compile("quota (\\w+) (\\d+) (\\d+) (\\w+)");

    private static final int ATTEMPTS = 4;
    private static final int PORTION = 1_000;
    /** How long a call waits for a connection while no call is served. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** The connections that an engine opens beside its pool: one that listens for changes, and one that tests it. */
    public static final int BESIDE_THE_POOL = 2;

    /** How long {@link #awaitConnection} waits. */
    static final Duration FIRST_CONNECTION = Duration.ofMinutes(1);

    /** How much longer than the statement timeout we wait before the database counts as unresponsive. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    /**
     * Settings for planning: each statement gets one generic plan, which never depends on what the tables held at the
     * time, and uses an index wherever there is one. By default, PostgreSQL plans most statements again on each
     * execution, which costs several times as much as running them. It also scans a table that was small when it was
     * analyzed, and prefers an index that finds many rows of a small table to one that finds the right ones.
     */
    private static final SessionSettings PLANNING = new SessionSettings(Map.of(
            "plan_cache_mode", "force_generic_plan", "enable_seqscan", "off", "jit", "off", "random_page_cost", "1.1"));

    /**
     * Columns of a transaction's first SELECT that set the time limit of its later statements to that of writes: see
     * {@link #limited}. The first statement runs with the connection's own limit, that of reads.
     */
    public static final String LIMITS = """
            set_config('statement_timeout', :statement_limit, true), set_config('lock_timeout', :lock_limit, true)
            """;

    private static final String SET_LIMITS = "SELECT " + LIMITS;

    /** Overrides all limits, also those of the role. A vanished host is noticed after a minute. */
    public static final String WITHOUT_LIMITS = new SessionSettings(Map.of(
                    "statement_timeout", "0",
                    "lock_timeout", "0",
                    "idle_in_transaction_session_timeout", "0",
                    "tcp_keepalives_idle", "30",
                    "tcp_keepalives_interval", "10",
                    "tcp_keepalives_count", "3"))
            .statement();

    private final PGSimpleDataSource withoutLimits = new PGSimpleDataSource();
    private final NotificationChannel.Login login;
    private final boolean isPooled;
    private volatile boolean isShared;
    private final SessionSettings settings;
    private final HikariDataSource pool;
    private final TimeLimits limits;
    /** Shares connections fairly. The pool's own queue starves waiters under load. */
    private final FairQueue connections;

    private final List<LongConsumer> whenAccessChanged = new CopyOnWriteArrayList<>();
    private final Latency waits = new Latency();
    private final RefusalLog refusals = new RefusalLog();
    private final DatabaseProbe probe = new DatabaseProbe(this, refusals);

    public Db(String jdbcUrl, @Nullable String user, @Nullable String password, int poolSize) {
        this(jdbcUrl, user, password, poolSize, TimeLimits.DEFAULT);
    }

    public Db(String jdbcUrl, @Nullable String user, @Nullable String password, int poolSize, TimeLimits limits) {
        this(jdbcUrl, user, password, null, poolSize, limits);
    }

    /**
     * @param direct address for notifications and migrations, if the other one leads to a pooler of transactions. The
     *     pooler then makes the settings of connections; null: one address for everything
     */
    public Db(
            String jdbcUrl,
            @Nullable String user,
            @Nullable String password,
            @Nullable String direct,
            int poolSize,
            TimeLimits limits) {
        this.limits = limits;
        this.login = new NotificationChannel.Login(direct == null ? jdbcUrl : direct, user, password);
        this.isPooled = direct != null;
        var config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(poolSize);
        config.setMinimumIdle(1); // See fill().
        config.setPoolName("engine");
        config.setConnectionTimeout(limits.connect().toMillis());
        config.setValidationTimeout(1_000);
        config.setExceptionOverride(new LostConnections());
        config.setInitializationFailTimeout(-1);
        config.addDataSourceProperty("ApplicationName", "agent-workspace-engine");
        config.addDataSourceProperty("tcpKeepAlive", "true");
        config.addDataSourceProperty("prepareThreshold", isPooled ? "0" : "2");
        config.addDataSourceProperty("preparedStatementCacheQueries", "512");
        config.addDataSourceProperty("preparedStatementCacheSizeMiB", "8");
        config.addDataSourceProperty("logServerErrorDetail", "false");
        config.addDataSourceProperty(
                "connectTimeout", Long.toString(limits.connect().toSeconds()));
        // The driver's default of 5 s would apply to each host that hangs, and accepts connections nevertheless.
        config.addDataSourceProperty(
                "sslResponseTimeout", Long.toString(limits.connect().toMillis()));
        config.addDataSourceProperty(
                "socketTimeout", Long.toString(limits.write().plus(SILENCE).toSeconds()));
        settings = PLANNING.with(Map.of(
                "statement_timeout", Long.toString(limits.read().toMillis()),
                "lock_timeout", Long.toString(limits.lock().toMillis() * 2 / 3),
                "idle_in_transaction_session_timeout", "30000"));
        if (!isPooled) {
            config.setConnectionInitSql(settings.statement());
        }
        pool = new HikariDataSource(config);
        withoutLimits.setUrl(login.url());
        if (user != null) { // Otherwise the URL contains the credentials.
            withoutLimits.setUser(user);
            withoutLimits.setPassword(password);
        }
        connections = new FairQueue(poolSize);
    }

    /** Returns connections for migrations only. They have no time limit after {@link #WITHOUT_LIMITS}. */
    public DataSource withoutLimits() {
        return withoutLimits;
    }

    /** Returns channels of notifications that listen on a connection of their own to each server, and are not open yet. */
    public NotificationChannels channels(String name, Duration beat, NotificationChannel.Receiver receiver) {
        return new NotificationChannels(new ServerQueries(this), login, name, beat, receiver);
    }

    /**
     * Waits until the database accepts connections: it may be starting, too.
     *
     * @throws DatabaseFailure if it does not in this time, or refuses the login
     */
    public void awaitReachable(Duration longest) {
        DatabaseWait.until(withoutLimits, longest);
    }

    /**
     * Waits until the pool has a connection. On a slow machine the first one can take longer than {@link TimeLimits#connect},
     * which is not an outage.
     *
     * @throws SqlFailure if there is none within a minute
     */
    public void awaitConnection() {
        var began = System.nanoTime();
        while (true) {
            try (var connection = pool.getConnection()) {
                settings.check(connection, isPooled);
                return;
            } catch (SQLException e) {
                var isLate = System.nanoTime() - began > FIRST_CONNECTION.toNanos();
                if (isLate || pool.isClosed() || Thread.currentThread().isInterrupted()) {
                    throw new SqlFailure(e);
                }
            }
        }
    }

    /**
     * Opens all connections of the pool, and keeps them open from now on. Signing in to the database takes a lot of
     * processor time, which the first calls would have to wait for.
     */
    public void fill() {
        pool.getHikariConfigMXBean().setMinimumIdle(pool.getMaximumPoolSize());
        var all = new ArrayList<Connection>();
        try {
            while (all.size() < pool.getMaximumPoolSize()) {
                all.add(pool.getConnection());
            }
        } catch (SQLException e) {
            LOG.warn("the database gives {} of {} connections: {}", all.size(), most(), e.getMessage());
        } finally {
            all.forEach(Db::giveBack);
        }
    }

    private static void giveBack(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.debug("a connection could not be returned to the pool", e);
        }
    }

    /** Returns a statement with the call's parameters already bound: tenant, user, self, admin, now, … */
    public Statement sql(Call call, String text) {
        return sql(text).of(call);
    }

    /** Returns a statement outside of any call: startup, housekeeping, credential look-up. */
    public Statement sql(String text) {
        return new Statement(this, text);
    }

    /**
     * Returns the statement for {@link #deleteOld}, which deletes some of the rows.
     *
     * @param key the columns of the table's primary key
     * @param old the condition, with {@code :until}; a row that no longer meets it when it can be locked is kept
     */
    public static String oldRows(String table, String key, String old) {
        return deletingOld(
                table,
                SqlTemplate.of("""
                DELETE FROM {table}
                 WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {old} LIMIT {portion}) AND ({old})
                """)
                        .with("table", table)
                        .with("key", key)
                        .with("old", old)
                        .with("portion", PORTION) // A parameter would count as a tenth of all rows.
                        .sql());
    }

    /**
     * Returns the statement for {@link #deleteOld} that finds the rows itself.
     *
     * @param delete deletes at most {@code :portion} rows of the table, without an alias
     */
    public static String deletingOld(String table, String delete) {
        return CountedTable.deleting(table, delete);
    }

    /**
     * Deletes expired rows, a thousand at a time, so that nothing is locked for long.
     *
     * @param oldRows from {@link #oldRows}
     * @return the number of deleted rows
     */
    public int deleteOld(String oldRows, Instant until) {
        return deleteOld(() -> sql(oldRows), until);
    }

    /**
     * Deletes expired rows of one tenant.
     *
     * @param oldRows from {@link #oldRows} or {@link #deletingOld}, with {@code :tenant}
     */
    public int deleteOld(long tenant, String oldRows, Instant until) {
        return deleteOld(() -> sql(oldRows).set("tenant", tenant), until);
    }

    /**
     * Deletes expired rows of one tenant after the other, since their end is signalled, or the rows of each have an index.
     *
     * @param tenants finds the tenants that have some, with {@code :until}
     * @param oldRows from {@link #oldRows} or {@link #deletingOld}, with {@code :tenant}
     */
    public void deleteOld(String tenants, String oldRows, Instant until) {
        var found = sql(tenants).set("until", until).list(row -> row.number("tenant_id"));
        TenantTurns.take(found, tenant -> {
            deleteOld(tenant, oldRows, until);
            return false;
        });
    }

    private int deleteOld(Supplier<Statement> oldRows, Instant until) {
        var sum = 0;
        int deleted;
        do {
            deleted = bulk(() -> {
                limited(sql(SET_LIMITS)).one(_ -> true);
                return oldRows.get()
                        .quiet()
                        .set("until", until)
                        .set("portion", PORTION)
                        .one(row -> (int) row.number("deleted"))
                        .orElseThrow();
            });
            sum += deleted;
        } while (deleted == PORTION);
        return sum;
    }

    /**
     * Moves the newest entries of a GIN index from its list to their places, so that searches need not read the list. If another
     * replica does that, this one does not wait for it.
     */
    public void mergeNewEntries(String index) {
        sql("SELECT gin_clean_pending_list(CAST(:index AS regclass)) AS pages WHERE pg_try_advisory_xact_lock(:lock)")
                .quiet()
                .set("lock", AdvisoryLock.MERGE.number)
                .set("index", index)
                .one(_ -> true);
    }

    /** Runs the work in one transaction. An exception rolls back everything. */
    public <T> T transaction(Supplier<T> work) {
        return withConnection(connection -> CURRENT.isBound() ? work.get() : alone(connection, work));
    }

    private <T> T alone(Connection connection, Supplier<T> work) throws SQLException {
        connection.setAutoCommit(false); // The pool resets it.
        try {
            var transaction = new Transaction(connection);
            var result = ScopedValue.where(CURRENT, transaction).call(() -> Transaction.complete(work));
            connection.commit();
            transaction
                    .tenantsWithOtherAccess()
                    .forEach(tenant -> whenAccessChanged.forEach(one -> one.accept(tenant)));
            return result;
        } catch (Throwable e) {
            rollBack(connection, e);
            throw e;
        }
    }

    /** Registers who learns that a transaction of this engine has changed what decides access in a tenant. */
    public void whenAccessChanged(LongConsumer listener) {
        whenAccessChanged.add(listener);
    }

    /** Returns whether the current transaction has changed what decides access. */
    public boolean hasChangedAccess() {
        return CURRENT.isBound() && !CURRENT.get().tenantsWithOtherAccess().isEmpty();
    }

    /** Returns whether the current thread has a transaction. */
    public boolean inTransaction() {
        return CURRENT.isBound();
    }

    /** Runs the statements that wait for the last one of the current transaction. */
    static void runLate() {
        if (CURRENT.isBound()) {
            CURRENT.get().takeLate().forEach(Statement::run);
        }
    }

    private static void rollBack(Connection connection, Throwable reason) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    /** Runs work that may delete a lot in one transaction: its statements may take longer. */
    public <T> T bulk(Supplier<T> work) {
        return ScopedValue.where(LIMIT, limits.bulk())
                .call(() -> transaction(() -> {
                    listenFor(CURRENT.get().connection(), limits.bulk().plus(SILENCE));
                    return work.get();
                }));
    }

    /** Limits the time to wait for the server. The pool resets it when the connection is returned. */
    private static void listenFor(Connection connection, Duration time) {
        try {
            connection.setNetworkTimeout(Runnable::run, (int) time.toMillis());
        } catch (SQLException e) {
            throw new DatabaseFailure("the connection is lost", e);
        }
    }

    /** Binds the parameters of {@link #LIMITS}. */
    public Statement limited(Statement statement) {
        var limit = LIMIT.isBound() ? LIMIT.get() : limits.write();
        return statement
                .set("statement_limit", Long.toString(limit.toMillis()))
                .set("lock_limit", Long.toString(limits.lock().toMillis()));
    }

    /** Work that uses a connection. */
    @FunctionalInterface
    interface Work<T> {
        T of(Connection connection) throws SQLException;
    }

    /**
     * Runs the work on the current transaction's connection, or else on one of its own. On one of its own, the work
     * is run again if the database requests it (deadlock, serialization), since the database has then undone
     * everything.
     */
    <T> T withConnection(Work<T> work) {
        if (CURRENT.isBound()) {
            try {
                return work.of(CURRENT.get().connection());
            } catch (SQLException e) {
                throw new SqlFailure(e);
            }
        }
        for (var attempt = 1; ; attempt++) {
            try {
                return once(work);
            } catch (SqlFailure e) {
                var state = SqlState.of(e);
                if (!RETRYABLE.contains(state.code())) {
                    throw e;
                } else if (attempt == ATTEMPTS) {
                    throw refusals.note(Outage.CONTESTED, state);
                }
            }
        }
    }

    private <T> T once(Work<T> work) {
        return traced(() -> used(work));
    }

    private <T> T traced(Supplier<T> work) {
        if (!TraceSpan.CURRENT.isBound()) {
            return work.get();
        }
        return TraceSpan.CURRENT
                .get()
                .child("postgresql", TraceSpan.Kind.CLIENT)
                .set("db.system.name", "postgresql")
                .around(work::get);
    }

    private <T> T used(Work<T> work) {
        if (isShared) {
            throw Outage.SHARED.problem();
        }
        var begin = System.nanoTime();
        var owner = Owner.current();
        Cancellation.interruptible(() -> {
            takeTurn(owner);
            return true;
        });
        waits.add(System.nanoTime() - begin);
        var success = false;
        try (var connection = pool.getConnection()) {
            var result = work.of(connection);
            success = true;
            return result;
        } catch (SqlFailure e) {
            throw foreseen(e);
        } catch (SQLException e) {
            throw foreseen(new SqlFailure(e));
        } finally {
            connections.giveBack(owner, success);
        }
    }

    private RuntimeException foreseen(SqlFailure e) {
        var state = SqlState.of(e);
        return switch (state.code()) {
            case OWNER_REMOVED ->
                Problem.conflict("the user that this would belong to has just been removed; US_List shows the others");
            case QUOTA -> excess(e);
            case String code when RETRYABLE.contains(code) -> e;
            case String _ when !isPooled && DatabaseFailure.isOtherSession(e) -> shared(state);
            default ->
                Outage.of(state)
                        .<RuntimeException>map(outage -> refusals.note(outage, state))
                        .orElse(e);
        };
    }

    /**
     * Ends all use of the database: a pooler has come in between, and runs statements of this engine in the sessions of others, where
     * the same name may mean another statement.
     */
    private Problem shared(SqlState state) {
        if (!isShared) {
            isShared = true;
            LOG.error(
                    "a pooler runs statements in the sessions of other clients: the database is used no more until the engine is restarted. {}",
                    DatabaseFailure.CONNECT);
        }
        return refusals.note(Outage.SHARED, state);
    }

    private static RuntimeException excess(SqlFailure e) {
        var said = EXCESS.matcher(String.valueOf(e.getCause()));
        if (!said.find()) {
            return e;
        }
        return Problem.quotaExceeded(new LimitExceeded(
                Scope.of(said.group(1)),
                Long.parseLong(said.group(2)),
                Long.parseLong(said.group(3)),
                Plan.of(said.group(4))));
    }

    private void takeTurn(Owner owner) {
        try {
            switch (connections.take(owner, PATIENCE)) {
                case TAKEN -> {}
                case OWN_FAULT ->
                    throw Problem.rateLimited(
                            "your key has too many calls at the database at once, so this one did not run; wait for their responses, then try again",
                            connections.pause(owner));
                case BUSY ->
                    throw refusals.note(Outage.BUSY, new SqlState("", "a call has waited too long for a connection"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.unavailable();
        }
    }

    /** Returns how many calls are waiting for a connection. */
    public int waiting() {
        return connections.waiting();
    }

    /** Returns how long calls have waited for a connection. */
    public Latency waits() {
        return waits;
    }

    /** Returns how many connections are in use. */
    public int active() {
        return pool.getHikariPoolMXBean().getActiveConnections();
    }

    /** Returns how many connections are open and not in use. */
    public int idle() {
        return pool.getHikariPoolMXBean().getIdleConnections();
    }

    /** Returns the maximum number of connections. */
    public int most() {
        return pool.getMaximumPoolSize();
    }

    /** Returns whether the failure means that a name, or another unique value, is taken. */
    public static boolean isTaken(SqlFailure e) {
        return UNIQUE_VIOLATION.equals(SqlState.of(e).code());
    }

    /** Returns the state of the database within two seconds. */
    public DatabaseState state() {
        return probe.state();
    }

    @Override
    public void close() {
        pool.close();
    }
}
