package io.agentworkspace.engine.identity.rules.cel;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** Expressions that are too expensive are refused when they are saved, or end within their limits. */
@Tag("slow")
class HostileExpressionsTest {
    private static final String LONG = "a".repeat(64_000);

    /** The largest possible request. */
    private static final ExpressionInput LARGE = ExpressionInput.of(
            Json.readValue("""
                    {"command":{"name":"MB_Store","family":"bank","effect":"creates"},
                     "target":{"bank":"Box"},"principal":{"user":"ann","role":"member"},
                     "vx":{"name":"x","profile":"%1$s","tags":[%2$s]},"content":"%1$s","document":{"text":"%1$s!"}}
                    """.formatted(LONG, "\"" + "tag\",\"".repeat(99) + "tag\""), ObjectNode.class),
            Instant.parse("2026-01-05T10:00:00Z"));

    /** Returns expressions that do not compile. */
    static Stream<String> refused() {
        var nested = "vx.tags.exists(a, vx.tags.exists(b, vx.tags.exists(c, %s)))";
        var all = new ArrayList<>(List.of(
                // Loops
                nested.formatted("a == b && b == c"),
                "vx.tags.all(a, vx.tags.all(b, a.contains(b) || content.contains(a) || content.contains(b)  || a.contains(b) || a == b || b == a || b.contains(a)))",
                "[1,2,3].map(x, x * 2) == [2,4,6]",
                "vx.tags.filter(t, t != '').size() > 1",
                "vx.tags.map(t, vx.tags.map(u, t)).size() > 1",
                "while (true) { }",
                "for (var i = 0; ; i++) {}",
                "vx.tags.reduce(a, b, a + b) == ''",
                "{'a': 1}.map(k, k).size() > 0",
                "vx.tags.exists(1, true)",
                "vx.tags.exists(target.agent, true)",
                "content.exists(c, c == 'a')",
                "5.exists(x, true)",
                // Longer texts and lists
                "content + content == ''",
                "(vx.name + vx.name).size() > 3",
                "'a' + 'b' == 'ab'",
                "[1] + [2] == [1, 2]",
                "b'a' + b'b' == b'ab'",
                "string(now) == ''",
                "string(1) == '1'",
                "bytes(content) == b''",
                "content.replace('a', 'aaaa').size() > 1",
                "content.join(',') == ''",
                "content.split('a').size() > 3",
                "'%s'.format([content]) == ''",
                "strings.quote(content) == ''",
                "content.repeat(1000) == ''",
                "base64.encode(content) == ''",
                // Patterns
                "content.matches(vx.name)",
                "content.matches(content)",
                "content.matches('(a+)+\\\\1')",
                "content.matches('(?=a)b')",
                "content.matches('(?<!a)b')",
                "content.matches('(a')",
                "content.matches('[')",
                "content.matches('a{1000000}')",
                "content.matches('(((a{100}){100}){100}){100}')",
                "matches(content, 'a')",
                "content.matches(true ? 'a' : 'b')",
                "content.matches(3)",
                // Types
                "content",
                "1",
                "now",
                "vx",
                "vx.tags",
                "null",
                "content == 1",
                "content > 1",
                "vx.tags == 'a'",
                "vx == target",
                "size(1) > 0",
                "!content",
                "-content == ''",
                "content && true",
                "content ? true : false",
                "content in content",
                "1 in 'abc'",
                "vx['name'] == ''",
                "content[0] == 'a'",
                "now + 1 == now",
                "now > 'today'",
                "dyn(content) == 1",
                "type(content) == string",
                "vx.tags[vx.name] == ''",
                "document.size == '1'",
                "document.size.contains('1')",
                "true ? 1 : 2",
                "principal.capabilities.contains('*')",
                // Unknown variables and fields
                "secret == ''",
                "vx.secret == ''",
                "target.tenant == 1",
                "principal.secret_hash == ''",
                "principal.capabilities.add('*')",
                "command.getClass() == ''",
                "content.getClass().forName('java.lang.Runtime') == null",
                "java.lang.System.exit(0)",
                "System.getenv('PATH') == ''",
                "java.lang.Runtime.getRuntime().exec('id') == null",
                "T(java.lang.Runtime).getRuntime() == null",
                "${jndi:ldap://localhost/a}",
                "#{content}",
                "new java.io.File('/etc/passwd').exists()",
                "open('/etc/passwd') == ''",
                "http.get('http://localhost') == ''",
                "env.PATH == ''",
                "this.content == ''",
                "self == ''",
                "google.protobuf.Any{} == content",
                "google.protobuf.Struct{fields: {}} == content",
                "google.protobuf.Timestamp{seconds: 1} == now",
                "vx{name: 'x'} == vx",
                "cel.bind(x, content, x == x)",
                "cel.iterateOver",
                "__result__ == true",
                "@result == true",
                "_==_(1, 1)",
                "optional.of(content).hasValue()",
                "vx.?name.hasValue()",
                "import os",
                "SELECT 1",
                "'; DROP TABLE rule; --",
                "content == 'a' ; true",
                "\u202etrue",
                "",
                " ",
                "((((((((",
                "1 +",
                "'unclosed",
                "{",
                "//",
                "\\",
                "0x",
                "999999999999999999999999999 > 1",
                "1e999999 > 1.0 &"));
        all.add("(".repeat(200) + "true" + ")".repeat(200));
        all.add("true" + " && true".repeat(600));
        all.add("[" + "1,".repeat(1_500) + "1].exists(x, x == 1)");
        all.add("'" + "a".repeat(5_000) + "' == content");
        all.add("true" + " ".repeat(5_000));
        all.add("[".repeat(60) + "]".repeat(60) + " == []");
        all.add("vx.name" + ".lower()".repeat(400) + " == ''");
        all.add(IntStream.range(0, 100)
                .mapToObj(i -> "vx.tags.exists(t, t == '" + i + "')")
                .reduce((a, b) -> a + " || " + b)
                .orElseThrow());
        return all.stream();
    }

