package io.agentworkspace.engine.workspace.delivery.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What Bert's receipt says of Ada, while a session of hers begins, works and ends. */
@ParameterizedClass
@EnumSource
class SessionTimesTest {
    private final HookFixture it = new HookFixture();
    private final TestCaller ada;
    private final TestCaller bert;

    SessionTimesTest(ClientApi api) {
        ada = TestCaller.of(api, it.ada);
        bert = TestCaller.of(api, it.bert);
    }

    private Reply receipt() {
        return bert.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'news'}")
                .ok();
    }

    private boolean isOnline() {
        return receipt().at("/receipt/online").asBoolean();
    }

    private Instant now() {
        return Instant.parse(bert.call("AP_List").ok().text("/header/time"));
    }

    private void start() {
        it.announcement("s", "SessionStart", "");
        await().until(this::isOnline);
    }

    @Test
    void whoseSessionHasEndedWasSeenAtItsEnd() {
        start();
        it.announcement("s", "UserPromptSubmit", ",'prompt':'go'");
        var before = now();
        it.announcement("s", "SessionEnd", ",'reason':'exit'");
        var receipt = receipt();
        assertThat(receipt.at("/receipt/online").asBoolean()).isFalse();
        assertThat(receipt.text("/receipt/wakes")).isEqualTo("none");
        assertThat(Instant.parse(receipt.text("/receipt/last_seen_at"))).isBetween(before, now());
    }

    @Test
    void theEndOfOneOfTwoSessionsIsNotTheEnd() {
        start();
        it.announcement("t", "SessionStart", "");
        it.announcement("s", "SessionEnd", ",'reason':'exit'");
        assertThat(isOnline()).isTrue();
        it.announcement("t", "SessionEnd", ",'reason':'exit'");
        assertThat(isOnline()).isFalse();
    }

    @Test
    void anAgentThatHasJustCalledIsOnline() {
        assertThat(isOnline()).isFalse();
        ada.call("AP_List").ok();
        assertThat(isOnline()).isTrue();
        start();
        it.announcement("s", "SessionEnd", ",'reason':'exit'");
        assertThat(isOnline()).isFalse();
        ada.call("AP_Read").ok();
        assertThat(isOnline()).as("it goes on after its session").isTrue();
    }
}
