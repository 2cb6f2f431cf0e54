package io.agentworkspace.engine.testing;

/** A database that is too busy for some updates. */
public final class BusyDatabase {
    private BusyDatabase() {}

    /** Refuses that many updates of rows for which the condition holds, while it runs the work. */
    public static void refusing(String table, String condition, int times, Runnable work) {
        var db = TestDatabase.db();
        db.sql("CREATE SEQUENCE refusals").run();
        db.sql("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF nextval('refusals') <= %d THEN
                        RAISE EXCEPTION 'busy' USING ERRCODE = 'lock_not_available';
                    END IF;
                    RETURN NEW;
                END $$
                """.formatted(times)).run();
        db.sql("CREATE TRIGGER refuse BEFORE UPDATE ON %s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION refuse()"
                        .formatted(table, condition))
                .run();
        try {
            work.run();
        } finally {
            db.sql("DROP TRIGGER refuse ON " + table).run();
            db.sql("DROP FUNCTION refuse").run();
            db.sql("DROP SEQUENCE refusals").run();
        }
    }
}
