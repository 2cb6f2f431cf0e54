package io.agentworkspace.engine;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What a person does in the console about agents that the loop guard stopped, which {@code console-guard.mjs} does in real Chromium. */
@Tag("slow")
class ConsoleGuardTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static String ann;
    private static Steps steps;

    @BeforeAll
    static void play() {
        Chromium.require();
        var tenant = new TestTenant();
        ann = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        call("AP_Create", "{'vx':{'name':'Lead','description':'Plans.'}}");
        call("AP_Create", "{'vx':{'name':'Worker','description':'Builds.'}}");
        call("DM_Create", "{'target':{'agent':'Lead'},'vx':{'name':'Yard','description':'A yard.'}}");
        call("DM_Invite", "{'target':{'domain':'Yard','agent':'Worker'}}");
        steps = Chromium.play(
                Map.of("ANN_KEY", ann, "LEAD_KEY", keyOf("Lead"), "WORKER_KEY", keyOf("Worker")),
                "console-guard.mjs",
                TestServer.url(),
                SCREENSHOTS.toString());
    }

    private static Reply call(String tool, String arguments) {
        var fields = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.REST.call(TestServer.url(), ann, tool, fields).ok();
    }

    private static String keyOf(String agent) {
        return call("AK_Create", "{'name':'%s','agent':'%s','capabilities':['*']}".formatted(agent, agent))
                .text("/api_key");
    }

    private static JsonNode pressed(String name) {
        var step = steps.of("pressed").stream()
                .filter(each -> each.path("name").asString().equals(name))
                .toList();
        assertThat(step).as(name).hasSize(1);
        assertThat(step.getFirst().path("rows").asInt()).as(name).isEqualTo(1);
        assertThat(step.getFirst().path("note").asString()).as(name).startsWith("loop guard");
        return step.getFirst();
    }

    private static void has(JsonNode guard, String expected) {
        assertThat(guard).isEqualTo(Json.read(expected.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void anIncidentIsOneRowWithWhatCanBeDoneAboutIt() {
        assertThat(texts(steps.only("row").path("actions")))
                .containsExactly("Allow 50 more", "Stop them", "Change the limit", "Write to it");
        assertThat(steps.only("row").path("dangers").asInt())
                .as("what can be undone is no danger")
                .isZero();
        assertThat(pressed("allow").path("text").asString())
                .contains("Lead and Worker", "were stopped by the loop guard", "refused", "hop 3");
        assertThat(pressed("allow in a room").path("text").asString()).contains("Yard");
    }

    @Test
    void fiftyMoreAreAllowed() {
        has(pressed("allow").at("/has/lead"), "{'hops':2,'per_minute':30,'more':50}");
        has(pressed("allow").at("/has/worker"), "{'hops':2,'per_minute':30,'more':50}");
        assertThat(pressed("allow").path("sent").asInt()).isEqualTo(2);
        has(pressed("allow in a room").path("has"), "{'hops':24,'per_minute':1,'more':50}");
        assertThat(pressed("allow in a room").path("sent").asInt()).isEqualTo(2);
    }

    @Test
    void theyAreStoppedUntilThatIsUndone() {
        has(pressed("stop").at("/has/lead"), "{'hops':2,'per_minute':30,'stopped':true}");
        has(pressed("stop").at("/has/worker"), "{'hops':2,'per_minute':30,'stopped':true}");
        assertThat(pressed("stop").path("sent").asInt()).isZero();
        has(steps.only("undone").at("/has/lead"), "{'hops':2,'per_minute':30}");
        has(steps.only("undone").at("/has/worker"), "{'hops':2,'per_minute':30}");
        has(pressed("stop in a room").path("has"), "{'hops':24,'per_minute':1,'stopped':true}");
        assertThat(pressed("stop in a room").path("sent").asInt()).isZero();
    }

    @Test
    void theLimitIsChangedFromWhatItIs() {
        var step = pressed("limit");
        assertThat(step.path("before").toString())
                .isEqualTo("[[\"Answers in a row\",\"2\"],[\"Messages a minute\",\"30\"]]");
        assertThat(step.path("focus").asBoolean()).isTrue();
        has(step.at("/has/lead"), "{'hops':40,'per_minute':30}");
        has(step.at("/has/worker"), "{'hops':40,'per_minute':30}");
        assertThat(step.path("sent").asInt()).isEqualTo(2);
    }

    @Test
    void whoWritesToThemWritesAtOnce() {
        assertThat(pressed("write").path("focus").asString()).isIn("Write to it: Lead", "Write to it: Worker");
        assertThat(texts(pressed("write").path("has"))).contains("Go on, both.");
        assertThat(pressed("write").path("sent").asInt()).isEqualTo(2);
        assertThat(pressed("write in a room").path("focus").asString()).startsWith("Write there: ");
        assertThat(pressed("write in a room").path("sent").asInt()).isEqualTo(2);
    }

    @Test
    void theRowGoesWhoeverEndsIt() {
        assertThat(steps.only("elsewhere").path("rows").asInt()).isEqualTo(1);
        assertThat(steps.only("elsewhere").path("empty").asString()).contains("Nothing waits for you");
        assertThat(steps.only("by itself").path("asks").asString())
                .as("what the console does when the limit has ended")
                .isEqualTo("POST");
    }

    @Test
    void thePagesOfAnAgentAndOfARoomStopThemAndLetThemGoOn() {
        for (var where : List.of("agent", "room")) {
            var set = steps.of("set").stream()
                    .filter(each -> each.path("where").asString().equals(where))
                    .toList();
            assertThat(set.stream().map(each -> each.path("name").asString()))
                    .containsExactly("Stop", "Let them write", "Allow 50 more", "Change the limit");
            assertThat(set)
                    .allSatisfy(each -> assertThat(each.path("dangers").asInt())
                            .as("what can be undone is no danger")
                            .isZero());
            assertThat(set.get(0).at("/has/stopped").asBoolean()).isTrue();
            assertThat(set.get(0).path("words").asString()).startsWith("Agents are stopped: they may not write ");
            assertThat(set.get(1).at("/has/stopped").asBoolean()).isFalse();
            assertThat(set.get(2).at("/has/more").asInt()).isEqualTo(50);
            assertThat(set.get(2).path("words").asString()).endsWith("50 more messages are allowed.");
            has(set.get(3).path("has"), "{'hops':12,'per_minute':20,'more':50}");
            assertThat(set.get(3).path("words").asString())
                    .startsWith("Agents may answer each other 12 times in a row, and send 20 messages a minute.");
        }
        assertThat(steps.of("while stopped"))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.path("sent").asInt()).isZero());
    }

    @Test
    void nothingIsWrongOnTheWay() {
        assertThat(texts(steps.only("faults").path("faults"))).isEmpty();
        assertThat(steps.of("a script ran")).isEmpty();
    }
}