    /** Returns expressions that compile and are bounded at run time: a result or a failure, without much work. */
    static Stream<String> bounded() {
        return Stream.of(
                "content.matches('(a+)+$')",
                "(size(vx.name) > 3 ? content : vx.profile).lower().matches('(a|b)+c')",
                "vx.tags.exists(t, vx.description.contains(t) && vx.profile.contains('b' ))",
                "[vx.name, document.name].exists(n, content.contains(n) || document.text.contains(n) || sameName(n, content))",
                "[[content], ['a', document.text]].exists(l, l.exists(t, hasSecret(t)))",
                "vx.tags.exists(t, document.text.mentions([t, document.name]) || content.mentions([t, vx.profile]))",
                "{'a': document.text}.exists(k, k.contains('b'))",
                "['a', 'b', content][2].matches('b') || [document.text][0].contains('b')",
                "document.warnings.exists(w, document.text.mentions(document.warnings))",
                "content.matches('(a|aa)+b')",
                "content.matches('^(([a-z])+.)+[A-Z]([a-z])+$')",
                "content.matches('(.*)(.*)(.*)(.*)(.*)b')",
                "content.matches('(a?){100}a{100}b')",
                "vx.tags.exists(t, content.matches('(a|b|c)*d'))",
                "vx.tags.exists(t, content.contains(vx.profile))",
                "content.contains(vx.profile)",
                "document.text.contains(content)",
                "vx.tags.exists(t, content.lower() == t)",
                "vx.tags.exists(t, hasSecret(content))",
                "vx.tags.all(t, content.mentions(['a', 'b', 'c']) || content == vx.profile)",
                "vx.tags.all(t, content == vx.profile)",
                "vx.tags.all(t, sameName(content, vx.profile))",
                "content.mentions(vx.tags)",
                "!".repeat(2_001) + "true",
                "1 / 0 == 1",
                "1 % 0 == 1",
                "9223372036854775807 + 1 > 0",
                "-9223372036854775807 - 10 < 0",
                "9223372036854775807 * 2 > 0",
                "int(vx.name) == 1",
                "vx.tags[100000] == ''",
                "vx.tags[-1] == ''",
                "timestamp('never') == now",
                "duration('forever') == duration('1s')",
                "now.getHours('No/Where') == 1",
                "now + duration('9223372036s') > now",
                "{'a': 1}['b'] == 1",
                "content.size() / (content.size() - 64000) > 1");
    }

    @ParameterizedTest
    @MethodSource
    void refused(String expression) {
        try {
            Expression.compile(expression);
        } catch (ExpressionError e) {
            assertThat(e.line()).isPositive();
            assertThat(e.column()).isPositive();
            assertThat(e.getMessage())
                    .isNotBlank()
                    .hasSizeLessThan(1_000)
                    .doesNotContain("dev.cel", "Exception", "java.");
            return;
        }
        throw new AssertionError("it was accepted");
    }

