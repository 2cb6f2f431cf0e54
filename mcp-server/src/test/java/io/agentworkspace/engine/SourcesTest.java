package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Repository;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of {@code docs/house.md} that only sources can tell. */
class SourcesTest {
    private static final int STOP = 500;

    private static final Pattern PUBLIC =
            Pattern.compile("(?m)^(?:@\\w+.*\\n)*public (?:\\w+ )*(?:class|record|interface|enum|@interface) ");

    @Test
    void noFileIsTooLongToRead() {
        assertThat(Repository.sources()).isNotEmpty();
        assertThat(Repository.sources().stream().filter(file -> lines(file) > STOP))
                .isEmpty();
    }

    private static long lines(Path file) {
        return Repository.text(file).lines().count();
    }

    @Test
    void everyPublicTypeSaysWhatItIs() {
        assertThat(Repository.sources().stream().filter(SourcesTest::isMain).filter(file -> !saysWhatItIs(file)))
                .isEmpty();
    }

    private static boolean isMain(Path file) {
        return Repository.ROOT.relativize(file).toString().contains("/src/main/");
    }

    private static boolean saysWhatItIs(Path file) {
        var text = Repository.text(file);
        var type = PUBLIC.matcher(text);
        return !type.find() || text.substring(0, type.start()).endsWith("*/\n");
    }

    private static final Pattern LITERAL = Pattern.compile("\"{3}[\\s\\S]*?\"{3}|\"(?:[^\"\\\\\n]|\\\\.)*\"");

    private static final Pattern KEYWORD =
            Pattern.compile("\\b(SELECT|FROM|WHERE|UPDATE|INSERT|DELETE|JOIN|AND|FOR|ORDER|RETURNING|COALESCE)\\b");

    /** A literal with SQL that is formatted, replaced in or joined with another, or a fragment that is asked for. */
    private static final Pattern SPLICE = Pattern.compile(
            "SQL\\s*(\\.formatted|\\.replace|\\+)|\\+\\s*SQL|\\b(WITH|KNOWN)_CONTEXT\\b|\\bVisibility\\.");

    /** What is evaluated at class load: constants, and the methods that put them together, which take their aliases. */
    private static final Pattern AT_CLASS_LOAD =
            Pattern.compile("^ *(public |private )?static (final |String \\w+\\()");

    @Test
    void statementsArePutTogetherAtClassLoad() {
        assertThat(Repository.sources().stream()
                        .filter(SourcesTest::isMain)
                        .filter(file -> file.toString().matches(".*(Store|Queries|Rows?)\\.java"))
                        .filter(file -> members(Repository.text(file))
                                .filter(member -> !AT_CLASS_LOAD.matcher(member).find())
                                .anyMatch(member ->
                                        SPLICE.matcher(withoutTexts(member)).find())))
                .as("name each statement, and each variant of one, as a constant")
                .isEmpty();
        // Where SQL is replaced in, nobody knows what is read.
        assertThat(Repository.sources().stream()
                        .filter(SourcesTest::isMain)
                        .filter(file -> file.toString().matches(".*(Store|Queries|Rows?|Visibility)\\.java"))
                        .filter(file -> Repository.text(file).contains(".replace(")))
                .isEmpty();
    }

    private static Stream<String> members(String type) {
        return Stream.of(type.substring(type.indexOf("{\n") + 2).split("\\n(?= {4}[^ })*/@])"));
    }

    private static String withoutTexts(String member) {
        return LITERAL.matcher(member)
                .replaceAll(text -> KEYWORD.matcher(text.group()).find() ? "SQL" : "TEXT");
    }

    /** A table or a branch by a tool's name: what it says is a fact that the tool itself can declare. */
    private static final Pattern BY_TOOL =
            Pattern.compile("(?:Map\\.of|entry|Set\\.of|List\\.of|put|case|equals)[( ]\\s*\"[A-Z]{2}_[A-Z]\\w*[\".]");

    @Test
    void factsAboutAToolAreOnTheTool() {
        assertThat(Repository.sources().stream()
                        .filter(SourcesTest::isMain)
                        .flatMap(file -> BY_TOOL.matcher(Repository.text(file))
                                .results()
                                .map(found -> file.getFileName() + ": " + found.group())))
                .as("declare it on the tool's draft, like unmetered() and example(…)")
                .isEmpty();
    }

    /** What makes a test depend on how fast the machine is: a pause, a limit under a minute, a judgement on a duration. */
    private static final Pattern HASTE = Pattern.compile("""
            \\.sleep\\(
            parkNanos\\(
            pollDelay\\(
            \\.atMost\\((?!Duration\\.ofMinutes)
            isLessThan(OrEqualTo)?\\(Duration
            @Timeout\\(value = \\d+, threadMode
            [tT]imeout\\(([1-5]?\\d_)?\\d{1,3}\\)
            [tT]imeout\\w*\\(Duration\\.of(Millis|Seconds\\([1-5]?\\d\\))
            \\b[1-5]?\\d, TimeUnit\\.SECONDS
            set(|Default|DefaultNavigation)Timeout\\((?!HANG_LIMIT|TIME|120_000)
            \\btimeout:\\s
            """.strip().replace('\n', '|'));

    /** Where it is right, and why. A slow machine makes none of these fail. */
    private static final Map<String, String> NO_HASTE = Map.ofEntries(
            Map.entry("ChaosTest.java", "bad receivers are slow, kills come at random times"),
            Map.entry("EarlyAnswerTest.java", "a client that sends slowly"),
            Map.entry("EventMakers.java", "makes events at an even rate"),
            Map.entry("Fixtures.java", "work that takes a while"),
            Map.entry("HostileProviderTest.java", "a provider that does not answer"),
            Map.entry("HousekeepingTest.java", "work that takes a while"),
            Map.entry("RateReplicasTest.java", "asks four times a second"),
            Map.entry("RoundTripsTest.java", "news of a plan leave no trace that could be waited for"),
            Map.entry("SenderTest.java", "a receiver that sends a byte a second"),
            Map.entry("client.mjs", "asks four times a second"),
            Map.entry("pages.mjs", "has the limit itself, and looks at a page for 300 ms"));

    @Test
    void noTestDependsOnHowFastTheMachineIs() {
        var scripts = Repository.files("mcp-server/src/test/node", ".mjs").stream()
                .filter(file -> !file.toString().contains("node_modules"));
        assertThat(Stream.concat(Repository.sources().stream().filter(file -> !isMain(file)), scripts)
                        .filter(file -> !NO_HASTE.containsKey(file.getFileName().toString()))
                        .flatMap(file -> HASTE.matcher(Repository.text(file))
                                .results()
                                .map(found -> file.getFileName() + ": " + found.group())))
                .as(
                        "wait for a condition with Awaitility's default, or HangLimit; count instead of timing; measure in ./engine bench")
                .isEmpty();
    }
}
