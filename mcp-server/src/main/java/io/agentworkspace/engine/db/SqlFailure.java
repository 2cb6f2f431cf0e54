package io.agentworkspace.engine.db;

import java.sql.SQLException;

/** A statement failed. Bound values are user content, so neither the message nor the cause contains them. */
public final class SqlFailure extends RuntimeException {
    SqlFailure(SQLException cause) {
        super("a statement failed, state " + cause.getSQLState(), cause);
    }
}
