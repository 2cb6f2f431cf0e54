package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.model.problem.Problem;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** The reasons why the database cannot run a statement. Callers receive {@code unavailable}, code 5002. */
enum Outage {
    UNREACHABLE(1, "the database cannot be reached; try again shortly"),
    BUSY(1, "the database is overloaded; try again shortly"),
    CONTESTED(1, "others are changing the same thing, and nothing was done; try again shortly"),
    TOO_LONG(1, "this took the database too long, and nothing was done; request less at once, or try again shortly"),
    EXHAUSTED(5, "the database has run out of memory or connections, and nothing was done; try again shortly"),
    READ_ONLY(10, "the database is read-only at the moment: reads work, changes do not; try again later"),
    FULL(30, "the database has no room left: reads work, changes do not; the operator must make room"),
    SHARED(
            30,
            "the engine shares its connections to the database with other clients, so it uses them no more; the operator must remove the pooler of transactions between them, and restart the engine");

    /** What Citus says when another server is lost. It has no SQLSTATE for that but the one of internal errors. */
    private static final SqlState LOST_SERVER =
            new SqlState("XX000", "ERROR: failure on connection marked as essential");

    private final Duration pause;
    private final String note;

    Outage(int pauseSeconds, String note) {
        this.pause = Duration.ofSeconds(pauseSeconds);
        this.note = note;
    }

    /** Returns the reason for the log. */
    String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    Problem problem() {
        return Problem.unavailable(note, pause);
    }

    /** Returns the meaning of a failure; empty if it means a defect of the service. */
    static Optional<Outage> of(SqlState state) {
        return state.code().equals(LOST_SERVER.code()) && state.words().startsWith(LOST_SERVER.words())
                ? Optional.of(UNREACHABLE)
                : of(state.code());
    }

    /** Returns the meaning of a SQLSTATE (PostgreSQL, appendix A). */
    private static Optional<Outage> of(String code) {
        return Optional.ofNullable(
                switch (code) {
                    case "53100" -> FULL;
                    case "25006" -> READ_ONLY; // A server that has become a standby.
                    case "57014", "25P03" -> TOO_LONG; // Our time limits, as on the next line.
                    case "55P03", "40001", "40P01" -> CONTESTED;
                    case "" -> UNREACHABLE; // The pool's time-out.
                    default ->
                        switch (code.substring(0, 2)) {
                            case "53" -> EXHAUSTED;
                            // No connection; stopped, crashed or starting; login refused; no such database.
                            case "08", "57", "28", "3D" -> UNREACHABLE;
                            default -> null;
                        };
                });
    }
}
