package io.agentworkspace.engine.app;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.embedded.EmbeddedPostgres;
import io.agentworkspace.engine.settings.Settings;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The database's address, and the credentials to log in with. */
record DatabaseSource(
        String url, @Nullable String user, @Nullable String password) {
    static DatabaseSource of(EmbeddedPostgres.ConnectionDetails access) {
        return new DatabaseSource(access.jdbcUrl(), access.user(), access.password());
    }

    /**
     * Runs a command on the database that the settings name, else on the embedded one. If that is not running, it is
     * started.
     */
    static <T> T with(Settings settings, Function<DatabaseSource, T> work) {
        if (settings.database().url() != null) {
            return work.apply(new DatabaseSource(settings.database().url(), null, null));
        }
        var running = EmbeddedPostgres.running(settings.database().dataDir());
        if (running.isPresent()) {
            return work.apply(of(running.get()));
        }
        try (var postgres = EmbeddedPostgres.start(settings.database().dataDir())) {
            return work.apply(of(postgres.access()));
        }
    }

    Db open(int poolSize) {
        return new Db(url, user, password, poolSize);
    }
}
