package io.agentworkspace.engine.app;

import io.agentworkspace.engine.app.settings.Settings;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.TimeLimits;
import io.agentworkspace.engine.kernel.db.embedded.EmbeddedPostgres;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The database's address, and the credentials to log in with.
 *
 * @param direct address for notifications, past a pooler of transactions; null: the same
 * @param files identifies the files of an embedded database; empty for another one
 */
record DatabaseSource(
        String url,
        @Nullable String user,
        @Nullable String password,
        @Nullable String direct,
        String files) {
    static DatabaseSource of(String url, @Nullable String direct) {
        return new DatabaseSource(url, null, null, direct, "");
    }

    static DatabaseSource of(EmbeddedPostgres postgres) {
        return new DatabaseSource(postgres.jdbcUrl(), postgres.user(), postgres.password(), null, postgres.files());
    }

    private static DatabaseSource of(EmbeddedPostgres.ConnectionDetails access) {
        return new DatabaseSource(access.jdbcUrl(), access.user(), access.password(), null, "");
    }

    /**
     * Runs a command on the database that the settings name, else on the embedded one. If that is not running, it is
     * started.
     */
    static <T> T with(Settings settings, Function<DatabaseSource, T> work) {
        var running = running(settings);
        if (running.isPresent()) {
            return work.apply(running.get());
        }
        try (var postgres = EmbeddedPostgres.start(settings.database().dataDir())) {
            return work.apply(of(postgres));
        }
    }

    /** Returns the database that the settings name, else the embedded one if it is running. */
    static Optional<DatabaseSource> running(Settings settings) {
        var url = settings.database().url();
        return url == null
                ? EmbeddedPostgres.running(settings.database().dataDir()).map(DatabaseSource::of)
                : Optional.of(of(url, settings.database().notifyUrl()));
    }

    Db open(int poolSize, Duration timeout) {
        return new Db(url, user, password, direct, poolSize, TimeLimits.of(timeout));
    }
}
