package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of paths, relative to a repository, as an automaton. {@code *} and {@code ?} stay in a folder, {@code **} is any
 * number of folders. {@code [a-z]} and {@code [!a-z]} are sets of characters, <code>{a,b}</code> alternatives. A slash at the end
 * is everything below. Two patterns overlap exactly if a path exists that both match. Whoever writes a pattern decides how much
 * work it is to compare: callers give an allowance, which ends the work with its refusal.
 */
final class Glob {
    static final int MAX_LENGTH = 300;

    private static final String SPECIAL = "*?[]{}";

    /** A step of an automaton takes as long as this many comparisons of characters. */
    private static final int WEIGHT = 4;

    private final String text;
    private final String prefix;
    private final String suffix;
    private @Nullable GlobParser automaton;

    private Glob(String text) {
        this.text = text;
        var special = IntStream.range(0, text.length())
                .filter(at -> SPECIAL.indexOf(text.charAt(at)) >= 0)
                .toArray();
        if (special.length == 0) {
            this.prefix = text;
            this.suffix = text;
        } else {
            this.prefix = text.substring(0, special[0]);
            var rest = text.substring(special[special.length - 1] + 1);
            this.suffix = rest.startsWith("/") ? rest.substring(1) : rest; // Before the slash there may be no folder.
        }
    }

    /** @throws Problem {@code invalid_field} for what is no pattern of paths in a repository */
    static Glob of(String field, String pattern) {
        var text = PathForm.composed(pattern).strip();
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
        PathForm.check(field, text);
        try {
            return parsed(text);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(field, "is '%s'; %s".formatted(Name.shortened(pattern), e.getMessage()));
        }
    }

    /** Returns a pattern; empty if the text is none. */
    static Optional<Glob> find(String text) {
        try {
            return text.isEmpty() || text.length() > MAX_LENGTH ? Optional.empty() : Optional.of(parsed(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Glob parsed(String text) {
        var glob = new Glob(text);
        glob.automaton();
        return glob;
    }

    /** Returns a pattern that was stored after it was checked. */
    static Glob stored(String text) {
        return new Glob(text);
    }

    /** Returns how many special signs a pattern has. */
    static int complexity(String text) {
        var signs = 0;
        for (var at = 0; at < text.length(); at++) {
            signs += SPECIAL.indexOf(text.charAt(at)) >= 0 ? 1 : 0;
        }
        return signs;
    }

    String text() {
        return text;
    }

    private GlobParser automaton() {
        if (automaton == null) {
            automaton = new GlobParser(text);
        }
        return automaton;
    }

    private boolean isPlain() {
        return prefix.length() == text.length();
    }

    /**
     * Returns whether the path matches.
     *
     * @param letters how the system that has the path compares letters
     */
    boolean matches(String path, PathForm.Letters letters, StepAllowance allowance) {
        allowance.take();
        if (!letters.begins(path, prefix) || !letters.ends(path, suffix)) {
            return false;
        }
        return isPlain() ? path.length() == text.length() : runs(path, letters, allowance);
    }

    private boolean runs(String path, PathForm.Letters letters, StepAllowance allowance) {
        allowance.take(automaton == null ? (long) WEIGHT * text.length() : 0);
        var parsed = automaton();
        var states = new BitSet();
        states.set(0);
        parsed.close(states, allowance);
        for (var character : path.codePoints().toArray()) {
            allowance.take(WEIGHT);
            var next = new BitSet();
            for (var state = states.nextSetBit(0); state >= 0; state = states.nextSetBit(state + 1)) {
                for (var step : parsed.steps(state)) {
                    allowance.take(WEIGHT);
                    if (letters.isIn(step.on(), character)) {
                        next.set(step.to());
                    }
                }
            }
            parsed.close(next, allowance);
            states = next;
        }
        return states.get(parsed.end());
    }

    /** Returns whether some path matches both: without empty names, since no path has these. */
    boolean overlaps(Glob other, StepAllowance allowance) {
        allowance.take();
        var exact = PathForm.Letters.EXACT;
        var begin = Math.min(prefix.length(), other.prefix.length());
        var end = Math.min(suffix.length(), other.suffix.length());
        if (!prefix.regionMatches(0, other.prefix, 0, begin)
                || !suffix.regionMatches(suffix.length() - end, other.suffix, other.suffix.length() - end, end)) {
            return false;
        }
        if (isPlain()) {
            return other.matches(text, exact, allowance);
        }
        return other.isPlain()
                ? matches(other.text, exact, allowance)
                : new GlobProduct(automaton(), other.automaton(), allowance).hasCommonPath();
    }

    /** Parses the patterns of the field {@code paths}. */
    static List<Glob> parse(List<String> texts) {
        return IntStream.range(0, texts.size())
                .mapToObj(i -> of("paths[%d]".formatted(i), texts.get(i)))
                .toList();
    }
}
