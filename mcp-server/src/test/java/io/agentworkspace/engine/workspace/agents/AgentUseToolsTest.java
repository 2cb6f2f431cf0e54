package io.agentworkspace.engine.workspace.agents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an agent costs: AP_Usage. */
class AgentUseToolsTest {
    private static final String USAGE = "{'target':{'agent':'Ada'}}";
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.person(ClientApi.REST, "ann", Role.MEMBER);

    @BeforeEach
    void createAgent() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'Counts.','access':'public'}}")
                .ok();
    }

    /** Both directions are counted as JSON: a long argument, a long response, and a refusal. */
    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void callsAndCharactersAreCountedByDay(ClientApi api) {
        var key = ann.call("AK_Create", "{'name':'ada','agent':'Ada','capabilities':['*']}")
                .ok()
                .text("/api_key");
        var ada = TestCaller.of(api, key);
        ada.call("MB_Create", "{'vx':{'name':'notes'}}").ok();
        ada.call("MB_Store", "{'target':{'bank':'notes'},'content':'%s'}".formatted("x ".repeat(5_000)))
                .ok();
        ada.call("MB_Read", "{'target':{'bank':'notes'}}").ok();
        ada.call("AP_Destroy", "{'target':{'agent':'Nobody'}}").refused(3001);
        var used = awaitCalls(4);
        var sent = used.at("/total/characters_sent").asLong();
        var received = used.at("/total/characters_received").asLong();
        assertThat(sent).isBetween(10_000L, 11_000L);
        assertThat(received)
                .as("the stored and the read text, with what is around them")
                .isBetween(10_000L, 30_000L);
        assertThat(used.at("/total/estimated_tokens").asLong()).isEqualTo(Math.ceilDiv(sent + received, 4));
        assertThat(used.at("/daily")).hasSizeBetween(1, 2);
        assertThat(used.at("/days").asLong()).isEqualTo(30);
    }

    private Reply awaitCalls(long calls) {
        await().until(() -> ann.call("AP_Usage", USAGE).ok().at("/total/calls").asLong() >= calls);
        var used = ann.call("AP_Usage", USAGE).ok();
        assertThat(used.at("/total/calls").asLong()).isEqualTo(calls);
        return used;
    }

    /** What a person does is not the agent's. */
    @Test
    void onlyItsOwnerAndAdminsReadIt() {
        assertThat(ann.call("AP_Usage", USAGE).ok().at("/total/calls").asLong()).isZero();
        assertThat(tenant.person(ClientApi.REST, "root", Role.ADMIN)
                        .call("AP_Usage", USAGE)
                        .ok()
                        .text("/agent"))
                .isEqualTo("Ada");
        tenant.person(ClientApi.REST, "bob", Role.MEMBER)
                .call("AP_Usage", USAGE)
                .refused(2003);
        ann.call("AP_Usage", "{'target':{'agent':'Nobody'}}").refused(3001);
    }

    @Test
    void charactersAreThoseOfTheJson() {
        for (var text : List.of(
                "{\"a\":[1,2,3],\"b\":{\"c\":\"text\"},\"d\":null}",
                "\"plain\"",
                "[[],{}]",
                "{\"long\":123456.5,\"is\":true}")) {
            var value = Json.read(text.getBytes(StandardCharsets.UTF_8));
            assertThat(AgentUseStore.characters(value)).as(text).isEqualTo(text.length());
        }
    }
}
