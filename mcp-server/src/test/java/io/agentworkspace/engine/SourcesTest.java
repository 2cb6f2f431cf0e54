package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Repository;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of {@code docs/dev/house.md} that only sources show. */
class SourcesTest {
    /** The Java files of all modules, each read once, and those of them that are no tests. */
    private static final List<Source> SOURCES = Repository.sources().stream()
            .map(file -> new Source(file, Repository.text(file)))
            .toList();

    private static final List<Source> MAIN =
            SOURCES.stream().filter(Source::isMain).toList();

    private record Source(Path file, String text) {
        String name() {
            return file.getFileName().toString();
        }

        String type() {
            return name().replace(".java", "");
        }

        boolean isMain() {
            return Repository.ROOT.relativize(file).toString().contains("/src/main/");
        }

        /** Returns what a pattern finds in it, after the file's name. */
        Stream<String> find(Pattern pattern) {
            return pattern.matcher(text).results().map(found -> name() + ": " + found.group());
        }

        @Override
        public String toString() {
            return file.toString();
        }
    }

    private static final Pattern PUBLIC =
            Pattern.compile("(?m)^(?:@\\w+.*\\n)*public (?:\\w+ )*(?:class|record|interface|enum|@interface) ");

    @Test
    void everyPublicTypeSaysWhatItIs() {
        assertThat(MAIN.stream().filter(source -> !saysWhatItIs(source.text()))).isEmpty();
    }

    private static boolean saysWhatItIs(String text) {
        var type = PUBLIC.matcher(text);
        return !type.find() || text.substring(0, type.start()).endsWith("*/\n");
    }

    private static final Pattern LITERAL = Pattern.compile("\"{3}[\\s\\S]*?\"{3}|\"(?:[^\"\\\\\n]|\\\\.)*\"");

    private static final Pattern KEYWORD = Pattern.compile(
            "\\b(SELECT|FROM|WHERE|UPDATE|INSERT|DELETE|JOIN|AND|FOR|ORDER|RETURNING|COALESCE|LATERAL|jsonb_build_object)\\b");

    /** SQL that is assembled: from fragments, from a rule that several statements share, or by concatenation. */
    private static final Pattern ASSEMBLY = Pattern.compile(
            "SqlTemplate\\.of|SQL\\s*\\+|\\+\\s*SQL|\\b(WITH|KNOWN)_CONTEXT\\b|\\bsql\\((\\w+, )?[^();]*\\+");

    /** The second way to assemble SQL. Fragments have names: a {@code %3$s} sends the reader to count arguments. */
    private static final Pattern NAMELESS_FRAGMENTS =
            Pattern.compile("SQL\\s*\\.(formatted|replace)|String\\.format\\(\\s*SQL");

    private static final Pattern CONSTANT = Pattern.compile("^ *(public |private )?static final ");

    private static final Pattern STATIC_METHOD =
            Pattern.compile("^ *(?:public |private )?static (?!final)[\\w@.<>, ]+? (\\w+)\\(");

    /**
     * Statements are constants. The static methods that assemble them, from aliases or for variants, are called only
     * for constants: a call never assembles a statement.
     */
    @Test
    void statementsAreAssembledAtClassLoad() {
        var members = MAIN.stream()
                .filter(source -> !source.file().toString().contains("/engine/kernel/db/SqlTemplate"))
                .flatMap(source -> members(source.text()).map(text -> Member.of(source.type(), withoutTexts(text))))
                .toList();
        assertThat(members.stream()
                        .filter(member ->
                                NAMELESS_FRAGMENTS.matcher(member.text).find()))
                .as("name the fragments: SqlTemplate")
                .isEmpty();
        assertThat(onCallPaths(members))
                .as("name each statement, and each variant of one, as a constant")
                .isEmpty();
    }

    /** @param calls the methods that it calls, with their types: static ones of other types, and those of its own */
    private record Member(String type, String text, Set<String> calls) {
        static Member of(String type, String text) {
            var calls = METHOD_CALL
                    .matcher(text)
                    .results()
                    .map(call -> (call.group(1) == null ? type : call.group(1)) + "." + call.group(2))
                    .collect(Collectors.toSet());
            return new Member(type, text, calls);
        }

