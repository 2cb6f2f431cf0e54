package io.agentworkspace.engine.workspace.reservations;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A set of characters.
 *
 * @param ranges sorted, without overlaps
 */
record CharacterSet(List<Range> ranges) {
    /** The characters from the first to the last. */
    record Range(int first, int last) {}

    static final CharacterSet ANY = new CharacterSet(List.of(new Range(0, Character.MAX_CODE_POINT)));
    static final CharacterSet IN_NAME = of('/').others();

    static CharacterSet of(int character) {
        return new CharacterSet(List.of(new Range(character, character)));
    }

    /** Returns the characters in any of the ranges, which may overlap. */
    static CharacterSet of(List<Range> ranges) {
        var sorted =
                ranges.stream().sorted(Comparator.comparingInt(Range::first)).toList();
        var merged = new ArrayList<Range>();
        for (var range : sorted) {
            if (!merged.isEmpty() && range.first() <= merged.getLast().last() + 1) {
                var last = merged.removeLast();
                merged.add(new Range(last.first(), Math.max(last.last(), range.last())));
            } else {
                merged.add(range);
            }
        }
        return new CharacterSet(List.copyOf(merged));
    }

    CharacterSet others() {
        var rest = new ArrayList<Range>();
        var from = 0;
        for (var range : ranges) {
            if (range.first() > from) {
                rest.add(new Range(from, range.first() - 1));
            }
            from = range.last() + 1;
        }
        if (from <= Character.MAX_CODE_POINT) {
            rest.add(new Range(from, Character.MAX_CODE_POINT));
        }
        return new CharacterSet(rest);
    }

    CharacterSet and(CharacterSet other) {
        var both = new ArrayList<Range>();
        for (int i = 0, j = 0; i < ranges.size() && j < other.ranges.size(); ) {
            var one = ranges.get(i);
            var two = other.ranges.get(j);
            var first = Math.max(one.first(), two.first());
            var last = Math.min(one.last(), two.last());
            if (first <= last) {
                both.add(new Range(first, last));
            }
            if (one.last() < two.last()) {
                i++;
            } else {
                j++;
            }
        }
        return new CharacterSet(both);
    }

    boolean contains(int character) {
        var from = 0;
        var to = ranges.size() - 1;
        while (from <= to) {
            var middle = (from + to) >>> 1;
            var range = ranges.get(middle);
            if (character < range.first()) {
                to = middle - 1;
            } else if (character > range.last()) {
                from = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }

    boolean hasOtherThan(int character) {
        return ranges.stream().anyMatch(range -> range.first() != character || range.last() != character);
    }

    /** Returns how much work it is to compare it with another set. */
    int size() {
        return ranges.size();
    }
}
