package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.LoadClient;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** MB_Evaluate through both endpoints, here without a model of embeddings. */
class EvaluateToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    @BeforeEach
    void thereIsABank() {
        ann.call("MB_Create", "{'vx':{'name':'b'}}").ok();
        store("The deploy of the shop runs on Friday.", "deploy");
        store("The shop sells tea.", "tea");
        store("Tea is brewed at four.", "brewing");
    }

    private void store(String text, String name) {
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'%s','vx':{'name':'%s'}}".formatted(text, name))
                .ok();
    }

    private Reply evaluate(String pairs) {
        return ann.call("MB_Evaluate", "{'target':{'bank':'b'},'pairs':%s}".formatted(pairs));
    }

    @Test
    void itCountsWhatIsFoundAndHowEarly() {
        var found = evaluate("""
                [{'query':'when does the deploy run','expected':['Deploy']},
                 {'query':'which shop sells tea','expected':['brewing']},
                 {'query':'tea','expected':['tea','brewing']},
                 {'query':'zebra','expected':['deploy']}]
                """).ok();
        var text = found.at("/text");
        assertThat(text.path("hit_at_1").asDouble()).isEqualTo(0.5);
        assertThat(text.path("hit_at_5").asDouble()).isEqualTo(0.75);
        assertThat(text.path("mrr").asDouble()).isEqualTo(0.625);
        assertThat(text.path("ndcg_at_10").asDouble()).isEqualTo(0.658);
        assertThat(text.path("misses").toString()).isEqualTo("[\"zebra\"]");
        assertThat(text.path("p99_ms").asDouble())
                .isGreaterThanOrEqualTo(text.path("p50_ms").asDouble());
        assertThat(found.at("/hybrid/mrr")).isEqualTo(text.path("mrr"));
        assertThat(found.at("/vector/hit_at_5").asDouble()).isZero();
        assertThat(found.at("/vector/misses").size()).isEqualTo(4);
    }

    /** At one endpoint only, since the ids of the two tenants differ. */
    @Test
    void aMemoryMayBeExpectedByItsIdAndTheRouteNamesTheBank() {
        var key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
        TestCaller carl = (name, input) -> ClientApi.REST.call(TestServer.url(), key, name, input);
        carl.call("MB_Create", "{'vx':{'name':'two words'}}").ok();
        var id = carl.call("MB_Store", "{'target':{'bank':'two words'},'content':'The ferry leaves at noon.'}")
                .ok()
                .text("/memory/id");
        var body = "{\"pairs\":[{\"query\":\"ferry\",\"expected\":[\"%s\"]}]}".formatted(id);
        var answer = LoadClient.post(
                TestServer.url() + "/api/banks/two%20words/evaluate",
                Map.of("Content-Type", "application/json", "X-Api-Key", key),
                body.getBytes(StandardCharsets.UTF_8));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(Json.readObject(answer.body()).at("/text/hit_at_1").asDouble())
                .isEqualTo(1);
    }

    @Test
    void whatCannotBeEvaluatedIsRefused() {
        evaluate("[]").refused(1004, "at least one query");
        evaluate("[{'query':'x','expected':[]}]").refused(1004, "at least one expected memory");
        evaluate("[%s{'query':'x','expected':['y']}]".formatted("{'query':'x','expected':['y']},".repeat(200)))
                .refused(1005, "pairs");
        bob.call("MB_Evaluate", "{'target':{'bank':'b'},'pairs':[{'query':'x','expected':['y']}]}")
                .refused(3001, "no bank 'b'");
    }

    @Test
    void whatTakesTooLongIsEndedAndSaysHowMuchIsPossible() {
        var key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
        var clock = new TestClock();
        try (var replica = Replica.start(Map.of(), clock)) {
            TestCaller carl = (name, input) -> ClientApi.REST.call(replica.url(), key, name, input);
            carl.call("MB_Create", "{'vx':{'name':'c'}}").ok();
            var pair = "{'query':'tea','expected':['tea']}";
            carl.call("MB_Evaluate", "{'target':{'bank':'c'},'pairs':[%s]}".formatted(pair))
                    .ok();
            clock.jumpAtEveryLook(Duration.ofSeconds(31));
            var many = String.join(",", Collections.nCopies(100, pair));
            carl.call("MB_Evaluate", "{'target':{'bank':'c'},'pairs':[%s]}".formatted(many))
                    .refused(1004, "of 100 searches were done. Send at most ");
        }
    }

    @Test
    void whatTheCallerMayNotSeeIsAMiss() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        ann.call("MB_Store", "{'target':{'bank':'b','agent':'Ada'},'content':'Gulls nest here.','vx':{'name':'gulls'}}")
                .ok();
        var pairs = "[{'query':'gulls nest','expected':['gulls']}]";
        assertThat(evaluate(pairs).ok().at("/text/hit_at_1").asDouble()).isEqualTo(1);
        ann.call("MB_Censor", "{'target':{'bank':'b','agent':'Ada'}}").ok();
        assertThat(evaluate(pairs).ok().at("/text/hit_at_1").asDouble()).isZero();
    }
}
