package io.agentworkspace.engine.memory.search.time;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Month;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
            "\\b(?<!look |looks |looked |looking |named |called |run |runs |ask |asks |asked )(?<side>before|after) (?<event>[\\p{L}\\d][^?!,;:]{2,80}?)(?=[?!,;:]|\\.?$)",
            Pattern.CASE_INSENSITIVE);

    /** Two times that are the ends of one. */
    private static final Pattern RANGE = Pattern.compile(
            "\\b(?:between|from) (?<first>[^?!;]{1,30}?) (?:and|to|until|till|through) (?<last>[^?!;]{3,40})",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern DAY_ALONE = Pattern.compile("(?:the )?(\\d{1,2})(?:st|nd|rd|th)?");

    /** Names of months that in small letters are mostly other words. */
    private static final Set<String> WORDS = Set.of("may", "march", "mar", "sep", "dec", "jan");

    private static final Set<String> BEFORE_DAYS = Set.of(
            "on", "the", "of", "in", "during", "since", "before", "after", "until", "till", "by", "from", "between",
            "to", "last");

    private static final Map<String, String> SIDES = Map.of(
            "before", "before", "until", "before", "till", "before", "by", "before", "after", "after", "since",
            "since");

    private static final Pattern MONTH = Pattern.compile("\\b(?:" + MONTHS + ")\\b", Pattern.CASE_INSENSITIVE);

    /** A number before a noun in the plural counts things. */
    private static final String NO_COUNT = "(?! (?!(?:was|is|has|does|this|as)\\b)\\p{L}+s\\b)";

    private static final int LAST_YEAR = 9999;

    private static final int MOST_YEARS_BACK = 8;

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
                    "(?:in|during|since|before|after|of) (?<year>(?:19|20)\\d\\d)\\b" + NO_COUNT,
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

    /** Days that a question names, and where. */
    private record Named(int start, int end, Days days, String side) {
        boolean overlaps(Named other) {
            return start < other.end && other.start < end;
        }

        boolean isIn(Named other) {
            return days.isIn(other.days) && side.equals(other.side);
        }
    }

    /** Returns the time that the question names. If it names two different ones, neither counts. */
    public static Optional<TimeSpan> of(String question, Instant now, ZoneId zone) {
        var today = now.atZone(zone).toLocalDate();
        var text = question.replaceAll("\\s+", " ");
        var range = range(text, today);
        if (range.isPresent()) {
            return range.map(days -> days.during(zone));
        }
        var all = named(text, today);
        return all.stream()
                .filter(each -> all.stream().allMatch(each::isIn))
                .findFirst()
                .map(each -> span(each, zone));
    }

    /** Returns the time between two that the question names. */
    private static Optional<Days> range(String text, LocalDate today) {
        var found = RANGE.matcher(text);
        while (found.find()) {
            var last = atStart(found.group("last"), today, false);
            var first = last.flatMap(end -> first(found.group("first"), end, today));
            if (last.isPresent() && first.isPresent()) {
                return Optional.of(new Days(first.get().first(), last.get().next()));
            }
        }
        return Optional.empty();
    }

    private static Optional<Days> first(String text, Days last, LocalDate today) {
        var alone = DAY_ALONE.matcher(text);
        if (alone.matches()) { // As in between 3 and 10 May.
            var day = Integer.parseInt(alone.group(1));
            return day >= 1 && day <= last.first().getDayOfMonth()
                    ? Optional.of(Days.of(last.first().withDayOfMonth(day)))
                    : Optional.empty();
        }
        return atStart(text, today, true)
                .map(days -> days.first().isAfter(last.first())
                                && MONTH.matcher(text).find()
                        ? days.yearBefore()
                        : days)
                .filter(days -> !days.first().isAfter(last.first()));
    }

    /** Returns the days that a text begins with, which may need a word before them. */
    private static Optional<Days> atStart(String text, LocalDate today, boolean isWhole) {
        return Stream.of("in ", "on ")
                .map(word -> word + text)
                .flatMap(whole -> named(whole, today).stream()
                        .filter(each -> each.start() <= "in ".length())
                        .filter(each -> !isWhole || each.end() == whole.length()))
                .map(Named::days)
                .findFirst();
    }

    private static List<Named> named(String text, LocalDate today) {
        var all = new ArrayList<Named>();
        for (var form : FORMS) {
            var found = form.pattern().matcher(text);
            while (found.find()) {
                named(form, found.toMatchResult(), text, today)
                        .filter(each -> all.stream().noneMatch(each::overlaps))
                        .ifPresent(all::add);
            }
        }
        return all;
    }

    private static Optional<Named> named(Form form, MatchResult found, String text, LocalDate today) {
        var before = text.substring(0, found.start());
        if (!isSure(found, before)) {
            return Optional.empty();
        }
        try {
            var days = form.days().apply(found, today);
            var isPossible = days.first().getYear() > 1 && days.next().getYear() <= LAST_YEAR;
            var side = SIDES.getOrDefault(side(before, found.group()), "");
            return Optional.of(new Named(found.start(), found.end(), days, side))
                    .filter(_ -> isPossible);
        } catch (DateTimeException e) {
            return Optional.empty(); // There is no such day, as 31 June.
        }
    }

    /** Returns whether a month's name beside a day is no other word, as in: Java 21 may break. */
    private static boolean isSure(MatchResult found, String before) {
        var groups = found.namedGroups();
        var isOfMonth = groups.containsKey("month") && groups.containsKey("day") && found.group("year") == null;
        return !isOfMonth || !WORDS.contains(found.group("month")) || BEFORE_DAYS.contains(lastWord(before));
    }

    private static TimeSpan span(Named named, ZoneId zone) {
        return switch (named.side()) {
            case "before" -> named.days().before(zone);
            case "after" -> named.days().after(zone);
            case "since" -> named.days().since(zone);
            default -> named.days().during(zone);
        };
    }

    /** Returns the event before or after which the question asks, if it names no other time. */
    public static Optional<Event> event(String question) {
        var found = EVENT.matcher(question.replaceAll("\\s+", " ").strip());
        return found.find()
                ? Optional.of(
                        new Event(found.group("event"), found.group("side").equalsIgnoreCase("before")))
                : Optional.empty();
    }

    /** Returns the word that says on which side of the days the time is. */
    private static String side(String before, String found) {
        var first = found.split(" ", 2)[0].toLowerCase(Locale.ROOT);
        return SIDES.containsKey(first) ? first : lastWord(before.replaceFirst("(?i) the $", " "));
    }

    private static String lastWord(String text) {
        var words = text.strip().toLowerCase(Locale.ROOT);
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
        return Days.of(year == null ? latest(month, day, today) : LocalDate.of(year, month, day));
    }

    /** Returns the last such day that has begun, which for 29 February may be years ago. */
    private static LocalDate latest(Month month, int day, LocalDate today) {
        return IntStream.rangeClosed(0, MOST_YEARS_BACK)
                .mapToObj(back -> YearMonth.of(today.getYear() - back, month))
                .filter(of -> of.isValidDay(day) && !of.atDay(day).isAfter(today))
                .findFirst()
                .map(of -> of.atDay(day))
                .orElseThrow(() -> new DateTimeException("no such day"));
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
