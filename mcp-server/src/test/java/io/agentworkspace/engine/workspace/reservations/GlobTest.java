package io.agentworkspace.engine.workspace.reservations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.workspace.reservations.PathForm.Letters;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which globs overlap. */
class GlobTest {
    private static final int LONGEST = 6;
    private static final long MANY = 1_000_000;

    /** All paths of the letters a and b with at most {@link #LONGEST} characters, and without empty names. */
    private static final List<String> PATHS = paths();

    private static List<String> paths() {
        var all = new ArrayList<>(List.of(""));
        for (var i = 0; i < all.size(); i++) {
            var path = all.get(i);
            if (path.length() < LONGEST) {
                all.add(path + "a");
                all.add(path + "b");
                if (!path.isEmpty() && !path.endsWith("/")) {
                    all.add(path + "/");
                }
            }
        }
        all.removeIf(path -> path.isEmpty() || path.endsWith("/"));
        return all;
    }

    private static Glob glob(String text) {
        return Glob.of("paths[0]", text);
    }

    private static StepAllowance steps(long count) {
        return new StepAllowance(count, () -> Problem.invalid("paths", "take too long"));
    }

    private static boolean overlap(String one, String two) {
        return glob(one).overlaps(glob(two), steps(MANY));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    src/**       | src/a/*.java   | true
                    src/**       | src            | false
                    src/         | src/a/b        | true
                    src/*        | src/a/b        | false
                    *.java       | *.md           | false
                    *.java       | a*             | true
                    **/*.java    | src/Main.java  | true
                    **/a         | a              | true
                    a/**/b       | a/b            | true
                    a/**/b       | a/c/d/b        | true
                    a/**/b       | a/b/c          | false
                    src/{a,b}/x  | src/b/?        | true
                    src/{a,b}/x  | src/c/x        | false
                    [ab].txt     | [!a].txt       | true
                    [a].txt      | [!a].txt       | false
                    {src/**,doc} | src/x/y        | true
                    *            | a/b            | false
                    ä*           | ?x             | true
                    ./a          | a              | true
                    a            | A              | false
                    **/a.ts      | **/a.js        | false
                    {a,b}/c      | */{c,d}        | true
                    café/** | café/x   | true
                    """)
    void someOverlapAndOthersDoNot(String one, String two, boolean overlap) {
        assertThat(overlap(one, two)).isEqualTo(overlap);
        assertThat(overlap(two, one)).isEqualTo(overlap);
    }

    /** Two patterns overlap exactly if a path matches both: compared with all short paths, and with regular expressions. */
    @Test
    void randomPatternsOverlapAsAllShortPathsShow() {
        var random = new Random(7);
        var overlapping = 0;
        for (var round = 0; round < 1_500; round++) {
            var one = pattern(random);
            var two = pattern(random);
            var both = PATHS.stream()
                    .filter(path -> matches(one, path) && matches(two, path))
                    .findFirst();
            assertThat(overlap(one, two)).as("%s and %s: %s", one, two, both).isEqualTo(both.isPresent());
            overlapping += both.isPresent() ? 1 : 0;
        }
        assertThat(overlapping).isBetween(200, 1_300);
    }

    @Test
    void pathsMatchAsRegularExpressionsDo() {
        var random = new Random(11);
        for (var round = 0; round < 300; round++) {
            var pattern = pattern(random);
            var glob = glob(pattern);
            assertThat(PATHS.stream().filter(path -> glob.matches(path, Letters.EXACT, steps(MANY))))
                    .as(pattern)
                    .containsExactlyElementsOf(PATHS.stream()
                            .filter(path -> matches(pattern, path))
                            .toList());
        }
    }

    /** A pattern so short that a common path of two of them needs at most {@link #LONGEST} characters. */
    private static String pattern(Random random) {
        var names = List.of("a", "b", "*", "?", "[ab]", "[!a]", "{a,b}", "{a,*b}", "a*", "*b");
        var text = new StringBuilder(random.nextInt(4) == 0 ? "**" : names.get(random.nextInt(names.size())));
        if (random.nextBoolean()) {
            text.append('/').append(random.nextInt(3) == 0 ? "**" : names.get(random.nextInt(names.size())));
        }
        return text.toString();
    }

    private static boolean matches(String pattern, String path) {
        var regex = new StringBuilder();
        for (var i = 0; i < pattern.length(); i++) {
            if (pattern.startsWith("**/", i)) {
                regex.append("(?:.+/)?");
                i += 2;
            } else if (pattern.startsWith("**", i)) {
                regex.append(".+");
                i++;
            } else {
                regex.append(
                        switch (pattern.charAt(i)) {
                            case '*' -> "[^/]*";
                            case '?' -> "[^/]";
                            case '!' -> "^";
                            case '{' -> "(?:";
                            case '}' -> ")";
                            case ',' -> "|";
                            default -> pattern.substring(i, i + 1);
                        });
            }
        }
        return Pattern.matches(regex.toString(), path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/etc", "a//b", "../x", "a/./b", "{a", "a}", "[a", "[b-a]", "a\\b", "  "})
    void whatIsNoPathOfARepositoryIsRefused(String text) {
        assertThatThrownBy(() -> glob(text)).isInstanceOf(Problem.class).hasMessageContaining("paths[0] is");
    }

    /** The bounds are far from what an ordinary comparison takes, and from what these would take without. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    src/api/**            | src/api/client/*.java | 1000
                    **/*.java             | src/**                | 1000
                    **/*.java             | docs/**/*.md          | 1
                    src/main/java/App.java| src/main/java/Ape.java| 1
                    """)
    void ordinaryPatternsTakeFewSteps(String one, String two, long most) {
        var first = glob(one);
        var second = glob(two);
        assertThatCode(() -> first.overlaps(second, steps(most))).doesNotThrowAnyException();
        assertThatCode(() -> second.overlaps(first, steps(most))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {a,b*}                | {b,a*}
                    {a,**/b}              | {b,**/a}
                    ?*                    | *?
                    [!a][!b][!c]*         | *[!c][!b][!a]
                    """)
    void repeatedPatternsEndWithTheAllowance(String one, String two) {
        var first = glob(one.repeat(Glob.MAX_LENGTH / one.length()));
        var second = glob(two.repeat(Glob.MAX_LENGTH / two.length()));
        assertThatThrownBy(() -> {
                    var allowance = steps(100_000);
                    while (true) {
                        first.overlaps(second, allowance);
                    }
                })
                .isInstanceOf(Problem.class)
                .hasMessageContaining("take too long");
        assertThatThrownBy(() -> {
                    var allowance = steps(100_000);
                    while (true) {
                        first.matches("ab".repeat(2_000) + "/c", Letters.EXACT, allowance);
                    }
                })
                .isInstanceOf(Problem.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    src/api/**    | SRC/API/x.ts | true
                    src/[a-c]/*   | Src/B/x      | true
                    ä/*      | Ä/x     | true
                    src/api/x.ts  | Src/Api/X.TS | true
                    src/api/x.ts  | src/api/x.t  | false
                    """)
    void letterCaseIsIgnoredWhereTheSystemDoes(String pattern, String path, boolean matches) {
        assertThat(glob(pattern).matches(path, Letters.ANY_CASE, steps(MANY))).isEqualTo(matches);
        assertThat(glob(pattern).matches(path, Letters.EXACT, steps(MANY))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "src/\u202Esj.x",
                "src/a\u200Bpi/**",
                "src/\uFF41pi/**",
                "src/\u2066x\u2069",
                "\u200Esrc",
                "src/\u3164",
                "src/api\uFE0F/**",
                "s\uDB40\uDD00rc/api",
                "src/\uD835\uDC1Api"
            })
    void whatLooksLikeAnotherPathIsRefused(String text) {
        assertThatThrownBy(() -> glob(text))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("looks like another path");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\uFF21\u793E/x.md",
                "m\u00B2/x",
                "\u2764\uFE0F/x",
                "1\uFE0F\u20E3.md",
                "\u00A9\uFE0F.md",
                "\uD83D\uDC68\u200D\uD83D\uDCBB.md",
                "na\u00EFve/**"
            })
    void namesOfOtherLanguagesAreNone(String text) {
        assertThat(glob(text).text()).isEqualTo(text);
    }
}
