package io.agentworkspace.engine.db;

/** The database cannot be used. The message is one line for the operator who started the engine. */
public final class DatabaseFailure extends RuntimeException {
    DatabaseFailure(String message) {
        super(message);
    }

    DatabaseFailure(String message, Throwable cause) {
        super(message, cause);
    }

    /** @param doing what failed, such as "cannot be upgraded to the current schema" */
    static DatabaseFailure of(String doing, Throwable failure) {
        var said = SqlState.of(failure);
        var what = Outage.of(said.code())
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
}
