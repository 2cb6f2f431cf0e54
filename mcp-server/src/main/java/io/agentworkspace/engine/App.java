package io.agentworkspace.engine;

import io.agentworkspace.engine.postgres.EmbeddedPostgres;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The engine, assembled: for now its database. */
final class App implements AutoCloseable {
    private final Settings settings;
    private final @Nullable EmbeddedPostgres postgres;

    private App(Settings settings, @Nullable EmbeddedPostgres postgres) {
        this.settings = settings;
        this.postgres = postgres;
    }

    /** Returns when it is ready to serve. */
    static App start(Settings settings) {
        return new App(settings, settings.databaseUrl() == null ? EmbeddedPostgres.start(settings.dataDir()) : null);
    }

    /** The public address, as it is published: the setting, else where it listens. */
    String baseUrl() {
        String set = settings.baseUrl();
        return set != null ? set : "http://" + settings.host() + ":" + settings.port();
    }

    /** The key that this start has made, if it was the first on a fresh database. */
    Optional<FirstKey> firstKey() {
        return Optional.empty();
    }

    /** Stops accepting, finishes what is in flight, then stops the database. */
    @Override
    public void close() {
        if (postgres != null) {
            postgres.close();
        }
    }
}
