package io.agentworkspace.engine.identity.rules.cel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.agentworkspace.engine.model.json.Json;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

class ExpressionTest {
    private static final ExpressionInput INPUT =
            ExpressionInput.of(Json.readValue("""
                    {"command":{"name":"MB_Store","family":"bank","effect":"creates"},"target":{"bank":"Ledger"},
                     "vx":{"name":"Café","tags":["red","blue"]},"content":"The Password is: correct-horse, fine?",
                     "principal":{"user":"ann","role":"member","capabilities":["bank:write"]},
                     "document":{"media_type":"text/plain","size":7}}
                    """, ObjectNode.class), Instant.parse("2026-01-05T22:30:00Z"));

    /** A text in place of a list, or a number that is too large, decides nothing. */
    @Test
    void valuesOfAnotherTypeAreNotGiven() throws ExpressionError {
        var input = ExpressionInput.of(Json.readValue("""
                {"vx":{"tags":"red","name":["a"],"description":5},"document":{"size":99999999999999999999,"text":3}}
                """, ObjectNode.class), Instant.parse("2026-01-05T22:30:00Z"));
        assertThat(Expression.compile(
                                "vx.tags.size() == 0 && vx.name == '' && vx.description == '' && document.size == 0 && document.text == '' && !has(vx.tags)")
                        .evaluate(input))
                .isEqualTo(new Expression.Evaluation(Expression.EvaluationResult.MATCHES, null));
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", textBlock = """
                    command.effect == "creates" && principal.role != "owner" -> MATCHES
                    command.name in ["MB_Store", "AP_Chat"] -> MATCHES
                    target.bank == "ledger" -> PASSES
                    sameName(target.bank, "LEDGER") -> MATCHES
                    sameName(vx.name, "cafe\u0301") -> MATCHES
                    sameName(target.agent, "") -> PASSES
                    has(target.agent) -> PASSES
                    has(target.bank) && target.agent == "" -> MATCHES
                    vx.tags.exists(t, t.startsWith("bl")) -> MATCHES
                    vx.tags.all(t, t.size() == 3) -> PASSES
                    vx.tags.exists_one(t, t == "red") -> MATCHES
                    size(vx.description) < 10 -> MATCHES
                    document.size == 7 && document.version == 0 -> MATCHES
                    now.getHours("Asia/Tokyo") == 7 -> MATCHES
                    now > timestamp("2026-01-05T22:00:00Z") -> MATCHES
                    now - timestamp("2026-01-05T22:00:00Z") > duration("1h") -> PASSES
                    content.mentions(["password"]) -> MATCHES
                    content.mentions(["pass", "word"]) -> PASSES
                    content.mentions(["correct-horse"]) -> MATCHES
                    hasSecret(content) -> PASSES
                    hasSecret("password: correct-horse") -> MATCHES
                    content.lower().contains("the password") -> MATCHES
                    content.matches("(?i)^the .*\\\\?$") -> MATCHES
                    "bank:write" in principal.capabilities -> MATCHES
                    1 / size(vx.description) == 1 -> FAILED
                    false && 1 / 0 == 1 -> PASSES
                    """)
    void answers(String expression, Expression.EvaluationResult expected) throws ExpressionError {
        assertThat(Expression.compile(expression).evaluate(INPUT).kind()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", quoteCharacter = '`', textBlock = """
                    vx.nmae == "x" -> 1 -> 3 -> vx has no field 'nmae', did you mean name?; its fields are name, description, profile, access, tags
                    contnt == "x" -> 1 -> 1 -> there is no variable or function 'contnt', did you mean content?
                    content == 3 -> 1 -> 9 -> == does not work on (string, int)
                    content -> 1 -> 1 -> the expression is a string; it must be true or false
                    content == -> 1 -> 11 -> the end of the expression
                    content.matches(vx.name) -> 1 -> 16 -> the pattern of matches() must be written out
                    content.matches("(?=a)") -> 1 -> 17 -> the pattern is not one of RE2
                    content.matchs("a") -> 1 -> 15 -> there is no variable or function 'matchs', did you mean matches?
                    """)
    void anErrorSaysWhereItIsAndWhatWouldBeRight(String expression, int line, int column, String message) {
        var error = catchThrowableOfType(ExpressionError.class, () -> Expression.compile(expression));
        assertThat(error.getMessage()).contains(message);
        assertThat(error.located()).startsWith("line %d, column %d: ".formatted(line, column));
    }

    @Test
    void anErrorInALaterLineIsFoundThere() {
        var error = catchThrowableOfType(
                ExpressionError.class, () -> Expression.compile("command.name == \"x\"\n  && vx.nmae == \"y\""));
        assertThat(error.located()).startsWith("line 2, column 8: vx has no field 'nmae'");
    }

    @ParameterizedTest
    @CsvSource(delimiterString = " -> ", textBlock = """
                    size(content) > 3 -> UNKNOWN
                    command.name == "MB_Store" || size(content) > 3 -> MATCHES
                    command.name == "AP_Chat" && size(content) > 3 -> PASSES
                    vx.description == "" -> UNKNOWN
                    vx.name == "Café" -> MATCHES
                    content.mentions(["x"]) -> UNKNOWN
                    """)
    void whatIsNotKnownDecidesNothing(String expression, Expression.EvaluationResult expected) throws ExpressionError {
        var partial = new ExpressionInput(
                INPUT.command(),
                INPUT.target(),
                INPUT.vx(),
                "",
                INPUT.principal(),
                INPUT.document(),
                INPUT.task(),
                INPUT.now(),
                Set.of("content", "vx.description"));
        assertThat(Expression.compile(expression).evaluate(partial).kind()).isEqualTo(expected);
    }
}
