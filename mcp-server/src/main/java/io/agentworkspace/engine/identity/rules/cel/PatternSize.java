package io.agentworkspace.engine.identity.rules.cel;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;

/**
 * Estimates the size of a regular expression whose repetitions are written out, as RE2 does: {@code (a{100}){100}} is
 * 10,000. The estimate from the text is never too small.
 */
final class PatternSize {
    private static final Pattern COUNT = Pattern.compile("\\{(\\d+)(,(\\d*))?}");
    private static final long ENOUGH = Integer.MAX_VALUE;

    private final Deque<Group> groups = new ArrayDeque<>();

    private PatternSize() {
        groups.push(new Group());
    }

    /** @param last the size of what a repetition would repeat */
    private static final class Group {
        private long before = 1;
        private long last;

        void add(long size) {
            before = Math.min(ENOUGH, before + last);
            last = size;
        }

        long sum() {
            return Math.min(ENOUGH, before + last);
        }
    }

    static long of(String pattern) {
        return new PatternSize().read(pattern);
    }

    private long read(String pattern) {
        var count = COUNT.matcher(pattern);
        for (var i = 0; i < pattern.length(); i++) {
            switch (pattern.charAt(i)) {
                case '\\' -> {
                    add(1);
                    i++;
                }
                case '[' -> {
                    add(1);
                    i = endOfClass(pattern, i);
                }
                case '(' -> groups.push(new Group());
                case ')' -> close();
                case '{' -> {
                    if (count.region(i, pattern.length()).lookingAt()) {
                        repeat(count.group(1), count.group(3));
                        i = count.end() - 1;
                    } else {
                        add(1);
                    }
                }
                default -> add(1);
            }
        }
        while (groups.size() > 1) {
            close();
        }
        return groups.getFirst().sum();
    }

    private void add(long size) {
        groups.getFirst().add(size);
    }

    private void close() {
        if (groups.size() > 1) {
            var inner = groups.pop().sum();
            add(inner);
        }
    }

    private void repeat(String least, @org.jspecify.annotations.Nullable String most) {
        var times = Math.max(number(least), most == null || most.isEmpty() ? 1 : number(most));
        var group = groups.getFirst();
        group.last = Math.min(ENOUGH, group.last * Math.max(1, times));
    }

    private static long number(String digits) {
        return digits.length() > 6 ? ENOUGH : Long.parseLong(digits);
    }

    /**
     * Returns the end of a character class. A bracket directly after the first one, or after its negation, is a literal.
     */
    private static int endOfClass(String pattern, int begin) {
        var i = begin + 1;
        if (i < pattern.length() && pattern.charAt(i) == '^') {
            i++;
        }
        if (i < pattern.length() && pattern.charAt(i) == ']') {
            i++;
        }
        for (; i < pattern.length() && pattern.charAt(i) != ']'; i++) {
            if (pattern.charAt(i) == '\\') {
                i++;
            }
        }
        return i;
    }
}
