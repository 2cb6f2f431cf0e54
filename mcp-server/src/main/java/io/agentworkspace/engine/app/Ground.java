package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.calls.runner.IdempotencyStore;
import io.agentworkspace.engine.identity.account.PlanLimits;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.DatabaseClock;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.TableStatistics;
import io.agentworkspace.engine.kernel.db.embedded.EmbeddedPostgres;
import io.agentworkspace.engine.kernel.db.migration.Migrations;
import io.agentworkspace.engine.kernel.events.EventLog;
import io.agentworkspace.engine.kernel.events.RestoreStore;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.metrics.Metrics;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * What every feature may need: the database with the current schema, its secrets, what notices changed callers and a
 * restore, the log of events, and the permits of work that others size.
 */
public record Ground(
        Settings settings,
        PublicAddresses published,
        Db db,
        Contexts contexts,
        CallerChanges watch,
        RestoreStore restores,
        Vault vault,
        EventLog events,
        HeavyWork heavy,
        Clock clock) {
    private static final Duration FIVE_SECONDS = Duration.ofSeconds(5);

    /**
     * @param upgrading learns whether the schema is being changed
     * @param keep takes what is closed with the engine
     */
    static Ground open(
            Settings settings,
            PublicAddresses published,
            Consumer<Boolean> upgrading,
            Clock clock,
            Consumer<AutoCloseable> keep) {
        var source = source(settings, keep);
        var db = source.open(settings.database().poolSize(), settings.database().timeout());
        keep.accept(db);
        db.awaitReachable(settings.database().longestWait());
        var watch = new CallerChanges(db);
        keep.accept(watch);
        watch.awaitFirst(); // Before the migrations, whose locks also require one session.
        Migrations.run(db, () -> upgrading.accept(true));
        upgrading.accept(false);
        if (clock instanceof DatabaseClock shared) {
            shared.adjust(db);
        }
        var restores = new RestoreStore(db, clock, source.files());
        restores.notice(); // Before anything gets a number.
        PlanLimits.publish(db);
        var vault =
                new Vault(db, settings.secrets().masterKeys(settings.database().dataDir()));
        vault.check();
        return new Ground(
                settings,
                published,
                db,
                new Contexts(db),
                watch,
                restores,
                vault,
                new EventLog(),
                HeavyWork.ofMachine(),
                clock);
    }

    private static DatabaseSource source(Settings settings, Consumer<AutoCloseable> keep) {
        if (settings.database().url() != null) {
            return DatabaseSource.of(
                    settings.database().url(), settings.database().notifyUrl());
        }
        var embedded = EmbeddedPostgres.start(settings.database().dataDir());
        keep.accept(embedded);
        return DatabaseSource.of(embedded);
    }

    /** What the database itself needs from time to time, and its figures. */
    Feature feature() {
        var feature = new Feature()
                .background(work -> work.whileOpen(
                                FIVE_SECONDS, "collecting statistics of tables", new TableStatistics(db)::collect)
                        .clearing("idempotency keys", new IdempotencyStore(db)::purge)
                        .clearing("contexts", new ContextStore(db)::purge)
                        .whileOpen(FIVE_SECONDS, "noticing a restore", restores::notice))
                .metrics(this::figures);
        if (clock instanceof DatabaseClock shared) {
            feature.background(work ->
                    work.whileOpen(Duration.ofSeconds(10), "reading the database's clock", () -> shared.adjust(db)));
        }
        return feature;
    }

    private void figures(Metrics metrics) {
        metrics.gauges("engine_db_connections", "Connections to the database.", "state")
                .with("active", db::active)
                .with("idle", db::idle);
        metrics.gauge(
                "engine_db_connections_max", "Connections that there may be (ENGINE_DATABASE_POOL_SIZE).", db::most);
        metrics.gauge("engine_db_calls_waiting", "Calls that wait for a connection.", db::waiting);
        metrics.latency("engine_db_wait_seconds", "How long calls waited for a connection.", db.waits());
        metrics.gauge(
                "engine_heavy_calls_waiting",
                "Searches and other calls with much work that wait for their turn.",
                heavy::waiting);
    }
}
