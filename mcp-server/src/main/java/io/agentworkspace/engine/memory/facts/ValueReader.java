package io.agentworkspace.engine.memory.facts;

import io.agentworkspace.engine.memory.facts.Value.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the values of a sentence: addresses, dates, times, versions, amounts with their units, and quoted texts. */
final class ValueReader {
    private static final int FLAGS = Pattern.CASE_INSENSITIVE;

    private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

    private static final String MONTH =
            "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";

    private static final String NUMBER = "(\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)(k(?!\\p{L}))?";

    private static final String CLOCK =
            "(\\d{1,2})(?::(\\d{2}))?\\s?([ap])\\.?m\\b\\.?|(\\d{1,2}):(\\d{2})(?::\\d{2})?|(noon|midnight)";

    private static final Pattern URL = Pattern.compile("\\bhttps?://[^\\s,;)]*[^\\s,;).]", FLAGS);
    private static final Pattern EMAIL = Pattern.compile("\\b[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+", FLAGS);
    private static final Pattern PHONE =
            Pattern.compile("(?<![\\w-])(?:\\+\\d{1,3}[ -])?\\d{2,4}-\\d{3,4}(?:-\\d{3,4})?(?![\\w-])");
    private static final Pattern HOST = Pattern.compile("\\b[a-z0-9-]+(?:\\.[a-z0-9-]+)*\\.[a-z]{2,}\\b", FLAGS);
    private static final Pattern QUOTED = Pattern.compile("[\"`\u201c]([^\"`\u201c\u201d]{1,80})[\"`\u201d]");
    private static final Pattern ISO_DATE = Pattern.compile("\\b(\\d{4})-(\\d{2})(?:-(\\d{2}))?\\b");
    private static final Pattern MONTH_FIRST =
            Pattern.compile("\\b" + MONTH + "\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b(?!:)(?:,?\\s+(\\d{4}))?", FLAGS);
    private static final Pattern DAY_FIRST = Pattern.compile(
            "\\b(\\d{1,2})(?:st|nd|rd|th|\\.)?\\s+(?:of\\s+)?" + MONTH + "(?:,?\\s+(\\d{4}))?\\b", FLAGS);
    private static final Pattern WEEKDAY = Pattern.compile("\\b(mon|tues|wednes|thurs|fri|satur|sun)days?\\b", FLAGS);
    private static final Pattern TIME_RANGE = Pattern.compile(
            "(?<![\\d:])(?:" + CLOCK + "|(\\d{1,2}))\\s*(?:-|\u2013|to|until)\\s*(?:" + CLOCK + ")(?!\\w)", FLAGS);
    private static final Pattern TIME = Pattern.compile("(?<![\\d:.])(?:" + CLOCK + ")(?![\\d:])", FLAGS);
    private static final Pattern VERSION = Pattern.compile(
            "\\bv(\\d+(?:\\.\\d+)*(?:-[a-z0-9.]+)?)\\b|\\b(\\d+\\.\\d+\\.\\d+(?:[.-][a-z0-9]+)*)\\b|(?<=\\b(?:version|release)\\s)(\\d+(?:\\.\\d+)*)\\b",
            FLAGS);
    private static final Pattern MONEY = Pattern.compile(
            "([$\u20ac\u00a3])\\s?" + NUMBER + "(?:\\s?(?:-|\u2013|to)\\s?[$\u20ac\u00a3]?" + NUMBER + ")?", FLAGS);
    private static final Pattern AMOUNT = Pattern.compile(
            "(?<![\\w.#-])" + NUMBER + "(?:\\s?(?:-|\u2013|to)\\s?" + NUMBER + "(?![\\d.]))?(?:\\s?-?(%|\\p{L}+))?",
            FLAGS);

    private static final Map<String, Integer> WORDS = Map.ofEntries(
            Map.entry("two", 2),
            Map.entry("three", 3),
            Map.entry("four", 4),
            Map.entry("five", 5),
            Map.entry("six", 6),
            Map.entry("seven", 7),
            Map.entry("eight", 8),
            Map.entry("nine", 9),
            Map.entry("ten", 10),
            Map.entry("eleven", 11),
            Map.entry("twelve", 12));
    private static final Pattern WORD =
            Pattern.compile("\\b(" + String.join("|", WORDS.keySet()) + ")\\b(?:\\s+(\\p{L}+))?", FLAGS);

