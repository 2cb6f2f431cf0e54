package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.CommandAddress.Got;
import java.util.Set;
import java.util.regex.Pattern;

/** The requirements for every response to bad input. */
public final class Refusal {
    private static final Set<Integer> COMMANDS = Set.of(200, 400, 401, 429);
    private static final Set<Integer> ELSEWHERE = Set.of(200, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429);
    private static final Pattern INSIDES = Pattern.compile(
            "Exception|\\bat [a-z]+\\.[a-z]|(java|org|com|io|tools)\\.[a-z]+\\.|jackson|jdbc|jetty|jersey|NullPointer"
                    + "|\\bSQL|SELECT |INSERT |UPDATE |syntax error|relation \"|column \"|StackTrace|Servlet");

    private Refusal() {}

    /** Checks for a declared status, a readable response, and no internals in it. */
    public static void isDecent(CommandAddress way, Got got, String what) {
        var declared = way == CommandAddress.GENERIC || way == CommandAddress.ALIAS ? COMMANDS : ELSEWHERE;
        assertThat(got.status()).as("%s, %s: %s", way, what, got).isIn(declared);
        assertThat(got.error()).as("%s, %s: %s", way, what, got).isNotEqualTo("internal");
        assertThat(got.note()).as("%s, %s", way, what).hasSizeLessThan(700).doesNotContainPattern(INSIDES);
    }

    public static void is(String error, CommandAddress way, Got got, String what) {
        isDecent(way, got, what);
        assertThat(got.error()).as("%s, %s: %s", way, what, got).isEqualTo(error);
        assertThat(got.note()).as("%s, %s", way, what).isNotBlank();
    }
}
