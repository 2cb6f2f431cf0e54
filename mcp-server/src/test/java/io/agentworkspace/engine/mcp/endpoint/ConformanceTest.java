package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.integrations.upstreams.FiveServers;
import io.agentworkspace.engine.mcp.endpoint.Referee.Verdict;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.web.server.SampleServer;
import io.agentworkspace.engine.web.server.TestKeys;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * The official conformance suite: all requirements of a revision against the production endpoint with the fixture
 * catalogue, and those without fixtures against the production server.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
class ConformanceTest {
    private static final String MODERN = "2026-07-28";
    private static final String SESSIONS = "2025-11-25";

    /** Scenarios that the suite runs without a score, since they belong to extensions or are on hold. */
    private static final List<String> UNSCORED = List.of(
            "http-header-validation",
            "http-custom-header-server-validation",
            "json-schema-2020-12",
            "server-session-lifecycle");

    /** The scenarios of the tasks extension, which no revision requires. */
    private static final List<String> TASKS = List.of(
            "tasks-capability-negotiation",
            "tasks-dispatch-and-envelope",
            "tasks-lifecycle",
            "tasks-mrtr-composition",
            "tasks-mrtr-input",
            "tasks-request-headers",
            "tasks-request-state-removal",
            "tasks-required-task-error",
            "tasks-status-notifications",
            "tasks-wire-fields");

    /** The production server has no tool that changes a list on the suite's request. */
    private static final List<String> EXCUSED = List.of(
            "sep-2575-server-sends-prompts-list-changed-on-subscription",
            "sep-2575-server-sends-tools-list-changed-on-subscription");

    private static final Map<String, List<String>> WITHOUT_FIXTURES = new TreeMap<>(Map.of(
            SESSIONS,
            List.of(
                    "server-initialize",
                    "ping",
                    "tools-list",
                    "resources-list",
                    "prompts-list",
                    "server-sse-multiple-streams",
                    "dns-rebinding-protection",
                    "server-session-lifecycle",
                    "sep-2640-skills-enumeration",
                    "sep-2640-skills-directory",
                    "sep-2640-skills-manifest"),
            MODERN,
            List.of(
                    "server-stateless",
                    "tools-list",
                    "resources-list",
                    "prompts-list",
                    "sep-2164-resource-not-found",
                    "caching",
                    "server-sse-multiple-streams",
                    "dns-rebinding-protection",
                    "http-header-validation",
                    "input-required-result-unsupported-methods",
                    "sep-2640-skills-enumeration",
                    "sep-2640-skills-directory",
                    "sep-2640-skills-manifest")));

    private final Map<String, Map<String, Verdict>> direct = new TreeMap<>();
    private final Map<String, Map<String, Verdict>> alternating = new TreeMap<>();
    private final Map<String, List<Verdict>> production = new TreeMap<>();

    /** The same with five servers installed, by path. */
    private final Map<String, Map<String, List<Verdict>>> gateway = new TreeMap<>();

    @BeforeAll
    void run(@TempDir Path folder) throws IOException {
        Node.require();
        var keys = new TestKeys();
        try (var proxy = new AlternatingProxy();
                var server = new SampleServer(Fixtures.offer(), keys, URI.create(proxy.url("")));
                var other = new SampleServer(Fixtures.offer(), keys, URI.create(proxy.url("")))) {
            proxy.add(server.url("").toString());
            proxy.add(other.url("").toString());
            for (var revision : List.of(SESSIONS, MODERN)) {
                direct.put(revision, new Referee(server.url("/mcp").toString(), server.key).requirements(revision));
                alternating.put(revision, new Referee(proxy.url("/mcp"), server.key).requirements(revision));
            }
        }
        try (var proxy = new AlternatingProxy();
                var server = Replica.start(Map.of("ENGINE_BASE_URL", proxy.url("")));
                var other = Replica.start(Map.of("ENGINE_BASE_URL", proxy.url("")))) {
            proxy.add(server.url());
            proxy.add(other.url());
            var key = new TestTenant().key(ClientApi.MCP, "referee", Role.OWNER, List.of("*"));
            production.putAll(withoutFixtures(new Referee(proxy.url("/mcp"), key)));
            try (var _ = new FiveServers(key, folder)) {
                for (var path : List.of("/mcp", "/mcp/x/all")) {
                    gateway.put(path, withoutFixtures(new Referee(proxy.url(path), key)));
                }
            }
        }
    }

