package io.agentworkspace.engine.kernel.db;

import java.sql.SQLException;
import java.util.Set;

/** A statement failed. Bound values are user content, so neither the message nor the cause contains them. */
public final class SqlFailure extends RuntimeException {
    /** No permission; not supported; no such function. */
    private static final Set<String> NOT_OFFERED = Set.of("42501", "0A000", "42883");

    SqlFailure(SQLException cause) {
        super("a statement failed, state " + cause.getSQLState(), cause);
    }

    /** Returns whether the database does not let this role do it, or cannot do it. */
    public boolean isNotOffered() {
        return NOT_OFFERED.contains(SqlState.of(this).code());
    }
}