    /** The limit counts the text that was examined, not the time. */
    @ParameterizedTest
    @MethodSource
    void bounded(String expression) throws ExpressionError {
        var outcome = Expression.compile(expression).evaluate(LARGE);
        assertThat(outcome.kind())
                .isIn(
                        Expression.EvaluationResult.MATCHES,
                        Expression.EvaluationResult.PASSES,
                        Expression.EvaluationResult.FAILED);
        if (outcome.kind() == Expression.EvaluationResult.FAILED) {
            assertThat(outcome.failure()).isNotBlank().hasSizeLessThan(300);
        }
    }

    @Test
    void aHundredAreTried() {
        assertThat(refused().distinct().count()).isGreaterThanOrEqualTo(100);
    }

    /** Returns what an evaluation may examine: a command has the longest texts that it can have, a document has a long one. */
    private static ExpressionInput longest(boolean isDocument) {
        var values = Json.object();
        if (isDocument) {
            values.putObject("document")
                    .put("text", LONG)
                    .put("name", "n".repeat(255))
                    .putArray("warnings")
                    .add("instructions");
        } else {
            values.put("content", LONG);
            values.putObject("target").put("agent", "a".repeat(64)).put("bank", "a".repeat(64));
            var vx = values.putObject("vx")
                    .put("name", "a".repeat(255))
                    .put("description", "a".repeat(2_000))
                    .put("profile", "a".repeat(16_000));
            var tags = vx.putArray("tags");
            IntStream.range(0, 100).forEach(n -> tags.add("a".repeat(64)));
        }
        return ExpressionInput.of(values, Instant.parse("2026-01-05T10:00:00Z"));
    }

    /** What is computed when a rule is saved is never less than what an evaluation examines. */
    @ParameterizedTest
    @MethodSource("bounded")
    void noneExaminesMoreThanWasComputed(String expression) throws ExpressionError {
        for (var isDocument : List.of(true, false)) {
            var input = longest(isDocument);
            var cost = Expression.cost(expression, isDocument);
            var budget = EvaluationBudget.of(input);
            Expression.compile(expression).evaluate(input, budget);
            assertThat(budget.used()).isLessThanOrEqualTo(cost.each() * LONG.length() + cost.fixed());
        }
    }

    /** The rules of a command share one budget: what one rule uses is missing for the next. */
    @Test
    void theRulesOfACommandShareABudget() throws ExpressionError {
        var greedy = Expression.compile("content.matches('(a|b|c)*dddddddddddddddddddddddddddddddddddd')");
        var budget = EvaluationBudget.of(LARGE);
        var kinds = IntStream.range(0, 100)
                .mapToObj(_ -> greedy.evaluate(LARGE, budget).kind())
                .distinct()
                .toList();
        assertThat(kinds).containsExactly(Expression.EvaluationResult.PASSES, Expression.EvaluationResult.FAILED);
    }

    private static ExpressionInput document(int length) {
        var values = Json.object();
        values.putObject("document").put("text", "All of these words are harmless. ".repeat(length / 33 + 1));
        return ExpressionInput.of(values, Instant.parse("2026-01-05T10:00:00Z"));
    }

    /** Whether a rule can be evaluated depends on the rule, and not on the length of the document. */
    @ParameterizedTest
    @ValueSource(ints = {30_000, 300_000, 5_000_000})
    void aLongDocumentIsExaminedLikeAShortOne(int length) throws ExpressionError {
        var input = document(length);
        var budget = EvaluationBudget.of(input);
        for (var when : List.of(
                "hasSecret(document.text)",
                "document.text.mentions(['confidential', 'secret plan', 'ACME', 'for internal use only'])",
                "document.text.matches('[0-9]{4}-[0-9]{4}-[0-9]{4}')",
                "document.text.matches('(?i)(alpha|beta|gamma|delta) [0-9]{1,12}')",
                "document.text.matches('[0-9]{200}')",
                "size(document.text) < 20000")) {
            assertThat(Expression.compile(when).evaluate(input, budget))
                    .as(when)
                    .isEqualTo(new Expression.Evaluation(Expression.EvaluationResult.PASSES, null));
        }
    }

    /** A loop that looks at the whole text again and again is ended. */
    @Test
    void loopsOverALongDocumentAreBounded() throws ExpressionError {
        var list = IntStream.range(0, 18).mapToObj(Integer::toString).collect(Collectors.joining(",", "[", "]"));
        var outcome = Expression.compile(
                        "%s.exists(a, %s.exists(b, size(document.text) < a + b))".formatted(list, list))
                .evaluate(document(1_000_000));
        assertThat(outcome.kind()).isEqualTo(Expression.EvaluationResult.FAILED);
        assertThat(outcome.failure()).contains("more text than they may", "use fewer rules");
    }
}