    /** What stands before an amount that is not exact. */
    private static final Pattern LEAST = Pattern.compile(
            "\\b(at least|more than|over|above|minimum of|not less than|from)\\s*[$\u20ac\u00a3]?\\s*$", FLAGS);

    private static final Pattern MOST = Pattern.compile(
            "\\b(at most|up to|less than|under|below|maximum of|no more than|within)\\s*[$\u20ac\u00a3]?\\s*$", FLAGS);
    private static final Pattern ABOUT = Pattern.compile(
            "(?:\\b(?:about|around|roughly|approximately|circa|some|nearly|almost)|~)\\s*[$\u20ac\u00a3]?\\s*$", FLAGS);
    private static final double BLUR = 0.2;

    /** As many characters as the longest of these words. */
    private static final int BEFORE = 20;

    private static final Map<String, Unit> UNITS = new HashMap<>();

    /** A unit, and how many of the smallest of its kind it has. */
    private record Unit(String name, double factor) {}

    static {
        unit("time", 0.001, "ms", "millisecond", "milliseconds");
        unit("time", 1, "s", "sec", "secs", "second", "seconds");
        unit("time", 60, "min", "mins", "minute", "minutes");
        unit("time", 3_600, "h", "hour", "hours", "hr", "hrs");
        unit("time", 86_400, "d", "day", "days");
        unit("time", 604_800, "week", "weeks");
        unit("month", 1, "month", "months");
        unit("month", 12, "year", "years");
        unit("bytes", 1, "byte", "bytes", "b");
        unit("bytes", 1e3, "kb", "kib");
        unit("bytes", 1e6, "mb", "mib");
        unit("bytes", 1e9, "gb", "gib");
        unit("bytes", 1e12, "tb", "tib");
        unit("length", 0.001, "mm");
        unit("length", 0.01, "cm");
        unit("length", 1, "meter", "meters", "metres");
        unit("length", 1_000, "km", "kilometers", "kilometres");
        unit("weight", 1, "g", "gram", "grams");
        unit("weight", 1_000, "kg", "kilo", "kilos", "kilograms");
        unit("percent", 1, "%", "percent");
        unit("$", 1, "$", "usd", "dollar", "dollars");
        unit("\u20ac", 1, "\u20ac", "eur", "euro", "euros");
        unit("\u00a3", 1, "\u00a3", "gbp", "pound", "pounds");
        unit("degrees", 1, "degrees", "celsius", "c");
    }

    private static void unit(String name, double factor, String... words) {
        for (var word : words) {
            UNITS.put(word, new Unit(name, factor));
        }
    }

    private final String sentence;
    private final List<Value> found = new ArrayList<>();

    private ValueReader(String sentence) {
        this.sentence = sentence;
    }

    /** Returns the values in their order. What an earlier pattern took is not taken again. */
    static List<Value> read(String sentence) {
        var reader = new ValueReader(sentence);
        reader.each(URL, match -> reader.address("url", match));
        reader.each(EMAIL, match -> reader.address("email", match));
        reader.each(QUOTED, match -> reader.text(Kind.QUOTED, match.group(1), match));
        reader.each(ISO_DATE, match -> reader.date(match.group(1), match.group(2), match.group(3), match));
        reader.each(MONTH_FIRST, match -> reader.date(match.group(3), month(match.group(1)), match.group(2), match));
        reader.each(DAY_FIRST, match -> reader.date(match.group(3), month(match.group(2)), match.group(1), match));
        reader.each(WEEKDAY, match -> reader.text(Kind.WEEKDAY, match.group(1), match));
        reader.each(PHONE, match -> reader.address("phone", match));
        reader.each(TIME_RANGE, reader::timeRange);
        reader.each(TIME, match -> reader.time(seconds(match, 1), seconds(match, 1), match));
        reader.each(VERSION, match -> reader.text(Kind.VERSION, first(match), match));
        reader.each(HOST, match -> reader.address("host", match));
        reader.each(MONEY, reader::money);
        reader.each(AMOUNT, reader::amount);
        reader.each(
                WORD,
                match -> reader.amount(
                        Objects.requireNonNull(WORDS.get(match.group(1).toLowerCase(Locale.ROOT))),
                        null,
                        match.group(2),
                        match.start(),
                        match.end(1)));
        reader.found.sort(Comparator.comparingInt(Value::start));
        return List.copyOf(reader.found);
    }

