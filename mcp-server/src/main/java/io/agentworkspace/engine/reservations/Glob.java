package io.agentworkspace.engine.reservations;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.text.Normalizer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A pattern of paths, relative to a repository, as an automaton. {@code *} and {@code ?} stay in a folder, {@code **} is any
 * number of folders. {@code [a-z]} and {@code [!a-z]} are sets of characters, <code>{a,b}</code> alternatives. A slash at the end
 * is everything below. Two patterns overlap exactly if a path exists that both match.
 */
final class Glob {
    static final int MAX_LENGTH = 300;

    /** A step on a character of these ranges. */
    record Step(CharacterSet on, int to) {}

    private final String text;
    private final GlobParser automaton;
    private final String prefix;

    private Glob(String text) {
        this.text = text;
        this.automaton = new GlobParser(text);
        this.prefix = text.replaceAll("[*?\\[{].*", "");
    }

    /** @throws Problem {@code invalid_field} for what is no pattern of paths in a repository */
    static Glob of(String field, String pattern) {
        var text = Normalizer.normalize(pattern, Normalizer.Form.NFC).strip();
        while (text.startsWith("./")) {
            text = text.substring(2);
        }
        text = text.endsWith("/") ? text + "**" : text;
        if (text.isEmpty()
                || text.length() > MAX_LENGTH
                || text.startsWith("/")
                || text.contains("//")
                || text.indexOf('\\') >= 0
                || text.codePoints().anyMatch(Character::isISOControl)
                || Arrays.asList(text.split("/", -1)).stream().anyMatch(Set.of(".", "..")::contains)) {
            throw Problem.invalid(
                    field,
                    "is '%s'; it must be a path or glob of at most %d characters, relative to the repository, such as src/api/**"
                            .formatted(Name.shortened(pattern), MAX_LENGTH));
        }
        try {
            return new Glob(text);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(field, "is '%s'; %s".formatted(Name.shortened(pattern), e.getMessage()));
        }
    }

    String text() {
        return text;
    }

    /** Returns whether the path matches. */
    boolean matches(String path) {
        var states = automaton.closure(Set.of(0));
        for (var character : path.codePoints().toArray()) {
            var next = new HashSet<Integer>();
            for (var state : states) {
                automaton.steps(state).stream()
                        .filter(step -> step.on().contains(character))
                        .forEach(step -> next.add(step.to()));
            }
            states = automaton.closure(next);
        }
        return states.contains(automaton.end());
    }

    /** A place in both automata, and whether the path so far ends in the name of a file or folder. */
    private record Place(int mine, int theirs, boolean inName) {}

    /** Returns whether some path matches both: without empty names, since no path has these. */
    boolean overlaps(Glob other) {
        var common = Math.min(prefix.length(), other.prefix.length());
        if (!prefix.regionMatches(0, other.prefix, 0, common)) {
            return false;
        }
        var seen = new HashSet<Place>();
        var next = new ArrayDeque<Place>();
        visit(new Place(0, 0, false), seen, next);
        while (!next.isEmpty()) {
            var at = next.remove();
            if (at.inName() && at.mine() == automaton.end() && at.theirs() == other.automaton.end()) {
                return true;
            }
            automaton.silent(at.mine()).forEach(to -> visit(new Place(to, at.theirs(), at.inName()), seen, next));
            other.automaton.silent(at.theirs()).forEach(to -> visit(new Place(at.mine(), to, at.inName()), seen, next));
            for (var mine : automaton.steps(at.mine())) {
                for (var theirs : other.automaton.steps(at.theirs())) {
                    var both = mine.on().and(theirs.on());
                    if (both.hasOtherThan('/')) {
                        visit(new Place(mine.to(), theirs.to(), true), seen, next);
                    }
                    if (at.inName() && both.contains('/')) {
                        visit(new Place(mine.to(), theirs.to(), false), seen, next);
                    }
                }
            }
        }
        return false;
    }

    private static void visit(Place place, Set<Place> seen, ArrayDeque<Place> next) {
        if (seen.add(place)) {
            next.add(place);
        }
    }

    /** Parses the patterns of the field {@code paths}. */
    static List<Glob> parse(List<String> texts) {
        return IntStream.range(0, texts.size())
                .mapToObj(i -> of("paths[%d]".formatted(i), texts.get(i)))
                .toList();
    }
}
