package io.agentworkspace.engine;

import io.agentworkspace.engine.postgres.EmbeddedPostgres;
import io.agentworkspace.engine.store.CallersWatch;
import io.agentworkspace.engine.store.Db;
import io.agentworkspace.engine.store.Signals;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where the database is, and who we are there. */
record Source(String url, @Nullable String user, @Nullable String password) {
    static Source of(EmbeddedPostgres.Access access) {
        return new Source(access.jdbcUrl(), access.user(), access.password());
    }

    /** For a command: of the database that the settings name, else of the embedded one, which is started where none runs. */
    static <T> T with(Settings settings, Function<Source, T> work) {
        if (settings.databaseUrl() != null) {
            return work.apply(new Source(settings.databaseUrl(), null, null));
        }
        var running = EmbeddedPostgres.running(settings.dataDir());
        if (running.isPresent()) {
            return work.apply(of(running.get()));
        }
        try (var postgres = EmbeddedPostgres.start(settings.dataDir())) {
            return work.apply(of(postgres.access()));
        }
    }

    Db open(int poolSize) {
        return new Db(url, user, password, poolSize);
    }

    CallersWatch watch() {
        return new CallersWatch(url, user, password);
    }

    Signals signals() {
        return new Signals(url, user, password);
    }
}
