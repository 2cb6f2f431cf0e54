package io.agentworkspace.engine.memory.facts;

import java.util.List;
import java.util.Set;

/**
 * A value in a sentence. Amounts and times of day are intervals, all others texts.
 *
 * @param unit of an amount, or what kind of address it is; amounts of one unit are in its smallest form, such as seconds
 * @param text in normal form; empty for an interval
 * @param shown as the sentence has it
 */
record Value(Kind kind, String unit, double low, double high, String text, String shown, int start, int end) {
    /** What can be compared with each other. */
    enum Kind {
        ADDRESS,
        DATE,
        WEEKDAY,
        TIME,
        VERSION,
        AMOUNT,
        QUOTED,
        NAME
    }

    static Value text(Kind kind, String unit, String text, String shown, int start, int end) {
        return new Value(kind, unit, 0, 0, text, shown, start, end);
    }

    static Value interval(Kind kind, String unit, double low, double high, String shown, int start, int end) {
        return new Value(kind, unit, Math.min(low, high), Math.max(low, high), "", shown, start, end);
    }

    boolean isOfKindOf(Value other) {
        return kind == other.kind && unit.equals(other.unit);
    }

    /** Returns whether both can be right: equal, one inside the other, or one less exact than the other. */
    boolean agreesWith(Value other) {
        return switch (kind) {
            case AMOUNT -> low <= other.high && other.low <= high;
            case TIME -> low == other.low && high == other.high;
            case DATE, VERSION -> isPartOf(other) || other.isPartOf(this);
            case NAME -> words().containsAll(other.words()) || other.words().containsAll(words());
            default -> text.equals(other.text);
        };
    }

    /** Returns whether each part that it has is the same in the other: a date without a year, or 17 and 17.2. */
    private boolean isPartOf(Value other) {
        var mine = List.of(text.split("[.-]"));
        var others = List.of(other.text.split("[.-]"));
        if (kind == Kind.VERSION) {
            return mine.size() <= others.size() && mine.equals(others.subList(0, mine.size()));
        }
        for (var i = 0; i < Math.min(mine.size(), others.size()); i++) {
            if (!mine.get(i).equals("x") && !mine.get(i).equals(others.get(i))) {
                return false;
            }
        }
        return true;
    }

    private Set<String> words() {
        return text.isEmpty() ? Set.of() : Set.copyOf(List.of(text.split(" ")));
    }

    /** Returns the same value as a word of a subject. */
    String word() {
        return text.isEmpty() ? "%s:%s-%s".formatted(unit, low, high) : text;
    }
}
