package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * The official clients hold sessions with the production server: directly, and behind a proxy that
 * alternates between two replicas.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
class ClientsTest {
    /** The tools of a default family that are listed only when they are asked for. */
    private static final Set<String> ON_DEMAND = Set.of("AP_Usage", "MB_Export", "MB_Import", "MB_Trash");

    private static final String AGENT = "Scout";

    /** Older clients use sessions, and newer clients do so in these modes. */
    private static final List<String> MODERN = List.of("auto", "2026-07-28", "modern");

    private static final List<OfficialClient> CLIENTS = List.of(
            ScriptClient.newer("auto"),
            ScriptClient.newer("2026-07-28"),
            ScriptClient.newer("legacy"),
            ScriptClient.older(),
            new InspectorClient("modern"),
            new InspectorClient("legacy"),
            new JavaClient());

    private final List<Visit> direct = new ArrayList<>();
    private final List<Visit> alternating = new ArrayList<>();
    private List<Integer> served = List.of();

    private record Visit(OfficialClient client, String way, SessionTranscript talk) {
        @Override
        public String toString() {
            return "%s %s %s".formatted(client.name(), client.mode(), way);
        }

        JsonNode got(String step) {
            return talk.got(step);
        }

        boolean passed() {
            return talk.failure().isEmpty()
                    && List.copyOf(talk.steps().keySet()).equals(client.steps());
        }
    }

    @BeforeAll
    void talk() throws IOException {
        Node.require();
        try (var other = TestServer.replica();
                var proxy = new AlternatingProxy(TestServer.url(), other.url())) {
            for (var client : CLIENTS) {
                direct.add(visit(client, "directly", TestServer.url() + "/mcp"));
                alternating.add(visit(client, "behind the proxy", proxy.url("/mcp")));
            }
            served = proxy.served();
        }
    }

    private static Visit visit(OfficialClient client, String way, String url) {
        var key = new TestTenant().key(ClientApi.MCP, "ann", Role.OWNER, List.of("*"));
        return new Visit(client, way, client.talk(url, key, AGENT));
    }

    Stream<Visit> visits() {
        return Stream.concat(direct.stream(), alternating.stream());
    }

    Stream<Visit> listening() {
        return visits().filter(visit -> visit.client().steps().contains("told"));
    }

    Stream<Visit> inspecting() {
        return visits().filter(visit -> visit.client().steps().contains("skills"));
    }

    @ParameterizedTest
    @MethodSource("visits")
    void everyStepOfASessionIsTaken(Visit visit) {
        assertThat(visit.talk().failure()).isEmpty();
        assertThat(visit.talk().steps()).containsOnlyKeys(visit.client().steps());
    }

    @Test
    void theProxySharesTheWork() {
        assertThat(served).allMatch(requests -> requests > 50);
    }

    @ParameterizedTest
    @MethodSource("visits")
    void theRevisionIsTheNewestThatTheClientIsToSpeak(Visit visit) {
        assertThat(visit.got("connect").path("version").asString(""))
                .isEqualTo(MODERN.contains(visit.client().mode()) ? "2026-07-28" : "2025-11-25");
        assertThat(visit.got("connect").path("server").asString("")).isEqualTo("io.agentworkspace/engine");
    }

    @ParameterizedTest
    @MethodSource("visits")
    void theToolsAreThoseOfTheDefaultToolset(Visit visit) throws IOException {
        var index = Repository.file("mcp-server/src/test/resources/golden/tools/index.txt");
        var expected = Stream.concat(
                Files.readAllLines(index).stream()
                        .filter(name -> name.matches("US_Read|(AP|DM|ZN|MB)_.*") && !ON_DEMAND.contains(name)),
                Stream.of("find_tools", "describe_tool", "run_tool"));
        assertThat(texts(visit.got("tools"))).containsExactlyElementsOf(expected.toList());
    }

    private static List<String> texts(JsonNode array) {
        return array.valueStream().map(JsonNode::asString).toList();
    }

