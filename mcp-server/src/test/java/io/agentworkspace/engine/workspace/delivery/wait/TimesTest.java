package io.agentworkspace.engine.workspace.delivery.wait;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The times of a message that ends a wait, and of the agent that heard it. */
@ParameterizedClass
@EnumSource
class TimesTest {
    private final ClientApi api;
    private final TestCaller ann;

    TimesTest(ClientApi api) {
        this.api = api;
        ann = TestCaller.of(api, new TestTenant().key(api, "ann", Role.MEMBER, List.of("*")));
        agents(ann, "Ada", "Ben");
    }

    private Reply toBen() {
        return ann.call("AP_Chat", "{'target':{'agent':'Ben','context':'Ada'},'content':'news'}")
                .ok();
    }

    @Test
    void whatAWaitHeardIsNotOlderThanItsMessage() {
        var wait = CompletableFuture.supplyAsync(
                () -> ann.call("AP_Wait", "{'target':{'context':'Ben'},'wait_seconds':240}"),
                Executors.newVirtualThreadPerTaskExecutor());
        await().until(() -> toBen().text("/receipt/wakes").equals("wait") || wait.isDone());
        var heard = wait.join().ok();
        var created = Instant.parse(heard.text("/content/0/created_at"));
        assertThat(Instant.parse(heard.text("/header/time"))).isAfterOrEqualTo(created);
        assertThat(ann.call("AP_Read", "{'target':{'agent':'Ben','context':'Ada'}}")
                        .ok()
                        .at("/content")
                        .valueStream()
                        .filter(message -> message.has("read_at")))
                .isNotEmpty()
                .allSatisfy(message -> {
                    var sent = Instant.parse(message.path("created_at").asString());
                    assertThat(Instant.parse(message.path("read_at").asString()))
                            .isAfterOrEqualTo(sent);
                    assertThat(Instant.parse(message.path("delivered_at").asString()))
                            .isAfterOrEqualTo(sent);
                });
    }

    @Test
    void anAgentIsOnlineFromItsFirstCallAndWasSeenWhenItLoggedOff() {
        var before = toBen();
        assertThat(before.at("/receipt/online").asBoolean())
                .as("it was logged on")
                .isTrue();
        var off = ann.call("AP_LogOff", "{'target':{'context':'Ben'}}").ok();
        var receipt = toBen();
        assertThat(receipt.at("/receipt/online").asBoolean()).isFalse();
        assertThat(Instant.parse(receipt.text("/receipt/last_seen_at")))
                .isAfterOrEqualTo(Instant.parse(off.text("/header/time")));
        ann.call("AP_LogOn", "{'target':{'agent':'Ben','context':'Ben'}}").ok();
        assertThat(toBen().at("/receipt/online").asBoolean()).isTrue();
    }

    @Test
    void aBoundKeyBringsItsAgentOnlineByAnyRead() {
        ann.call("AP_LogOff", "{'target':{'context':'Ben'}}").ok();
        assertThat(toBen().at("/receipt/online").asBoolean()).isFalse();
        var bound = ann.call("AK_Create", "{'name':'b','capabilities':['*'],'agent':'Ben'}")
                .ok()
                .text("/api_key");
        TestCaller.of(api, bound).call("AP_List").ok();
        assertThat(toBen().at("/receipt/online").asBoolean()).isTrue();
    }
}
