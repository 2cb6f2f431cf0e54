package io.agentworkspace.engine.reservations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.problem.Problem;
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
                    """)
    void someOverlapAndOthersDoNot(String one, String two, boolean overlap) {
        assertThat(glob(one).overlaps(glob(two))).isEqualTo(overlap);
        assertThat(glob(two).overlaps(glob(one))).isEqualTo(overlap);
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
            assertThat(glob(one).overlaps(glob(two)))
                    .as("%s and %s: %s", one, two, both)
                    .isEqualTo(both.isPresent());
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
            assertThat(PATHS.stream().filter(glob::matches))
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
}
