package io.agentworkspace.engine.db;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Brings the schema up to date; replicas that start together wait for each other. */
public final class Migrations {
    private Migrations() {}

    /** @throws DatabaseFailure when it cannot be done, a line for whoever started the engine */
    public static void run(Db db) {
        try {
            Flyway.configure()
                    .dataSource(db.withoutLimits())
                    .locations("classpath:db/migration")
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw DatabaseFailure.of("cannot be brought up to date", e);
        }
    }
}
