package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.workspace.reservations.CharacterSet.Range;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Makes the automaton of a glob. State 0 is its beginning. */
final class GlobParser {
    private static final int MAX_DEPTH = 8;

    /** A step on a character of these ranges. */
    record Step(CharacterSet on, int to) {}

    private final List<List<Step>> steps = new ArrayList<>();
    private final List<List<Integer>> silent = new ArrayList<>();
    private final int[] text;
    private final int end;
    private int at;

    /** @throws IllegalArgumentException with what is wrong */
    GlobParser(String glob) {
        text = glob.codePoints().toArray();
        end = sequence(state(), 0);
        if (at < text.length) {
            throw new IllegalArgumentException("a } has no { before it");
        }
    }

    /** Returns the number of states. */
    int size() {
        return steps.size();
    }

    int end() {
        return end;
    }

    List<Step> steps(int state) {
        return steps.get(state);
    }

    List<Integer> silent(int state) {
        return silent.get(state);
    }

    /** Adds the states that can be reached without a character. */
    void close(BitSet states, StepAllowance allowance) {
        var next = new ArrayDeque<Integer>();
        states.stream().forEach(next::add);
        while (!next.isEmpty()) {
            for (var to : silent(next.remove())) {
                allowance.take();
                if (!states.get(to)) {
                    states.set(to);
                    next.add(to);
                }
            }
        }
    }

    private int state() {
        steps.add(new ArrayList<>());
        silent.add(new ArrayList<>());
        return steps.size() - 1;
    }

    private int step(int from, CharacterSet on) {
        var to = state();
        steps.get(from).add(new Step(on, to));
        return to;
    }

    private int repeat(int from, CharacterSet on) {
        var loop = state();
        silent.get(from).add(loop);
        steps.get(loop).add(new Step(on, loop));
        return loop;
    }

    /** Reads up to the end, or to the comma or brace that ends an alternative. */
    private int sequence(int from, int depth) {
        var state = from;
        while (at < text.length && !(depth > 0 && (text[at] == ',' || text[at] == '}'))) {
            state = switch (text[at]) {
                case '*' -> stars(state);
                case '?' -> {
                    at++;
                    yield step(state, CharacterSet.IN_NAME);
                }
                case '[' -> set(state);
                case '{' -> alternatives(state, depth + 1);
                case '}' -> throw new IllegalArgumentException("a } has no { before it");
                default -> step(state, CharacterSet.of(text[at++]));
            };
        }
        return state;
    }

    /** Two stars that are a whole name stand for any number of folders; other stars stay in a name. */
    private int stars(int from) {
        var begin = at;
        while (at < text.length && text[at] == '*') {
            at++;
        }
        var isWhole = at - begin == 2
                && (begin == 0 || "/{,".indexOf(text[begin - 1]) >= 0)
                && (at == text.length || "/},".indexOf(text[at]) >= 0);
        if (!isWhole) {
            return repeat(from, CharacterSet.IN_NAME);
        }
        if (at == text.length || text[at] != '/') {
            return repeat(step(from, CharacterSet.ANY), CharacterSet.ANY);
        }
        at++; // Nothing, or folders with their slash.
        var inside = repeat(from, CharacterSet.ANY);
        var after = step(inside, CharacterSet.of('/'));
        silent.get(from).add(after);
        return after;
    }

    private int alternatives(int from, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("it has more than %d levels of braces".formatted(MAX_DEPTH));
        }
        var after = state();
        do {
            at++; // The brace, or a comma.
            var begin = state();
            silent.get(from).add(begin);
            silent.get(sequence(begin, depth)).add(after);
        } while (at < text.length && text[at] == ',');
        if (at == text.length) {
            throw new IllegalArgumentException("a { has no } after it");
        }
        at++;
        return after;
    }

    /** A set matches no slash. */
    private int set(int from) {
        at++;
        var isNegated = at < text.length && (text[at] == '!' || text[at] == '^');
        at += isNegated ? 1 : 0;
        var ranges = new ArrayList<Range>();
        for (var isFirst = true; at < text.length && (isFirst || text[at] != ']'); isFirst = false) {
            var first = text[at++];
            var last = first;
            if (at + 1 < text.length && text[at] == '-' && text[at + 1] != ']') {
                last = text[at + 1];
                at += 2;
            }
            if (last < first) {
                throw new IllegalArgumentException("a range in [ ] goes from higher to lower");
            }
            ranges.add(new Range(first, last));
        }
        if (at == text.length) {
            throw new IllegalArgumentException("a [ has no ] after it");
        }
        at++;
        var set = CharacterSet.of(ranges);
        return step(from, (isNegated ? set.others() : set).and(CharacterSet.IN_NAME));
    }
}