        boolean assembles(Set<String> methods) {
            return ASSEMBLY.matcher(text).find() || calls.stream().anyMatch(methods::contains);
        }
    }

    /** Returns what assembles SQL, or calls a method that does, and is neither a constant nor a static method. */
    private static List<Member> onCallPaths(List<Member> members) {
        var assembling = new HashSet<String>();
        var size = -1;
        while (size != assembling.size()) {
            size = assembling.size();
            for (var member : members) {
                var method = STATIC_METHOD.matcher(member.text);
                if (method.find() && member.assembles(assembling)) {
                    assembling.add(member.type() + "." + method.group(1));
                }
            }
        }
        return members.stream()
                .filter(member -> !CONSTANT.matcher(member.text).find()
                        && !STATIC_METHOD.matcher(member.text).find()
                        && member.assembles(assembling))
                .toList();
    }

    /** The call of a static method of another type, or of the same one. */
    private static final Pattern METHOD_CALL = Pattern.compile("(?:\\b([A-Z]\\w*)\\.|(?<![.\\w]))([a-z]\\w*)\\(");

    private static Stream<String> members(String type) {
        return Stream.of(type.substring(type.indexOf("{\n") + 2).split("\\n(?= {4}[^ })*/@])"));
    }

    private static String withoutTexts(String member) {
        return LITERAL.matcher(member)
                .replaceAll(text -> KEYWORD.matcher(text.group()).find() ? "SQL" : "TEXT");
    }

    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);

    private static final Pattern WORD = Pattern.compile("\\b[A-Z]\\w+");

    /** Types that other packages use without their name, as parts or results of others, and one that a benchmark uses. */
    private static final List<String> NAMELESS = List.of(
            "QueuePlace.java",
            "HandshakeReports.java",
            "JerseyAdapter.java",
            "Subscriptions.java",
            "Issuer.java",
            "FirstKey.java",
            "Attempt.java",
            "PreflightReport.java",
            "HealthCheck.java",
            "WordPiece.java");

    /** The groups of settings are public, since {@code Settings} returns them. */
    @Test
    void typesArePublicOnlyIfAnotherPackageUsesThem() {
        var users = new HashMap<String, Set<String>>();
        for (var source : SOURCES) {
            var user = packageOf(source);
            if (user.isEmpty()) {
                continue;
            }
            WORD.matcher(source.text())
                    .results()
                    .forEach(word -> users.computeIfAbsent(word.group(), _ -> new HashSet<>())
                            .add(user));
        }
        assertThat(MAIN.stream()
                        .filter(source -> PUBLIC.matcher(source.text()).find())
                        .filter(source -> !packageOf(source).endsWith(".settings") && !NAMELESS.contains(source.name()))
                        .filter(source -> Set.of(packageOf(source)).equals(users.get(source.type()))))
                .isEmpty();
    }

    /** Returns the package; empty for the program that uses a generated client. */
    private static String packageOf(Source source) {
        var name = PACKAGE.matcher(source.text());
        return name.find() ? name.group(1) : "";
    }

    /** A check of access whose result is dropped. */
    private static final Pattern DROPPED = Pattern.compile(
            "[;{}]\\s+\\w*(Access\\.missing|AccessCheck\\.ofCredential)\\((?![^;]*\\)\\s*\\.(map|ifPresent))");

    @Test
    void everyCheckOfAccessHasAConsequence() {
        assertThat(MAIN.stream().flatMap(source -> source.find(DROPPED)))
                .as("AccessCheck.require refuses")
                .isEmpty();
    }

    /** A table or a branch by a tool's name. The tool itself should declare such a fact. */
    private static final Pattern BY_TOOL =
            Pattern.compile("(?:Map\\.of|entry|Set\\.of|List\\.of|put|case|equals)[( ]\\s*\"[A-Z]{2}_[A-Z]\\w*[\".]");

    /** The hub's groups and their order are the page's own. A tool that no group names is in its family's group. */
    private static final String HUB_GROUPS = "ToolTask.java";

    @Test
    void factsAboutAToolAreOnTheTool() {
        assertThat(MAIN.stream()
                        .filter(source -> !source.name().equals(HUB_GROUPS))
                        .flatMap(source -> source.find(BY_TOOL)))
                .as("declare it on the tool's draft, like unmetered() and example(…)")
                .isEmpty();
    }

    /** Code that makes a test depend on the machine's speed: a pause, a limit under a minute, or a check of a duration. */
    private static final Pattern TIMING = Pattern.compile("""
            \\.sleep\\(
            parkNanos\\(
            pollDelay\\(
            during\\(
            poll\\(.*\\)\\)\\s*\\.isNull\\(\\)
            \\.atMost\\((?!Duration\\.ofMinutes)
            isLessThan(OrEqualTo)?\\(Duration
            @Timeout\\(value = \\d+, threadMode
            [tT]imeout\\(([1-5]?\\d_)?\\d{1,3}\\)
            [tT]imeout\\w*\\(Duration\\.of(Millis|Seconds\\([1-5]?\\d\\))
            \\b[1-5]?\\d, TimeUnit\\.SECONDS
            set(|Default|DefaultNavigation)Timeout\\((?!HANG_LIMIT|TIME|120_000)
            \\btimeout:\\s
            """.strip().replace('\n', '|'));

    /** The allowed uses, with their reasons. None of them fails on a slow machine. */
    private static final Map<String, String> TIMED = Map.ofEntries(
            Map.entry("ChaosTest.java", "bad receivers are slow, kills come at random times"),
            Map.entry("EarlyAnswerTest.java", "a client that sends slowly"),
            Map.entry("EventProducers.java", "makes events at an even rate"),
            Map.entry("Fixtures.java", "work that takes a while"),
            Map.entry("HostileProviderTest.java", "a provider that does not answer"),
            Map.entry("HousekeepingTest.java", "work that takes a while"),
            Map.entry("SenderTest.java", "a receiver that sends a byte a second"),
            Map.entry("a2a-kit.mjs", "an agent that works for a moment, as the scenarios of the kit say"),
            Map.entry("client.mjs", "asks four times a second"),
            Map.entry("pages.mjs", "has the limit itself, and looks at a page for 300 ms"));

    @Test
    void noTestDependsOnHowFastTheMachineIs() {
        var scripts = Repository.files("mcp-server/src/test/node", ".mjs").stream()
                .filter(file -> !file.toString().contains("node_modules"))
                .map(file -> new Source(file, Repository.text(file)));
        assertThat(Stream.concat(SOURCES.stream().filter(source -> !source.isMain()), scripts)
                        .filter(source -> !TIMED.containsKey(source.name()))
                        .flatMap(source -> source.find(TIMING)))
                .as(
                        "wait for a condition with Awaitility's default, or HangLimit; count instead of timing; measure in ./engine bench")
                .isEmpty();
    }

    private static final Pattern UNTYPED = Pattern.compile(
            "equest(?:\\(\\))?\\.[gs]etAttribute\\((?!RequestContext\\.|HttpStream\\.|ErrorHandler\\.)[^)]*");

    /** Besides Jetty's own attributes there is one, whose parts have types. */
    @Test
    void requestsHaveOneAttribute() {
        assertThat(MAIN.stream().flatMap(source -> source.find(UNTYPED)))
                .as("add it to RequestContext")
                .isEmpty();
    }

    private static final Pattern PROGRAM =
            Pattern.compile("\n    public static void main\\(String\\[\\] \\w+\\)[^{]*\\{\n *(.*)");

    private static final Pattern OF_THE_MACHINE = Pattern.compile(
            "\\.to(?:Lower|Upper)Case\\(\\)|Locale\\.getDefault|NumberFormat\\.get\\w*\\(\\)|DateTimeFormatter\\.ofLocalized|new (?:DecimalFormat|SimpleDateFormat|Scanner)\\(");

    /** In a locale such as ar_EG, {@code %d} writes other digits, and in tr_TR the small letter of I is another one. */
    @Test
    void whatIsForMachinesDoesNotDependOnTheLocale() {
        var entries = MAIN.stream()
                .flatMap(source -> PROGRAM.matcher(source.text()).results())
                .toList();
        assertThat(entries)
                .hasSize(4)
                .allSatisfy(entry -> assertThat(entry.group(1)).startsWith("Locale.setDefault(Locale.ROOT);"));
        assertThat(MAIN.stream().flatMap(source -> source.find(OF_THE_MACHINE))).isEmpty();
    }
}
