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

/** What waits for a person in the console, which {@code console-inbox.mjs} deals with in real Chromium. */
@Tag("slow")
class ConsoleInboxTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static TestTenant tenant;
    private static String ann;
    private static Steps steps;

    @BeforeAll
    static void play() {
        Chromium.require();
        tenant = new TestTenant();
        ann = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
        var bob = tenant.key(ClientApi.REST, "bob", Role.MEMBER, List.of("*"));
        call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'Paints.','access':'public'}}");
        call(bob, "AP_Create", "{'vx':{'name':'Ben','description':'Hosts.','access':'public'}}");
        call(bob, "DM_Create", "{'target':{'agent':'Ben'},'vx':{'name':'Hall','description':'A hall.'}}");
        call(bob, "DM_Invite", "{'target':{'domain':'Hall','agent':'Ada'}}");
        var ada = call(ann, "AK_Create", "{'name':'ada','agent':'Ada','capabilities':['*']}")
                .text("/api_key");
        call(ada, "AP_Chat", "{'to_user':true,'content':'I have begun. <img src=x onerror=alert(1)>'}");
        call(ada, "AP_Ask", "{'content':'Which colour?'}");
        steps = Chromium.play(
                Map.of("ANN_KEY", ann, "ADA_KEY", ada), "console-inbox.mjs", TestServer.url(), SCREENSHOTS.toString());
    }

    private static Reply call(String key, String tool, String arguments) {
        var fields = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.REST.call(TestServer.url(), key, tool, fields).ok();
    }

    @Test
    void whatWaitsIsCountedInTheMenuAndInTheTitle() {
        var counted = steps.only("counted");
        assertThat(counted.path("menu").asString()).isEqualTo("3");
        assertThat(counted.path("title").asString()).startsWith("(3) Needs you");
        assertThat(texts(counted.path("kinds")))
                .containsExactlyInAnyOrder("need question", "need message", "need invitation");
        assertThat(counted.path("onWorld").asInt()).isEqualTo(3);
    }

    @Test
    void whatComesInIsShownAndWhatIsBeingWrittenStays() {
        assertThat(steps.only("live").path("written").asString()).isEqualTo("Blue, like ");
        assertThat(steps.only("live").path("title").asString()).startsWith("(4) ");
    }

    @Test
    void whoRepliesWritesAtOnceAndTheEndOfACompositionSendsNothing() {
        assertThat(steps.only("focus").path("name").asString()).isEqualTo("Reply: Ada");
        assertThat(steps.only("composed").path("left").asString()).isEqualTo("Good.");
    }

    @Test
    void everythingIsDealtWithInPlace() {
        assertThat(steps.only("done").path("title").asString()).startsWith("Needs you");
        assertThat(steps.only("done").path("badge").asBoolean()).isFalse();
        var members = call(ann, "DM_Read", "{'target':{'domain':'Hall'}}");
        assertThat(members.texts("/content", "agent")).contains("Ada");
        var heard = call(ann, "AP_Read", "{'target':{'agent':'Ada'}}");
        assertThat(heard.texts("/content", "content")).contains("Blue.", "Two", "Good.");
    }

    @Test
    void nothingIsWrongOnTheWay() {
        assertThat(steps.only("faults").path("faults")).isEmpty();
        assertThat(steps.of("a script ran")).isEmpty();
    }
}
