package io.agentworkspace.engine.memory.facts;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A value of one subject in which two sentences differ, so that not both can be right.
 *
 * @param subject what the values are of
 * @param first the value in the first sentence
 */
public record Difference(String subject, String first, String second) {
    /** Returns the first difference between the texts. */
    public static Optional<Difference> between(List<Claim> first, List<Claim> second) {
        for (var one : first) {
            for (var other : second) {
                var difference = between(one, other);
                if (difference.isPresent()) {
                    return difference;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Difference> between(Claim one, Claim other) {
        if (one.mood() == Claim.Mood.OTHER
                || one.mood() != other.mood()
                || one.subject().isEmpty()
                || !one.subject().equals(other.subject())
                || !one.when().equals(other.when())) {
            return Optional.empty();
        }
        var isOpposite = isOpposite(one, other);
        if (isOpposite.isEmpty()) {
            return Optional.empty();
        }
        var pairs = pairs(one.values(), other.values());
        if (pairs.isEmpty()) {
            return Optional.empty();
        }
        var different = pairs.get().stream().filter(pair -> !pair.agrees()).toList();
        if (isOpposite.get()) {
            return different.isEmpty()
                    ? Optional.of(new Difference(one.shown(), state(one), state(other)))
                    : Optional.empty();
        }
        return different.size() == 1 && !one.isNot()
                ? Optional.of(new Difference(
                        one.shown(),
                        different.getFirst().one().shown(),
                        different.getFirst().other().shown()))
                : Optional.empty();
    }

    /** Returns whether one says of a state what the other denies; empty if their states cannot be compared. */
    private static Optional<Boolean> isOpposite(Claim one, Claim other) {
        var first = one.state();
        var second = other.state();
        if (first.isEmpty() != second.isEmpty()
                || !first.isEmpty() && !first.substring(1).equals(second.substring(1))) {
            return Optional.empty();
        }
        return Optional.of(one.isNot() ^ other.isNot() ^ !first.equals(second));
    }

    private static String state(Claim claim) {
        var value = claim.values().isEmpty() ? "" : claim.values().getFirst().shown();
        var state = claim.state().isEmpty()
                ? value.isEmpty() ? "so" : value
                : claim.state().substring(1);
        return claim.isNot() ^ claim.state().startsWith("-") ? "not " + state : state;
    }

    private record Pair(Value one, Value other) {
        boolean agrees() {
            return one.agreesWith(other);
        }
    }

    /** Returns the values that belong together, in order; empty if the sentences do not have the same kinds of values. */
    private static Optional<List<Pair>> pairs(List<Value> first, List<Value> second) {
        if (first.size() != second.size()) {
            return Optional.empty();
        }
        var left = new ArrayList<>(second);
        var pairs = new ArrayList<Pair>();
        for (var value : first) {
            var match = left.stream().filter(value::isOfKindOf).findFirst();
            if (match.isEmpty()) {
                return Optional.empty();
            }
            left.remove(match.get());
            pairs.add(new Pair(value, match.get()));
        }
        return Optional.of(pairs);
    }
}
