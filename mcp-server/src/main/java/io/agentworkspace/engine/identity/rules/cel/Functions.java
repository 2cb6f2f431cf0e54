package io.agentworkspace.engine.identity.rules.cel;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.re2j.Pattern;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelFunctionBinding;
import io.agentworkspace.engine.model.problem.Name;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** The text functions of expressions. Each charges the examined text to the {@link EvaluationBudget}. */
final class Functions {
    private static final int PATTERNS_KEPT = 1_000;

    /**
     * RE2's time is linear in both pattern and text: a pattern costs this plus half its size for each character of text.
     */
    private static final int PATTERN_BASE = 8;

    /** What the search for credentials costs for each character. */
    static final int SECRET_COST = 20;

    private static final CelType TEXT = SimpleType.STRING;
    private static final CelType YES = SimpleType.BOOL;

    /** @param cost for each character of text */
    private record Compiled(Pattern pattern, long cost) {
        static Compiled of(String text) {
            return new Compiled(Pattern.compile(text), PATTERN_BASE + PatternSize.of(text) / 2);
        }
    }

    private final Cache<String, Compiled> patterns =
            Caffeine.newBuilder().maximumSize(PATTERNS_KEPT).build();
    private final List<CelFunctionDecl> declarations = new ArrayList<>();
    private final List<CelFunctionBinding> bindings = new ArrayList<>();

    Functions() {
        ofText("contains", Functions::contains);
        ofText("matches", this::matches);
        member("mentions", YES, TEXT, ListType.create(TEXT));
        bindings.addAll(CelFunctionBinding.fromOverloads(
                "mentions", CelFunctionBinding.from("rule_mentions", String.class, List.class, Functions::mentions)));
        member("lower", TEXT, TEXT);
        bindings.addAll(CelFunctionBinding.fromOverloads(
                "lower", CelFunctionBinding.from("rule_lower", String.class, Functions::lower)));
        declarations.add(CelFunctionDecl.newFunctionDeclaration(
                "sameName", CelOverloadDecl.newGlobalOverload("rule_same_name", YES, TEXT, TEXT)));
        bindings.addAll(CelFunctionBinding.fromOverloads(
                "sameName",
                CelFunctionBinding.from("rule_same_name", String.class, String.class, Functions::sameName)));
        declarations.add(CelFunctionDecl.newFunctionDeclaration(
                "hasSecret", CelOverloadDecl.newGlobalOverload("rule_has_secret", YES, TEXT)));
        bindings.addAll(CelFunctionBinding.fromOverloads(
                "hasSecret", CelFunctionBinding.from("rule_has_secret", String.class, Functions::hasSecret)));
    }

    private interface Test {
        boolean of(String text, String other);
    }

    @SuppressWarnings("Immutable") // The cache of patterns does not affect results.
    private void ofText(String name, Test test) {
        member(name, YES, TEXT, TEXT);
        bindings.addAll(CelFunctionBinding.fromOverloads(
                name, CelFunctionBinding.from("rule_" + name, String.class, String.class, test::of)));
    }

    private void member(String name, CelType result, CelType... parameters) {
        declarations.add(CelFunctionDecl.newFunctionDeclaration(
                name, CelOverloadDecl.newMemberOverload("rule_" + name, result, List.of(parameters))));
    }

    List<CelFunctionDecl> declarations() {
        return declarations;
    }

    List<CelFunctionBinding> bindings() {
        return bindings;
    }

    /** @throws com.google.re2j.PatternSyntaxException if RE2 does not accept it */
    void checkPattern(String text) {
        compiled(text);
    }

    /** Returns what a pattern costs for each character. */
    long cost(String pattern) {
        return compiled(pattern).cost();
    }

    private Compiled compiled(String text) {
        return Objects.requireNonNull(patterns.get(text, Compiled::of));
    }

    private static boolean contains(String text, String part) {
        EvaluationBudget.charge(text.length() + (long) text.length() * part.length() / 16);
        return text.contains(part);
    }

    private boolean matches(String text, String pattern) {
        var compiled = compiled(pattern);
        EvaluationBudget.charge((text.length() + 1) * compiled.cost());
        return compiled.pattern().matcher(text).find();
    }

    private static String lower(String text) {
        EvaluationBudget.charge(text.length());
        return text.toLowerCase(Locale.ROOT);
    }

    private static boolean sameName(String one, String other) {
        EvaluationBudget.charge(one.length() + (long) other.length());
        return !one.isEmpty() && key(one).equals(key(other));
    }

    private static String key(String name) {
        return Name.key(Name.normal(name));
    }

    private static boolean hasSecret(String text) {
        EvaluationBudget.charge(text.length() * (long) SECRET_COST);
        return SecretPatterns.find(text).isPresent();
    }

    /** Returns whether the text contains any of the words or phrases as whole words, ignoring case. */
    private static boolean mentions(String text, List<?> words) {
        var lower = lower(text);
        for (var word : words) {
            var term = lower(String.valueOf(word));
            EvaluationBudget.charge(text.length() + (long) text.length() * term.length() / 16);
            if (!term.isBlank() && hasWord(lower, term)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasWord(String text, String word) {
        for (var at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
            var end = at + word.length();
            if ((at == 0 || !Character.isLetterOrDigit(text.codePointBefore(at)))
                    && (end == text.length() || !Character.isLetterOrDigit(text.codePointAt(end)))) {
                return true;
            }
        }
        return false;
    }
}
