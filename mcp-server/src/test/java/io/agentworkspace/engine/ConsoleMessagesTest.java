package io.agentworkspace.engine;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** How a person finds what was said, which {@code console-messages.mjs} does in real Chromium. */
@Tag("slow")
class ConsoleMessagesTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static TestTenant tenant;
    private static Steps steps;

    @BeforeAll
    static void play() {
        Chromium.require();
        tenant = new TestTenant();
        var ann = tenant.key(ClientApi.REST, "ann", Role.ADMIN, List.of("*"));
        call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'Pilots.','access':'public'}}");
        var bob = tenant.key(ClientApi.REST, "bob", Role.MEMBER, List.of("*"));
        ClientApi.REST
                .call(TestServer.url(), bob, "AP_Destroy", object("{'target':{'agent':'Ada'}}"))
                .refused(2003);
        call(ann, "DM_Create", "{'target':{'agent':'Ada'},'vx':{'name':'Harbour','description':'A harbour.'}}");
        var ada = call(ann, "AK_Create", "{'name':'ada','agent':'Ada','capabilities':['*']}")
                .text("/api_key");
        for (var said : List.of("The water is low at six", "The pilot boat is at the buoy", "I begin")) {
            call(ada, "AP_Chat", "{'target':{'domain':'Harbour','zone':'main'},'content':'%s'}".formatted(said));
        }
        TestDatabase.db()
                .sql(
                        "UPDATE message SET created_at = created_at - INTERVAL '1 day' WHERE tenant_id = :tenant AND content <> 'I begin'")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
        for (var i = 0; i < 25; i++) {
            call(ann, "AP_Chat", "{'target':{'domain':'Harbour','zone':'main'},'content':'Ahoy %d'}".formatted(i));
        }
        call(
                ada,
                "AP_Ask",
                "{'target':{'domain':'Harbour','zone':'main'},'content':'Which rock first?','choices':['North','South']}");
        var chart = call(ann, "DC_Submit", "{'name':'chart.txt','text':'Rocks in the south.'}")
                .text("/document/id");
        await().until(() -> !call(ann, "DC_Read", "{'id':'%s'}".formatted(chart))
                .at("/document")
                .has("queue"));
        call(ada, "AP_Chat", "{'to_user':true,'content':'Done. <img src=x onerror=alert(1)>'}");
        steps = Chromium.play(Map.of("ANN_KEY", ann), "console-messages.mjs", TestServer.url(), SCREENSHOTS.toString());
    }

    private static Reply call(String key, String tool, String arguments) {
        return ClientApi.REST
                .call(TestServer.url(), key, tool, object(arguments))
                .ok();
    }

    private static ObjectNode object(String json) {
        return Json.readObject(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whatAnAgentSaidYesterdayIsListedInOrderAndLinksToItsPlace() {
        var day = steps.only("day");
        assertThat(texts(day.path("yesterday")))
                .containsExactly("The water is low at six", "The pilot boat is at the buoy");
        assertThat(day.path("address").asString()).startsWith("?day=");
        assertThat(day.path("room").asString()).isEqualTo("/console/spaces/Harbour/main");
        assertThat(day.path("focused").asBoolean()).isTrue();
        assertThat(day.path("seen").asBoolean()).isTrue();
    }

    @Test
    void aPhoneAttachesDecidesAndAnswersInThreads() {
        var phone = steps.only("phone");
        assertThat(phone.path("attached").asString()).isEqualTo("/console/documents/chart.txt");
        assertThat(phone.path("kept").asInt())
                .as("what is still to be attached")
                .isZero();
        assertThat(texts(phone.path("choices"))).containsExactly("North", "South");
        assertThat(phone.path("decided").asString()).contains("North", "decided by ann");
        assertThat(phone.path("beside").asBoolean())
                .as("the room is shown beside the thread")
                .isFalse();
        assertThat(texts(phone.path("thread"))).first().asString().contains("Which rock first?");
        assertThat(phone.path("answers").asString()).isEqualTo("2 answers");
        assertThat(texts(phone.path("tabs")))
                .satisfiesExactly(
                        tab -> assertThat(tab).startsWith("With you"),
                        tab -> assertThat(tab).startsWith("In rooms"));
        assertThat(phone.path("pressed").asString()).startsWith("In rooms");
        assertThat(phone.path("writes").asInt())
                .as("where to write to the agent")
                .isZero();
    }

    @Test
    void aRoomFindsItsMessages() {
        var room = steps.only("room");
        assertThat(texts(room.path("found"))).containsExactly("The pilot boat is at the buoy");
        assertThat(room.path("message").asString()).isEqualTo("The pilot boat is at the buoy");
    }

    @Test
    void theSearchOfEverythingShowsTheNewestQuery() {
        var palette = steps.only("palette");
        assertThat(palette.path("searching").asString()).isEqualTo("Searching…");
        assertThat(palette.path("foot").path(0))
                .as("its height while searching, and after that")
                .isEqualTo(palette.path("foot").path(1));
        assertThat(texts(palette.path("options")))
                .singleElement()
                .asString()
                .contains("pilot boat is at the buoy", "Ada in Harbour/main");
        assertThat(palette.path("memories").asInt()).isZero();
        assertThat(steps.only("actions").path("docs").asString()).startsWith("/docs/");
    }

    @Test
    void aDirectMessageIsFoundWithItsAgent() {
        assertThat(steps.only("direct").path("path").asString()).isEqualTo("/console/agents/Ada");
        assertThat(steps.only("direct").path("text").asString()).contains("<img");
    }

    @Test
    void whatWasRefusedIsNotToldAsDone() {
        assertThat(steps.only("refused").path("row").asString()).isEqualTo("bob tried to delete Ada, refused");
    }

    @Test
    void nothingIsWrongOnTheWay() {
        assertThat(steps.only("faults").path("faults")).isEmpty();
        assertThat(steps.of("a script ran")).isEmpty();
    }
}
