package io.agentworkspace.engine.memory.search.time;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.Period;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.Locale;

/**
 * Some days on end.
 *
 * @param first the first of them
 * @param next the day after the last
 */
record Days(LocalDate first, LocalDate next) {
    /** A part of the calendar. */
    enum Unit {
        DAY(Period.ofDays(1)),
        WEEK(Period.ofWeeks(1)),
        MONTH(Period.ofMonths(1)),
        YEAR(Period.ofYears(1));

        private final Period length;

        Unit(Period length) {
            this.length = length;
        }

        static Unit of(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT).replaceFirst("S$", ""));
        }
    }

    static Days of(LocalDate day) {
        return new Days(day, day.plusDays(1));
    }

    /** Returns the whole day, week, month or year that a day is in. Weeks begin on Monday. */
    static Days around(LocalDate day, Unit unit) {
        var first = switch (unit) {
            case DAY -> day;
            case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTH -> day.withDayOfMonth(1);
            case YEAR -> day.withDayOfYear(1);
        };
        return new Days(first, first.plus(unit.length));
    }

    /** Returns the whole unit so many units before that of today. */
    static Days ago(LocalDate today, long count, Unit unit) {
        return around(today.minus(unit.length.multipliedBy((int) count)), unit);
    }

    /** Returns the last so many units up to now. */
    static Days past(LocalDate today, long count, Unit unit) {
        return new Days(today.minus(unit.length.multipliedBy((int) count)), today.plusDays(1));
    }

    boolean isIn(Days other) {
        return !first.isBefore(other.first) && !next.isAfter(other.next);
    }

    Days yearBefore() {
        return new Days(first.minusYears(1), next.minusYears(1));
    }

    TimeSpan during(ZoneId zone) {
        return new TimeSpan(
                first.atStartOfDay(zone).toInstant(),
                next.atStartOfDay(zone).toInstant().minusMillis(1));
    }

    TimeSpan before(ZoneId zone) {
        return new TimeSpan(null, first.atStartOfDay(zone).toInstant().minusMillis(1));
    }

    TimeSpan after(ZoneId zone) {
        return new TimeSpan(next.atStartOfDay(zone).toInstant(), null);
    }

    TimeSpan since(ZoneId zone) {
        return new TimeSpan(first.atStartOfDay(zone).toInstant(), null);
    }
}
