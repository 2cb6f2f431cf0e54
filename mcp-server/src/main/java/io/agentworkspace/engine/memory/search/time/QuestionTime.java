package io.agentworkspace.engine.memory.search.time;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Month;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the time that a question in English names, by rules: {@code last week}, {@code two months ago}, {@code on 3 May}, {@code since
 * 2025}. A month or day without a year is the last one that has begun.
 */
public final class QuestionTime {
    private static final String MONTHS = names(Month.values());
    private static final String DAYS = names(DayOfWeek.values());
    private static final String UNIT = "(?<unit>days?|weeks?|months?|years?)";
    private static final List<String> NUMBERS = List.of(
            "", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve");
    private static final String COUNT = "(?<count>\\d{1,3}|an?|a couple of|a few" + String.join("|", NUMBERS) + ")";
    private static final int MOST_COUNT = 365;

    /** What a word for some means. */
    private static final int SEVERAL = 3;

    /** A month's name can be another word, as may: alone, it counts only behind one of these. */
    private static final String AT = "(?:in|of|during|since|before|after|until|till|by|from|last|early|late|mid) ";

    private static final Pattern EVENT = Pattern.compile(
            "\\b(?<side>before|after|since) (?<event>[\\p{L}\\d][^?!,;:]{2,80}?)(?=[?!,;:]|\\.?$)",
            Pattern.CASE_INSENSITIVE);

    private static final List<Form> FORMS = List.of(
            form(
                    "(?<year>\\d{4})-(?<number>\\d\\d)-(?<day>\\d\\d)",
                    (found, _) -> Days.of(
                            LocalDate.of(number(found, "year"), number(found, "number"), number(found, "day")))),
            form(
                    "(?<day>\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?<month>" + MONTHS + ")(?:,? (?<year>\\d{4}))?",
                    QuestionTime::day),
            form(
                    "(?<month>" + MONTHS + ") (?<day>\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (?<year>\\d{4}))?",
                    QuestionTime::day),
            form("(?<month>" + MONTHS + "),? (?<year>\\d{4})", QuestionTime::month),
            form(AT + "(?<month>" + MONTHS + ")", QuestionTime::month),
            form("day before yesterday", (_, today) -> Days.of(today.minusDays(2))),
            form("yesterday|last night", (_, today) -> Days.of(today.minusDays(1))),
            form("today|this morning|tonight", (_, today) -> Days.of(today)),
            form("last weekend", (_, today) -> weekend(today)),
            form("this (?<unit>week|month|year)", (found, today) -> Days.ago(today, 0, unit(found))),
            form("(?:last|previous) (?<unit>week|month|year)", (found, today) -> Days.ago(today, 1, unit(found))),
            form("(?:last|past) " + COUNT + " " + UNIT, (found, today) -> Days.past(today, count(found), unit(found))),
            form("past (?<unit>week|month|year)", (found, today) -> Days.past(today, 1, unit(found))),
            form(COUNT + " " + UNIT + " ago", (found, today) -> Days.ago(today, count(found), unit(found))),
            form(
                    "(?:on|last|since|before|after) (?<weekday>" + DAYS + ")",
                    (found, today) ->
                            Days.of(today.with(TemporalAdjusters.previous(DayOfWeek.valueOf(word(found, "weekday")))))),
            form(
                    "(?:in|during|since|before|after|of) (?<year>(?:19|20)\\d\\d)",
                    (found, _) -> Days.around(LocalDate.of(number(found, "year"), 1, 1), Days.Unit.YEAR)));

    private QuestionTime() {}

    /** A way to name days. */
    private record Form(Pattern pattern, BiFunction<MatchResult, LocalDate, Days> days) {}

    /**
     * An event that a question names as the end or the beginning of a time.
     *
     * @param isBefore whether the time ends there
     */
    public record Event(String text, boolean isBefore) {
        /** Returns the time before or after it. */
        public TimeSpan from(Instant moment) {
            return isBefore ? new TimeSpan(null, moment.minusMillis(1)) : new TimeSpan(moment, null);
        }
    }

    /** Returns the time that the question names. */
    public static Optional<TimeSpan> of(String question, Instant now, ZoneId zone) {
        var today = now.atZone(zone).toLocalDate();
        var text = question.replaceAll("\\s+", " ");
        return FORMS.stream()
                .flatMap(form -> span(form, text, today, zone).stream())
                .findFirst();
    }

    /** Returns the event before or after which the question asks, if it names no other time. */
    public static Optional<Event> event(String question) {
        var found = EVENT.matcher(question.replaceAll("\\s+", " ").strip());
        return found.find()
                ? Optional.of(
                        new Event(found.group("event"), found.group("side").equalsIgnoreCase("before")))
                : Optional.empty();
    }

    private static Optional<TimeSpan> span(Form form, String text, LocalDate today, ZoneId zone) {
        var found = form.pattern().matcher(text);
        if (!found.find()) {
            return Optional.empty();
        }
        try {
            var days = form.days().apply(found.toMatchResult(), today);
            return Optional.of(
                    switch (side(text.substring(0, found.start()), found.group())) {
                        case "before", "until", "till", "by" -> days.before(zone);
                        case "after" -> days.after(zone);
                        case "since" -> days.since(zone);
                        default -> days.during(zone);
                    });
        } catch (DateTimeException e) {
            return Optional.empty(); // There is no such day, as 31 June.
        }
    }

    /** Returns the word that says on which side of the days the time is. */
    private static String side(String before, String found) {
        var first = found.split(" ", 2)[0].toLowerCase(Locale.ROOT);
        if (List.of("before", "until", "till", "by", "after", "since").contains(first)) {
            return first;
        }
        var words = before.strip().toLowerCase(Locale.ROOT).replaceFirst(" the$", "");
        return words.substring(words.lastIndexOf(' ') + 1);
    }

    private static Form form(String pattern, BiFunction<MatchResult, LocalDate, Days> days) {
        return new Form(Pattern.compile("\\b(?:" + pattern + ")\\b", Pattern.CASE_INSENSITIVE), days);
    }

    private static String names(Enum<?>[] values) {
        return Arrays.stream(values)
                .map(Enum::name)
                .flatMap(QuestionTime::withShort)
                .collect(Collectors.joining("|"));
    }

    private static Stream<String> withShort(String name) {
        return Arrays.stream(Month.values()).anyMatch(month -> month.name().equals(name))
                ? Stream.of(name, name.substring(0, 3)).distinct()
                : Stream.of(name);
    }

    private static String word(MatchResult found, String group) {
        return found.group(group).toUpperCase(Locale.ROOT);
    }

    private static int number(MatchResult found, String group) {
        return Integer.parseInt(found.group(group));
    }

    private static Days.Unit unit(MatchResult found) {
        return Days.Unit.of(found.group("unit"));
    }

    private static long count(MatchResult found) {
        var word = found.group("count").toLowerCase(Locale.ROOT);
        if (Character.isDigit(word.charAt(0))) {
            return Math.min(MOST_COUNT, Long.parseLong(word));
        }
        return switch (word) {
            case "a", "an" -> 1;
            case "a couple of" -> 2;
            case "a few" -> SEVERAL;
            default -> NUMBERS.indexOf(word);
        };
    }

    private static Days day(MatchResult found, LocalDate today) {
        var day = number(found, "day");
        var month = month(found);
        var year = year(found);
        var date = LocalDate.of(year == null ? today.getYear() : year, month, day);
        return Days.of(year == null && date.isAfter(today) ? date.minusYears(1) : date);
    }

    private static Days month(MatchResult found, LocalDate today) {
        var year = found.namedGroups().containsKey("year") ? year(found) : null;
        var first = LocalDate.of(year == null ? today.getYear() : year, month(found), 1);
        return Days.around(year == null && first.isAfter(today) ? first.minusYears(1) : first, Days.Unit.MONTH);
    }

    private static Month month(MatchResult found) {
        var name = word(found, "month");
        return Arrays.stream(Month.values())
                .filter(month -> month.name().startsWith(name))
                .findFirst()
                .orElseThrow();
    }

    private static @Nullable Integer year(MatchResult found) {
        return found.group("year") == null ? null : (Integer) number(found, "year");
    }

    private static Days weekend(LocalDate today) {
        var sunday = today.with(TemporalAdjusters.previous(DayOfWeek.SUNDAY));
        return new Days(sunday.minusDays(1), sunday.plusDays(1));
    }
}