    @ParameterizedTest
    @MethodSource("visits")
    void toolsAnswerWithTheEnvelope(Visit visit) {
        var read = visit.got("read");
        assertThat(read.path("isError").asBoolean(false)).isFalse();
        assertThat(read.at("/structuredContent/profile/0/user").asString("")).isEqualTo("ann");
        assertThat(read.at("/content/0/text").asString("")).contains("ann");
        var written = visit.got("write").at("/structuredContent");
        assertThat(written.at("/status/success").asBoolean(false)).isTrue();
        assertThat(written.at("/agent/name").asString("")).isEqualTo(AGENT);
    }

    @ParameterizedTest
    @MethodSource("visits")
    void aRefusalIsAnErrorOfTheToolWithTheEnvelope(Visit visit) {
        var refused = visit.got("refused");
        assertThat(refused.path("isError").asBoolean(false)).isTrue();
        assertThat(refused.at("/structuredContent/status/success").asBoolean(true))
                .isFalse();
        assertThat(refused.at("/structuredContent/status/internal_code").asInt(0))
                .isEqualTo(3001);
        assertThat(refused.at("/content/0/text").asString("")).contains("nobody there");
    }

    @ParameterizedTest
    @MethodSource("visits")
    void resourcesOfAllPagesAreListedAndRead(Visit visit) {
        assertThat(texts(visit.got("resources")))
                .contains("skill://first-steps/SKILL.md", "engine://agents/" + AGENT)
                .doesNotHaveDuplicates();
        assertThat(visit.got("skill").at("/contents/0/mimeType").asString("")).isEqualTo("text/markdown");
        assertThat(visit.got("skill").at("/contents/0/text").asString("")).contains("name: first-steps");
        assertThat(visit.got("agent").at("/contents/0/text").asString("")).contains("A test agent.");
    }

    @ParameterizedTest
    @MethodSource("listening")
    void aChangeThatAnotherClientMakesIsTold(Visit visit) {
        assertThat(visit.got("told").asString("")).isEqualTo("engine://agents/" + AGENT);
    }

    @ParameterizedTest
    @MethodSource("listening")
    void anArgumentIsCompleted(Visit visit) {
        assertThat(texts(visit.got("complete").at("/completion/values"))).containsExactly(AGENT);
    }

    @ParameterizedTest
    @MethodSource("visits")
    void aPromptIsGivenForTheTask(Visit visit) {
        assertThat(visit.got("prompt").at("/messages/0/role").asString("")).isEqualTo("user");
        assertThat(visit.got("prompt").path("messages").toString()).contains("Make an agent.");
    }

    @ParameterizedTest
    @MethodSource("inspecting")
    void theInspectorVerifiesEverySkill(Visit visit) {
        var reports = visit.got("skills");
        assertThat(reports).hasSizeGreaterThanOrEqualTo(5);
        for (var report : reports) {
            assertThat(report.path("conformance")).isEmpty();
            assertThat(report.path("files"))
                    .isNotEmpty()
                    .allMatch(file -> file.path("status").asString("").equals("verified"));
        }
    }

    @Test
    void thePageShowsTheResult() {
        var page = new StringBuilder("""

                `ClientsTest` connects these clients to the production server with a key. Each lists and calls tools, reads resources, is refused,
                subscribes, is notified of a change by another client, completes an argument and gets a prompt. The Inspector does not
                subscribe and complete; it checks the tools' schemas (`--strict`) and the skills' digests (`--verify`). Each client
                runs directly, and behind a proxy that alternates between two replicas.

                | client | version | mode | speaks | steps | behind the proxy |
                |---|---|---|---|---|---|
                """);
        for (var i = 0; i < CLIENTS.size(); i++) {
            var client = CLIENTS.get(i);
            page.append("| `%s` | %s | %s | %s | %s | %s |\n"
                    .formatted(
                            client.name(),
                            client.version(),
                            client.mode(),
                            direct.get(i).got("connect").path("version").asString(""),
                            result(direct.get(i)),
                            result(alternating.get(i))));
        }
        Golden.checkPart(Repository.file("docs/dev/conformance.md"), "clients", page.toString());
    }

    private static String result(Visit visit) {
        return "%d %s".formatted(visit.talk().steps().size(), visit.passed() ? "passed" : "failed");
    }
}
