package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Browsers are redirected only to this server. */
class ReturnPathTest {
    /** Returns the attacks, one on each line, with Java's escapes. */
    static List<String> attacks() throws IOException {
        try (var file = Objects.requireNonNull(ReturnPathTest.class.getResourceAsStream("/return-to-attacks.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("# "))
                    .map(line -> unicode(line).translateEscapes())
                    .toList();
        }
    }

    /** Translates the Unicode escapes, which {@link String#translateEscapes} leaves to the compiler. */
    private static String unicode(String line) {
        var text = new StringBuilder();
        for (var i = 0; i < line.length(); i++) {
            if (line.startsWith("\\u", i)) {
                text.append((char) Integer.parseInt(line.substring(i + 2, i + 6), 16));
                i += 5;
            } else {
                text.append(line.charAt(i));
            }
        }
        return text.toString();
    }

    @Test
    void theCorpusIsLargeAndHasNothingTwice() throws IOException {
        assertThat(attacks()).hasSizeGreaterThanOrEqualTo(80).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void everyAttackIsRefused(String attack) {
        var problem = catchThrowableOfType(Problem.class, () -> ReturnPath.checked(attack));
        assertThat(problem).as(attack).isNotNull();
        assertThat(problem.failure()).isEqualTo(Failure.BAD_REQUEST);
        assertThat(problem.note()).contains("return_to");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/mcp-hub",
                "/mcp-hub/",
                "/mcp-hub/tools/AP_Create",
                "/skills-hub?name=first-steps&page=2",
                "/mcp-hub#tools",
                "/mcp-hub?q=a%20b#c",
                "/a.b/c_d~e",
                "/.well-known",
                "/%61bc"
            })
    void pathsOfThisServerAreTakenAsTheyAre(String path) {
        assertThat(ReturnPath.checked(path)).isEqualTo(path);
        assertThat(URI.create("https://engine.example/").resolve(path).getHost())
                .isEqualTo("engine.example");
    }
}
