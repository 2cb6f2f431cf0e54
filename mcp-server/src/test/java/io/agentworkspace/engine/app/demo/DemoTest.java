package io.agentworkspace.engine.app.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.examples.Demo;
import io.agentworkspace.engine.examples.Demo.Command;
import io.agentworkspace.engine.examples.Demo.Phase;
import io.agentworkspace.engine.examples.Demo.Progress;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The demo as {@code ./engine demo} runs it: by itself, with the address of an engine and the key of an admin. */
class DemoTest {
    private static final String ZONE = "'target':{'domain':'Checkout incident','zone':'main'}";

    private final TestTenant tenant = new TestTenant();
    private final String owner = tenant.key(ClientApi.REST, "owner", Role.OWNER, List.of("*"));
    private final Demo demo = new Demo(URI.create(TestServer.url()), owner);

    private Reply call(String tool, String arguments) {
        var body = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.REST.call(TestServer.url(), owner, tool, body);
    }

    private List<String> keys() {
        return call("AK_List", "{}").ok().texts("/keys", "name");
    }

    @Test
    void aPersonDecidesHowItContinuesAndNothingStays() throws Exception {
        demo.setUp();
        var reports = new ArrayList<Progress>();
        demo.play(1, progress -> {
            if (progress.phase() == Phase.WAITING && reports.getLast().phase() == Phase.RUNNING) {
                call("AP_Chat", "{" + ZONE + ",'content':'Never roll back.'}").ok();
            }
            reports.add(progress);
            return Command.CONTINUE;
        });
        assertThat(reports.getLast().phase()).isEqualTo(Phase.FINISHED);
        assertThat(reports.getLast().answer()).isEqualTo("Raise the pool and watch it");
        assertThat(reports.stream().filter(report -> report.phase() == Phase.WAITING))
                .allSatisfy(
                        report -> assertThat(report.document().path("question").asString())
                                .contains("Roll back"));
        assertThat(call("ZN_Read", "{" + ZONE + "}").ok().texts("/content", "content"))
                .anyMatch(text -> text.contains("bought an hour"))
                .noneMatch(text -> text.contains("Rolled back"));
        demo.remove();
        assertThat(keys()).noneMatch(name -> name.startsWith("demo"));
        assertThat(call("AP_List", "{}").ok().at("/profile")).isEmpty();
        assertThat(call("DM_List", "{}").ok().at("/profile")).isEmpty();
        assertThat(call("MB_List", "{}").ok().at("/profile")).isEmpty();
    }

    @Test
    void whatIsThereAlreadyStaysAsItIs() throws Exception {
        demo.setUp();
        assertThatThrownBy(new Demo(URI.create(TestServer.url()), owner)::setUp)
                .isInstanceOf(Demo.RefusedException.class)
                .hasMessageContaining("AP_Create")
                .hasMessageContaining("Mira");
        assertThat(keys()).filteredOn(name -> name.startsWith("demo ")).hasSize(3);
        assertThat(call("AP_List", "{}").ok().texts("/profile", "name")).contains("Mira", "Otto", "Juno");
    }

    /** Its replica has stopped: whoever looks can play it again or remove it. */
    @Test
    void aDemoWhoseClientIsGoneIsOver() {
        TestDatabase.db().sql("""
                INSERT INTO demo (tenant_id, run, state, seconds, held_until, key_ids)
                VALUES (:tenant, gen_random_uuid(), 'running', 90, now() - INTERVAL '1 second', '{}')
                """).set("tenant", tenant.id(ClientApi.REST)).run();
        assertThat(ask("GET").path("state").asString()).isEqualTo("finished");
        assertThat(ask("DELETE").path("state").asString()).isEqualTo("none");
        assertThat(ask("GET").path("state").asString()).isEqualTo("none");
    }

    private JsonNode ask(String method) {
        return Json.read(ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/demo"))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .header("X-Api-Key", owner)
                        .build())
                .body());
    }
}
