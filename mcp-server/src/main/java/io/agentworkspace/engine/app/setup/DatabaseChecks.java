package io.agentworkspace.engine.app.setup;

import io.agentworkspace.engine.app.distribute.ClusterQueries;
import io.agentworkspace.engine.app.distribute.Distribution;
import io.agentworkspace.engine.app.setup.SetupQueries.Facts;
import io.agentworkspace.engine.kernel.db.DatabaseFailure;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.migration.SchemaVersion;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks the database, as the engine would meet it: directly, through a pooler, on a primary or a standby.
 *
 * @param isOwn whether the operator named it, rather than the embedded one
 */
record DatabaseChecks(SetupQueries queries, boolean isOwn, int poolSize, Clock clock) {
    private static final int OLDEST_SERVER = 150_000;
    private static final Duration FAR = Duration.ofMillis(5);
    private static final Duration SLOW = Duration.ofMillis(100);
    private static final Duration WRONG = Duration.ofSeconds(1);

    List<Finding> run() {
        try {
            var facts = queries.read();
            var findings = new ArrayList<>(List.of(server(facts), distance(facts.roundTrip())));
            if (!facts.commit().isZero()) {
                findings.add(commits(facts.commit()));
            }
            findings.addAll(List.of(
                    clocks(Duration.between(facts.now(), clock.instant())
                            .minus(facts.roundTrip().dividedBy(2))),
                    schema(facts.schema()),
                    connections(facts),
                    backup(facts)));
            if (facts.isPooled()) {
                findings.add(pooler(facts.isDirectPooled()));
            }
            if (!facts.isStandby() && !facts.isDirectPooled() && !facts.commit().equals(SetupQueries.NEVER)) {
                findings.add(notifications(facts.receivesNotifications()));
            }
            if (facts.hasCitus()) {
                findings.addAll(servers());
            }
            return findings;
        } catch (DatabaseFailure e) {
            return List.of(Finding.fail("database", "%s%s", oneLine(e), isOwn ? ". Check ENGINE_DATABASE_URL" : ""));
        }
    }

    static String oneLine(Exception e) {
        return String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", " ");
    }

    private static Finding server(Facts facts) {
        if (facts.number() < OLDEST_SERVER) {
            return Finding.fail("database", "PostgreSQL %s is too old: use 15 or newer", facts.version());
        } else if (!facts.encoding().equals("UTF8")) {
            return Finding.fail(
                    "database",
                    "its encoding is %s: create it with ENCODING 'UTF8' TEMPLATE template0",
                    facts.encoding());
        } else if (facts.isStandby() || facts.isReadOnly()) {
            return Finding.fail(
                    "database",
                    "it is %s: name all hosts in ENGINE_DATABASE_URL and add targetServerType=primary",
                    facts.isStandby() ? "a standby, which takes no writes" : "read-only");
        }
        return Finding.ok("database", "PostgreSQL %s, a primary, %s", facts.version(), facts.size());
    }

    private static Finding distance(Duration roundTrip) {
        var words = "a round trip takes %.1f ms".formatted(roundTrip.toNanos() / 1e6);
        return roundTrip.compareTo(FAR) > 0
                ? Finding.warn("distance", "%s, and a call makes one or two: run the engine near the database", words)
                : Finding.ok("distance", "%s", words);
    }

    private static Finding commits(Duration commit) {
        if (commit.equals(SetupQueries.NEVER)) {
            return Finding.fail(
                    "commits",
                    "a commit does not end within %d s: the primary's disk hangs, or its synchronous standby is missing (pg_stat_replication): docs/alerts.md#commits",
                    commit.toSeconds());
        }
        var words = "a commit takes %.1f ms".formatted(commit.toNanos() / 1e6);
        return commit.compareTo(SLOW) > 0
                ? Finding.warn(
                        "commits",
                        "%s: the primary's disk or its synchronous standby is slow: docs/alerts.md#commits",
                        words)
                : Finding.ok("commits", "%s", words);
    }

    private static Finding clocks(Duration ahead) {
        var size = ahead.abs();
        var words = "this machine's is %.1f s %s the database's"
                .formatted(size.toMillis() / 1e3, ahead.isNegative() ? "behind" : "ahead of");
        return size.compareTo(WRONG) > 0
                ? Finding.warn(
                        "clock",
                        "%s. The engine uses the database's; logs and certificates go by this one: synchronize both (NTP)",
                        words)
                : Finding.ok("clock", "it agrees with the database's");
    }

