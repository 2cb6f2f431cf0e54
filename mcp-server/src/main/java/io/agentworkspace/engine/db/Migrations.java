package io.agentworkspace.engine.db;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Brings the schema up to date. Replicas that start together wait for each other. */
public final class Migrations {
    private Migrations() {}

    /** @throws DatabaseFailure if it fails; the message is one line for the operator */
    public static void run(Db db) {
        try {
            Flyway.configure()
                    .dataSource(db.withoutLimits())
                    .locations("classpath:db/migration")
                    .lockRetryCount(-1) // However long another replica takes.
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw DatabaseFailure.of("cannot be upgraded to the current schema", e);
        }
        try {
            db.awaitConnection();
        } catch (SqlFailure e) {
            throw DatabaseFailure.of("gives no connection", e);
        }
    }
}