    private static Map<String, List<Verdict>> withoutFixtures(Referee referee) {
        var verdicts = new TreeMap<String, List<Verdict>>();
        WITHOUT_FIXTURES.forEach(
                (revision, scenarios) -> verdicts.put(revision, referee.scenarios(scenarios, revision)));
        return verdicts;
    }

    @Test
    void everythingThatARevisionRequiresPasses() {
        assertThat(required(SESSIONS, direct)).hasSize(30).allMatch(ConformanceTest::passedInFull);
        assertThat(required(MODERN, direct)).hasSize(37).allMatch(ConformanceTest::passedInFull);
    }

    @Test
    void itPassesBehindAProxyThatAlternatesBetweenTwoReplicas() {
        assertThat(required(SESSIONS, alternating)).hasSize(30).allMatch(ConformanceTest::passedInFull);
        assertThat(required(MODERN, alternating)).hasSize(37).allMatch(ConformanceTest::passedInFull);
    }

    private static boolean passedInFull(Verdict verdict) {
        return verdict.passedBut(List.of()) && verdict.count(Referee.UNTESTABLE) == 0;
    }

    @Test
    void whatTheRefereeRunsWithoutScoringPassesToo() {
        for (var way : List.of(direct, alternating)) {
            for (var revision : List.of(SESSIONS, MODERN)) {
                assertThat(unscored(revision, way))
                        .filteredOn(verdict -> UNSCORED.contains(verdict.scenario()))
                        .isNotEmpty()
                        .allMatch(ConformanceTest::passedInFull);
            }
        }
    }

    /** The suite has no check for status notifications yet and skips that scenario. */
    @Test
    void theTasksExtensionPasses() {
        for (var way : List.of(direct, alternating)) {
            var tasks = tasks(way);
            assertThat(tasks).allMatch(Verdict::passed);
            assertThat(tasks.stream().filter(verdict -> !passedInFull(verdict)).map(Verdict::scenario))
                    .containsExactly("tasks-status-notifications");
        }
    }

    @Test
    void theProductionServerPassesWhatNeedsNoFixtures() {
        production.forEach((revision, verdicts) -> assertThat(verdicts)
                .as(revision)
                .hasSameSizeAs(WITHOUT_FIXTURES.get(revision))
                .allMatch(verdict -> verdict.passedBut(EXCUSED)));
        var excused =
                production.values().stream().flatMap(List::stream).flatMap(verdict -> verdict.complained().stream());
        assertThat(excused).as("the excused checks still fail").containsExactlyInAnyOrderElementsOf(EXCUSED);
    }

    /** What the servers of others have is in the lists that the referee reads. */
    @Test
    void itPassesAsBeforeWithFiveServersInstalled() {
        assertThat(gateway).hasSize(2);
        gateway.forEach((path, verdicts) -> assertThat(verdicts).as(path).isEqualTo(production));
    }

    @Test
    void aScenarioThatDidNotRunOrShowedNothingHasNotPassed() {
        var referee = new Referee(TestServer.url() + "/mcp", "no key");
        assertThat(referee.scenarios(List.of("no-such-scenario"), MODERN))
                .singleElement()
                .matches(verdict -> !verdict.passedBut(EXCUSED));
        assertThat(new Verdict("skipped", Map.of("SKIPPED", 3), List.of()))
                .matches(Verdict::passed)
                .matches(verdict -> !verdict.passedBut(EXCUSED));
    }

    @Test
    void thePageShowsTheResult() {
        var file = Repository.file("docs/dev/conformance.md");
        Golden.checkPart(file, "referee", page(Referee.published(Repository.text(file))));
    }