    private static Finding schema(SchemaVersion schema) {
        if (schema.isBeforeFirstRelease()) {
            return Finding.fail(
                    "schema",
                    "version %d is from before the first release, and is not upgraded: use a new database or data folder",
                    schema.version());
        } else if (schema.version() == 0) {
            return Finding.note("schema", "the database is empty: the first start creates version %d", schema.newest());
        } else if (schema.version() < schema.newest()) {
            return Finding.note(
                    "schema",
                    "version %d: the next start upgrades it to %d. Make a backup first",
                    schema.version(),
                    schema.newest());
        }
        return schema.version() > schema.newest()
                ? Finding.warn(
                        "schema",
                        "version %d is of a newer engine than this one, which knows %d",
                        schema.version(),
                        schema.newest())
                : Finding.ok("schema", "version %d, the newest", schema.version());
    }

    private Finding pooler(boolean isDirectPooled) {
        if (!isDirectPooled) {
            return Finding.ok(
                    "pooler",
                    "ENGINE_DATABASE_URL leads through a pooler of transactions, ENGINE_DATABASE_NOTIFY_URL past it");
        } else if (queries.direct() != null) {
            return Finding.fail(
                    "pooler",
                    "ENGINE_DATABASE_NOTIFY_URL leads through a pooler of transactions, which passes no notifications on: let it lead to the primary directly");
        }
        return Finding.fail(
                "pooler",
                "ENGINE_DATABASE_URL leads through a pooler of transactions, where a statement can run in the session of another client, and no notifications arrive: pool sessions instead (PgBouncer: pool_mode = session), or set ENGINE_DATABASE_NOTIFY_URL and the pooler's connect_query (docs/operations.md#an-external-postgresql). Then restart the engine");
    }

    private static Finding notifications(boolean arrive) {
        return arrive
                ? Finding.ok("notifications", "they arrive, so each connection is one session")
                : Finding.fail(
                        "notifications",
                        "they do not arrive, so a replica would not learn of revoked keys: connect directly, or through a pooler of sessions (PgBouncer: pool_mode = session), or set ENGINE_DATABASE_NOTIFY_URL");
    }

    private Finding connections(Facts facts) {
        var each = poolSize + Db.BESIDE_THE_POOL;
        var words = "%d of %d are open, and each replica opens %d"
                .formatted(facts.connections(), facts.mostConnections(), each);
        return facts.connections() + each > facts.mostConnections()
                ? Finding.warn("connections", "%s: raise max_connections, or lower ENGINE_DATABASE_POOL_SIZE", words)
                : Finding.ok("connections", "%s", words);
    }

    /** Returns whether the servers of a cluster are as they should be; nothing if all tables are on one server. */
    private List<Finding> servers() {
        var direct = queries.direct();
        try (var cluster = ClusterQueries.begin(
                direct == null ? queries.url() : direct, queries.user(), queries.password(), SetupQueries.NEVER)) {
            return new Distribution(cluster)
                    .state()
                    .map(DatabaseChecks::servers)
                    .orElse(List.of());
        } catch (DatabaseFailure e) {
            return List.of(Finding.fail("servers", "the state of the cluster cannot be read: %s", oneLine(e)));
        }
    }

    private static List<Finding> servers(Distribution.State state) {
        var findings = new ArrayList<Finding>();
        state.unreached().forEach(words -> findings.add(Finding.fail("servers", "%s. Its tenants wait", words)));
        state.problems().forEach(words -> findings.add(Finding.warn("servers", "%s", words)));
        return findings.isEmpty() ? List.of(Finding.ok("servers", "%s", state.words())) : findings;
    }

    private static Finding backup(Facts facts) {
        if (!facts.isArchiving()) {
            return Finding.note(
                    "backup",
                    "the database does not archive its log; whether pg_dump runs regularly cannot be seen here");
        } else if (facts.isArchivingFailed() || facts.archived() == null) {
            return Finding.warn("backup", "archiving of the log fails, or has not begun: see pg_stat_archiver");
        }
        return Finding.ok("backup", "the log was archived last at %s", facts.archived());
    }
}
