package io.agentworkspace.engine.app;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.embedded.EmbeddedPostgres;
import io.agentworkspace.engine.settings.Settings;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The database's address, and the credentials to log in with.
 *
 * @param files identifies the files of an embedded database; empty for another one
 */
record DatabaseSource(
        String url, @Nullable String user, @Nullable String password, String files) {
    static DatabaseSource of(String url) {
        return new DatabaseSource(url, null, null, "");
    }

    static DatabaseSource of(EmbeddedPostgres postgres) {
        return new DatabaseSource(postgres.jdbcUrl(), postgres.user(), postgres.password(), postgres.files());
    }

    private static DatabaseSource of(EmbeddedPostgres.ConnectionDetails access) {
        return new DatabaseSource(access.jdbcUrl(), access.user(), access.password(), "");
    }

    /**
     * Runs a command on the database that the settings name, else on the embedded one. If that is not running, it is
     * started.
     */
    static <T> T with(Settings settings, Function<DatabaseSource, T> work) {
        if (settings.database().url() != null) {
            return work.apply(of(settings.database().url()));
        }
        var running = EmbeddedPostgres.running(settings.database().dataDir());
        if (running.isPresent()) {
            return work.apply(of(running.get()));
        }
        try (var postgres = EmbeddedPostgres.start(settings.database().dataDir())) {
            return work.apply(of(postgres));
        }
    }

    Db open(int poolSize) {
        return new Db(url, user, password, poolSize);
    }
}