    private static List<Verdict> required(String revision, Map<String, Map<String, Verdict>> run) {
        var names = Referee.required(revision);
        return run.get(revision).values().stream()
                .filter(verdict -> names.contains(verdict.scenario()))
                .toList();
    }

    private static List<Verdict> unscored(String revision, Map<String, Map<String, Verdict>> run) {
        var required = Referee.required(revision);
        return run.get(revision).values().stream()
                .filter(verdict -> !required.contains(verdict.scenario()) && !TASKS.contains(verdict.scenario()))
                .toList();
    }

    private String page(String published) {
        var page = new StringBuilder("""

                `ConformanceTest` runs the official conformance suite of the Model Context Protocol,
                `@modelcontextprotocol/conformance@%s`, published on %s. It tests the production endpoint, with the tools,
                resources and prompts that the scenarios need; these fixtures are in the test tree. The suite runs twice: directly,
                and behind a proxy that alternates between two replicas. The tables count passed checks. A scenario passes if none of
                its checks failed or warned.
                """.formatted(Referee.version(), published));
        for (var revision : List.of(MODERN, SESSIONS)) {
            var required = required(revision, direct);
            page.append("\n## Revision %s: %d of %d required scenarios, %d behind the proxy\n\n"
                    .formatted(revision, passed(required), required.size(), passed(required(revision, alternating))));
            page.append(table(required, revision));
            page.append("\nRun, but not scored:\n\n");
            page.append(table(unscored(revision, direct), revision));
        }
        page.append("\n## The tasks extension\n\n");
        page.append(table(tasks(direct), MODERN));
        page.append("""

                A scenario is untested if the suite skips it or its fixtures are missing here. `server-sse-polling` requires that a tool call
                continues after its stream was closed, and that the client can fetch the rest with `Last-Event-ID`. Here a client
                that disconnects stops the work, and streams [cannot be resumed](decisions/mcp.md#sessions).
                """);
        page.append("""

                ## The production server, with a key and without fixtures

                Two replicas run behind the proxy. Scenarios that need a fixture are untested. Checks that need a list to change on request are
                excused, since the production server has no tool for that. The result is the same with five [upstream servers](../upstreams.md) installed.
                """);
        production.forEach((revision, verdicts) -> page.append("\n| scenario of %s | checks |\n|---|---|\n%s"
                .formatted(revision, verdicts.stream().map(ConformanceTest::row).collect(Collectors.joining()))));
        return page.toString();
    }

    private static List<Verdict> tasks(Map<String, Map<String, Verdict>> way) {
        return TASKS.stream().map(way.get(MODERN)::get).toList();
    }

    private static long passed(List<Verdict> verdicts) {
        return verdicts.stream().filter(Verdict::passed).count();
    }

    private static String row(Verdict verdict) {
        var excused = verdict.complained().size();
        var words = verdict.passedBut(EXCUSED) ? "passed" : "failed";
        var untested = verdict.count(Referee.UNTESTABLE);
        return "| %s | %d %s%s%s |\n"
                .formatted(
                        verdict.scenario(),
                        verdict.count("SUCCESS"),
                        words,
                        untested == 0 ? "" : ", %d untested".formatted(untested),
                        excused == 0 ? "" : ", %d excused".formatted(excused));
    }

    private String table(List<Verdict> verdicts, String revision) {
        var behind = alternating.get(revision);
        return verdicts.stream()
                .map(verdict -> "| %s | %s | %s |\n"
                        .formatted(verdict.scenario(), result(verdict), result(behind.get(verdict.scenario()))))
                .collect(Collectors.joining("", "| scenario | checks | behind the proxy |\n|---|---|---|\n", ""));
    }

    private static String result(@Nullable Verdict verdict) {
        return verdict == null
                ? "did not run"
                : verdict.passed() && verdict.count("SUCCESS") == 0
                        ? "untested"
                        : "%d %s".formatted(verdict.count("SUCCESS"), verdict.passed() ? "passed" : "failed");
    }
}
