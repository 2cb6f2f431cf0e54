package io.agentworkspace.engine.app.bundle;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Removes secrets from text: those that are known, what has the form of one, e-mail addresses, and quoted sentences, which
 * others may have written. It removes too much rather than too little.
 */
final class Redaction {
    static final String REMOVED = "(removed)";

    /** A shorter value would remove ordinary words, too. */
    private static final int SHORTEST = 6;

    private record Rule(Pattern pattern, String replacement) {
        static Rule of(String pattern, String replacement) {
            return new Rule(Pattern.compile(pattern), replacement);
        }
    }

    private static final List<Rule> RULES = List.of(
            Rule.of("(?s)-----BEGIN [A-Z ]+-----.*?(-----END [A-Z ]+-----|\\z)", REMOVED),
            Rule.of("(?i)\\b((?:set-)?cookie|(?:proxy-)?authorization)\\b[\"']?\\s*[:=].*", "$1: " + REMOVED),
            Rule.of("(://)[^/\\s\"'@]*@", "$1" + REMOVED + "@"),
            Rule.of("(://[^\\s\"'?#]*|/[\\w./-]*)[?#][^\\s\"']+", "$1?" + REMOVED),
            Rule.of("(?i)\\b(bearer|basic|dpop)\\s+[\\w.~+/=-]{6,}", "$1 " + REMOVED),
            Rule.of(
                    "(?i)(pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|session|credential|private[_-]?key|signature)([\"']?\\s*[:=]\\s*)(\"[^\"]*\"|'[^']*'|[^\\s,;}]+)",
                    "$1$2" + REMOVED),
            Rule.of("\\b(e[a-z]|whsec|gh[a-z]|github_pat|glpat|xox[a-z]|sk|pk|rk)[_-][\\w+/=-]{8,}", REMOVED),
            Rule.of("\\b(AKIA|ASIA|AIza|ya29\\.)[\\w-]{10,}", REMOVED),
            Rule.of("\\beyJ[\\w-]+\\.[\\w-]*(\\.[\\w-]*)*", REMOVED),
            Rule.of("\\b[0-9a-fA-F]{32,}\\b", REMOVED),
            Rule.of("[\\w.+%-]+@(?:[A-Za-z][\\w.-]*|[\\w.-]+\\.[A-Za-z]{2,})", REMOVED),
            Rule.of("\"[^\"\\n]*\\s[^\"\\n]*\"|\"[^\"\\n]{41,}\"", "\"" + REMOVED + "\""));

    /** A run of characters that could be a random one: it has digits, lower and upper case. */
    private static final Pattern RUN = Pattern.compile("[A-Za-z0-9+/_=-]{24,}");

    private final List<String> known;

    /** @param known values that are secret whatever they look like */
    Redaction(Collection<String> known) {
        this.known = known.stream()
                .map(String::strip)
                .filter(value -> value.length() >= SHORTEST)
                .distinct()
                .sorted(Comparator.comparing(String::length).reversed())
                .toList();
    }

    String of(String text) {
        var clean = text;
        for (var value : known) {
            clean = clean.replace(value, REMOVED);
        }
        for (var rule : RULES) {
            clean = rule.pattern().matcher(clean).replaceAll(rule.replacement());
        }
        return RUN.matcher(clean).replaceAll(Redaction::unlessPlain);
    }

    private static String unlessPlain(MatchResult found) {
        var run = found.group();
        var isMixed = run.chars().anyMatch(Character::isDigit)
                && run.chars().anyMatch(Character::isLowerCase)
                && run.chars().anyMatch(Character::isUpperCase);
        return isMixed ? REMOVED : run;
    }
}
