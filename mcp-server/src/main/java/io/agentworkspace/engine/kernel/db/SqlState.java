package io.agentworkspace.engine.kernel.db;

import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How the database or the driver reported a failure.
 *
 * @param code the SQLSTATE (PostgreSQL, appendix A); empty if there is none, as at the pool's time-out;
 *     {@code none} if the database did not fail
 * @param words the first line of the message, without values of the statement
 */
record SqlState(String code, String words) {
    static SqlState of(Throwable failure) {
        var said = causes(failure)
                .filter(SQLException.class::isInstance)
                .map(SQLException.class::cast)
                .toList();
        return said.stream()
                .filter(cause -> cause.getSQLState() != null)
                .reduce((_, deepest) -> deepest)
                .map(cause -> new SqlState(cause.getSQLState(), words(cause)))
                .orElseGet(() -> said.isEmpty()
                        ? new SqlState("none", words(failure))
                        : new SqlState("", words(said.getLast())));
    }

    private static Stream<Throwable> causes(Throwable failure) {
        return Stream.<@Nullable Throwable>iterate(
                        failure, Objects::nonNull, cause -> cause == null ? null : cause.getCause())
                .map(Objects::requireNonNull);
    }

    private static String words(Throwable failure) {
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
    }
}
