package io.agentworkspace.engine;

import io.agentworkspace.engine.postgres.EmbeddedPostgres;
import io.agentworkspace.engine.store.CallersWatch;
import io.agentworkspace.engine.store.Db;
import io.agentworkspace.engine.store.Signals;
import org.jspecify.annotations.Nullable;

/** Where the database is, and who we are there. */
record Source(String url, @Nullable String user, @Nullable String password) {
    static Source of(EmbeddedPostgres.Access access) {
        return new Source(access.jdbcUrl(), access.user(), access.password());
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
