package io.agentworkspace.engine.memory.banks.transfer.formats;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Reads the times that programs write: seconds, milliseconds, microseconds or nanoseconds since 1970, dates, and
 * times with or without an offset. A time without an offset is UTC.
 */
final class Times {
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,19}(\\.\\d{1,12})?");
    private static final int LONGEST = 64;

    /** The greatest number of seconds: the year 5138. A greater number counts a smaller unit. */
    private static final double MOST_SECONDS = 1e11;

    /** Milliseconds, microseconds and nanoseconds. */
    private static final int SMALLER_UNITS = 3;

    /** ISO 8601 with an offset in one of its shorter forms, such as +0200. */
    private static final DateTimeFormatter SHORT_OFFSET = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE_TIME)
            .appendPattern("[XXX][XX][X]")
            .toFormatter(Locale.ROOT);

    private static final DateTimeFormatter MONTH_NAME = DateTimeFormatter.ofPattern("MMMM d, uuuu", Locale.ENGLISH);
    private static final DateTimeFormatter SHORT_MONTH_NAME =
            DateTimeFormatter.ofPattern("MMM d, uuuu", Locale.ENGLISH);

    private static final List<Function<String, Instant>> FORMS = List.of(
            text -> OffsetDateTime.parse(text).toInstant(),
            text -> OffsetDateTime.parse(text, SHORT_OFFSET).toInstant(),
            text -> LocalDateTime.parse(text).toInstant(ZoneOffset.UTC),
            text -> LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant(),
            text -> OffsetDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant(),
            text -> LocalDate.parse(text, MONTH_NAME)
                    .atStartOfDay(ZoneOffset.UTC)
                    .toInstant(),
            text -> LocalDate.parse(text, SHORT_MONTH_NAME)
                    .atStartOfDay(ZoneOffset.UTC)
                    .toInstant());

    private Times() {}

    /** Returns the time; empty if there is none, or it cannot be understood. */
    static Optional<Instant> of(JsonNode value) {
        return value.isNumber()
                ? ofNumber(value.doubleValue())
                : value.isString() ? of(value.asString()) : Optional.empty();
    }

    static Optional<Instant> of(String raw) {
        var text = raw.strip();
        if (text.isEmpty() || text.length() > LONGEST) {
            return Optional.empty();
        }
        if (NUMBER.matcher(text).matches() && text.length() > 4) {
            return ofNumber(Double.parseDouble(text));
        }
        var iso = text.replaceFirst("^(\\d{4})/(\\d{2})/(\\d{2})", "$1-$2-$3")
                .replaceFirst("^(\\d{4}-\\d{2}-\\d{2}) +(?=\\d)", "$1T")
                .replaceFirst(" ?(UTC|GMT)$", "Z")
                .replaceFirst("(\\d) (?=[+-]\\d{2})", "$1")
                .replaceFirst("^(\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{9})\\d+", "$1");
        return FORMS.stream().flatMap(form -> parsed(form, iso).stream()).findFirst();
    }

    private static Optional<Instant> parsed(Function<String, Instant> form, String text) {
        try {
            return Optional.of(form.apply(text)).filter(Times::isPlausible);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Optional<Instant> ofNumber(double number) {
        var seconds = number;
        for (var unit = 0; unit < SMALLER_UNITS && Math.abs(seconds) >= MOST_SECONDS; unit++) {
            seconds /= 1_000;
        }
        if (!(Math.abs(seconds) < MOST_SECONDS)) {
            return Optional.empty();
        }
        return Optional.of(Instant.ofEpochMilli(Math.round(seconds * 1_000))).filter(Times::isPlausible);
    }

    /** Returns whether the database can store it, and it is no counter that begins at 0. */
    private static boolean isPlausible(Instant time) {
        var year = time.atOffset(ZoneOffset.UTC).getYear();
        return year > 1970 && year < 9_999 || year == 1970 && time.getEpochSecond() > 0;
    }
}
