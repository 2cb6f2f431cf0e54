package io.agentworkspace.engine.identity.rules.cel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PatternSizeTest {
    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '`', textBlock = """
                    ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ -> 11
                    a{100} -> 101
                    (a{100}){100} -> 10101
                    (a{100}b{50}){2,3} -> 454
                    [{}(){100}]x -> 3
                    \\{100} -> 6
                    a{,5} -> 6
                    """)
    void isNeverTooSmall(String pattern, long least) {
        assertThat(PatternSize.of(pattern)).isBetween(least / 2, least * 2);
    }

    @ParameterizedTest
    @CsvSource({"(((a{100}){100}){100}){100}", "a{1000000000000}", "((a{999}){999}"})
    void countsNestedRepetitions(String pattern) {
        assertThat(PatternSize.of(pattern)).isGreaterThan(Environment.MAX_PATTERN);
    }
}
