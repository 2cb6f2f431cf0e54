package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.calls.runner.IdempotencyStore;
import io.agentworkspace.engine.identity.account.PlanLimits;
import io.agentworkspace.engine.kernel.changes.CallerChanges;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.DatabaseClock;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Housekeeping;
import io.agentworkspace.engine.kernel.db.TableStatistics;
import io.agentworkspace.engine.kernel.db.embedded.EmbeddedPostgres;
import io.agentworkspace.engine.kernel.db.migration.Migrations;
import io.agentworkspace.engine.kernel.events.RestoreStore;
import io.agentworkspace.engine.kernel.secrets.Vault;
import io.agentworkspace.engine.web.server.WebServer;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Consumer;

/** The database with the current schema, its secrets, and what notices changed callers and a restore. */
record DatabaseAssembly(Db db, CallerChanges watch, RestoreStore restores, Vault vault) {
    private static final Duration FIVE_SECONDS = Duration.ofSeconds(5);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    /**
     * @param clock follows the database's if it can
     * @param keep takes what is closed with the engine
     */
    static DatabaseAssembly of(
            Settings settings, WebServer server, Clock clock, Consumer<AutoCloseable> keep, Housekeeping housekeeping) {
        var source = source(settings, keep);
        var db = source.open(settings.database().poolSize(), settings.database().timeout());
        keep.accept(db);
        db.awaitReachable(settings.database().longestWait());
        var watch = new CallerChanges(db);
        keep.accept(watch);
        watch.awaitFirst(); // Before the migrations, whose locks also require one session.
        Migrations.run(db, () -> server.upgrading(true));
        server.upgrading(false);
        if (clock instanceof DatabaseClock shared) {
            shared.adjust(db);
            housekeeping.whileOpen(TEN_SECONDS, "reading the database's clock", () -> shared.adjust(db));
        }
        var restores = new RestoreStore(db, clock, source.files());
        restores.notice(); // Before anything gets a number.
        PlanLimits.publish(db);
        var vault =
                new Vault(db, settings.secrets().masterKeys(settings.database().dataDir()));
        vault.check();
        housekeeping
                .whileOpen(FIVE_SECONDS, "collecting statistics of tables", new TableStatistics(db)::collect)
                .clearing("idempotency keys", new IdempotencyStore(db)::purge)
                .clearing("contexts", new ContextStore(db)::purge)
                .whileOpen(FIVE_SECONDS, "noticing a restore", restores::notice);
        return new DatabaseAssembly(db, watch, restores, vault);
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
}