    private void each(Pattern pattern, Function<MatchResult, Value> maker) {
        pattern.matcher(sentence).results().forEach(match -> {
            if (found.stream().noneMatch(value -> value.start() < match.end() && match.start() < value.end())) {
                found.add(maker.apply(match));
            }
        });
    }

    private Value text(Kind kind, String text, MatchResult match) {
        return Value.text(kind, "", text.toLowerCase(Locale.ROOT), match.group(), match.start(), match.end());
    }

    private Value address(String unit, MatchResult match) {
        return Value.text(
                Kind.ADDRESS, unit, match.group().toLowerCase(Locale.ROOT), match.group(), match.start(), match.end());
    }

    private Value date(@Nullable String year, String month, @Nullable String day, MatchResult match) {
        var text = "%s-%s-%s".formatted(year == null ? "x" : year, padded(month), day == null ? "x" : padded(day));
        return Value.text(Kind.DATE, "", text, match.group(), match.start(), match.end());
    }

    private static String padded(String number) {
        return number.length() == 1 ? "0" + number : number;
    }

    private static String month(String name) {
        return Integer.toString(MONTHS.indexOf(name.substring(0, 3).toLowerCase(Locale.ROOT)) / 3 + 1);
    }

    private static String first(MatchResult match) {
        for (var group = 1; group < match.groupCount(); group++) {
            if (match.group(group) != null) {
                return match.group(group);
            }
        }
        return match.group(match.groupCount());
    }

    private Value time(double from, double to, MatchResult match) {
        return Value.interval(
                Kind.TIME, from == to ? "" : "range", from, to, match.group(), match.start(), match.end());
    }

    private Value timeRange(MatchResult match) {
        var to = seconds(match, 8);
        var from = match.group(7) == null ? seconds(match, 1) : Integer.parseInt(match.group(7)) * 3_600;
        return time(from, to, match);
    }

    /** Returns the seconds of a time of day, whose groups begin at a number. */
    private static int seconds(MatchResult match, int group) {
        if (match.group(group + 5) != null) {
            return match.group(group + 5).equalsIgnoreCase("noon") ? 43_200 : 0;
        }
        if (match.group(group) == null) {
            return Integer.parseInt(match.group(group + 3)) * 3_600 + Integer.parseInt(match.group(group + 4)) * 60;
        }
        var hours = Integer.parseInt(match.group(group)) % 12
                + (match.group(group + 2).equalsIgnoreCase("p") ? 12 : 0);
        return hours * 3_600 + (match.group(group + 1) == null ? 0 : Integer.parseInt(match.group(group + 1)) * 60);
    }

    private Value money(MatchResult match) {
        var low = number(match.group(2), match.group(3));
        var high = match.group(4) == null ? null : (Double) number(match.group(4), match.group(5));
        return amount(low, high, match.group(1), match.start(), match.end());
    }

    private Value amount(MatchResult match) {
        var low = number(match.group(1), match.group(2));
        var high = match.group(3) == null ? null : (Double) number(match.group(3), match.group(4));
        var isUnit = match.group(5) != null && UNITS.containsKey(match.group(5).toLowerCase(Locale.ROOT));
        var last = match.group(5) == null ? match.end() : isUnit ? match.end() : match.start(5);
        return amount(low, high, match.group(5), match.start(), last);
    }

    /** Amounts of things that are counted have no unit: the things are a part of the subject. */
    private Value amount(double low, @Nullable Double high, @Nullable String word, int start, int end) {
        var unit = UNITS.getOrDefault(word == null ? "" : word.toLowerCase(Locale.ROOT), new Unit("", 1));
        var from = low * unit.factor();
        var to = high == null ? from : high * unit.factor();
        var before = sentence.substring(Math.max(0, start - BEFORE), start);
        if (LEAST.matcher(before).find() && high == null) {
            to = Double.MAX_VALUE;
        } else if (MOST.matcher(before).find()) {
            from = -Double.MAX_VALUE;
        } else if (ABOUT.matcher(before).find()) {
            from -= Math.abs(from) * BLUR;
            to += Math.abs(to) * BLUR;
        }
        return Value.interval(
                Kind.AMOUNT,
                unit.name(),
                from,
                to,
                sentence.substring(start, end).strip(),
                start,
                end);
    }

    private static double number(String digits, @Nullable String suffix) {
        var value = Double.parseDouble(digits.replace(",", ""));
        return suffix == null ? value : value * 1_000;
    }
}
