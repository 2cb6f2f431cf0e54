package io.agentworkspace.engine.kernel.db;

import java.util.Set;

/** The database cannot be used. The message is one line for the operator who started the engine. */
public final class DatabaseFailure extends RuntimeException {
    /** What to configure where a connection is not the same session all the time. */
    static final String CONNECT =
            "Connect to PostgreSQL directly, or through a pooler that pools sessions (PgBouncer: pool_mode = session); or set ENGINE_DATABASE_NOTIFY_URL";

    /** A prepared statement exists already, or no longer: the statements of a connection run in several sessions. */
    private static final Set<String> OTHER_SESSION = Set.of("42P05", "26000");

    public DatabaseFailure(String message) {
        super(message);
    }

    public DatabaseFailure(String message, Throwable cause) {
        super(message, cause);
    }

    /** @param doing what failed, such as "cannot be upgraded to the current schema" */
    public static DatabaseFailure of(String doing, Throwable failure) {
        var said = SqlState.of(failure);
        if (isOtherSession(failure)) {
            return lostNotifications(failure);
        }
        var what = Outage.of(said)
                .map(outage -> switch (outage) {
                    case UNREACHABLE -> "cannot be reached";
                    case FULL -> "has no room left";
                    case READ_ONLY -> "is read-only";
                    default -> doing;
                })
                .orElse(doing);
        return new DatabaseFailure(
                "the database %s: %s".formatted(what, said.words().strip()), failure);
    }

    /** Returns whether the failure means that a pooler runs the statements of one connection in several sessions. */
    public static boolean isOtherSession(Throwable failure) {
        return OTHER_SESSION.contains(SqlState.of(failure).code());
    }

    /** Notifications do not arrive. Without them, callers whose key was revoked would stay cached. */
    public static DatabaseFailure lostNotifications(Throwable reason) {
        return new DatabaseFailure(
                "the database's notifications (NOTIFY) do not arrive, so a replica would not learn of revoked keys. "
                        + CONNECT,
                reason);
    }

    /** No notification has arrived in time, though none was lost. */
    static DatabaseFailure lateNotifications(Throwable reason) {
        return new DatabaseFailure(
                "no notification (NOTIFY) of the database has arrived within a minute: it is slow, or a pooler holds them back. "
                        + CONNECT,
                reason);
    }
}
