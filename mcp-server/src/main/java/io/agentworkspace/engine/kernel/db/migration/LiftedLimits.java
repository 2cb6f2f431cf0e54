package io.agentworkspace.engine.kernel.db.migration;

import io.agentworkspace.engine.kernel.db.Db;
import java.sql.SQLException;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.BaseCallback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/** Lifts the limits of time on each connection of the migrations: on large tables they take as long as they need. */
final class LiftedLimits extends BaseCallback {
    @Override
    public boolean supports(Event event, Context context) {
        return event == Event.AFTER_CONNECT;
    }

    @Override
    public void handle(Event event, Context context) {
        try (var statement = context.getConnection().createStatement()) {
            statement.execute(Db.WITHOUT_LIMITS);
        } catch (SQLException e) {
            throw new FlywayException("the limits of time cannot be lifted", e);
        }
    }
}
