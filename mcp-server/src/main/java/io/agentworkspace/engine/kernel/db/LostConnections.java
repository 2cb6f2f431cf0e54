package io.agentworkspace.engine.kernel.db;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;

/**
 * Keeps the connections on which the server reported an error and goes on. By its code alone, the pool would take an error of a
 * cluster about a connection between its servers for the loss of this one, and close all of them while one server is away.
 */
final class LostConnections implements SQLExceptionOverride {
    @java.lang.Override // The interface has a type of that name.
    public Override adjudicate(SQLException failure) {
        return failure.getNextException() == null
                        && failure instanceof PSQLException error
                        && error.getServerErrorMessage() != null
                        && "ERROR".equals(error.getServerErrorMessage().getSeverity())
                ? Override.DO_NOT_EVICT
                : Override.CONTINUE_EVICT;
    }
}
