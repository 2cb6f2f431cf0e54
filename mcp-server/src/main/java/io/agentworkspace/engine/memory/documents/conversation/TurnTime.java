package io.agentworkspace.engine.memory.documents.conversation;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Reads the times of turns. A time without an offset is in UTC. */
final class TurnTime {
    private static final Instant EARLIEST = Instant.parse("1900-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");

    /** Larger numbers are milliseconds: in seconds they would be after the year 5000. */
    private static final double MOST_SECONDS = 1e11;

    private static final int MILLIS = 1_000;

    private static final List<Function<String, Instant>> FORMS = List.of(
            text -> OffsetDateTime.parse(text).toInstant(),
            text -> LocalDateTime.parse(text).toInstant(ZoneOffset.UTC),
            text -> LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant());

    private TurnTime() {}

    /** Reads ISO 8601, with a space or T before the time of day. */
    static Optional<Instant> of(String text) {
        var time = text.strip()
                .replaceFirst("^(\\d{4}-\\d\\d-\\d\\d) (?=\\d)", "$1T")
                .replaceFirst(" (?=Z|[+-]\\d)", "");
        for (var form : FORMS) {
            try {
                return Optional.of(form.apply(time)).filter(TurnTime::isPossible);
            } catch (DateTimeException e) {
                continue; // It may have another form.
            }
        }
        return Optional.empty();
    }

    /** Reads a text as above, or seconds or milliseconds since 1970. */
    static Optional<Instant> of(JsonNode value) {
        if (value.isString()) {
            return of(value.asString());
        }
        var number = value.asDouble(Double.NaN);
        if (!value.isNumber() || !(Math.abs(number) < MOST_SECONDS * MILLIS)) {
            return Optional.empty();
        }
        var millis = Math.abs(number) < MOST_SECONDS ? number * MILLIS : number;
        return Optional.of(Instant.ofEpochMilli((long) millis)).filter(TurnTime::isPossible);
    }

    /** Returns the day, which names a session without a title. */
    static String day(Instant time) {
        return time.atZone(ZoneOffset.UTC).toLocalDate().toString();
    }

    private static boolean isPossible(Instant time) {
        return !time.isBefore(EARLIEST) && time.isBefore(LATEST);
    }
}
