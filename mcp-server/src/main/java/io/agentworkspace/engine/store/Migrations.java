package io.agentworkspace.engine.store;

import org.flywaydb.core.Flyway;

/** Brings the schema up to date, and what the plans allow; replicas that start together wait for each other. */
public final class Migrations {
    private Migrations() {}

    public static void run(Db db) {
        Flyway.configure()
                .dataSource(db.dataSource())
                .locations("classpath:db/migration")
                .load()
                .migrate();
        UsageStore.publish(db);
    }
}
