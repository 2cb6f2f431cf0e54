package io.agentworkspace.engine.proof;

import static io.agentworkspace.engine.proof.QuotaStage.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Door;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestServer;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many webhook endpoints there may be, and where they may lead when nothing else is set, through both doors. */
class EndpointLimitsTest {
    private static final String WEBHOOK = "{'url':'%s','events':['webhook.test']}";

    @ParameterizedTest
    @EnumSource(Door.class)
    void aPlanLimitsEndpointsAndADeletedOneCountsNoMore(Door door) {
        var stage = new QuotaStage(door);
        var url = TestServer.url();
        stage.plan(url, "free");
        var nowhere = WEBHOOK.formatted("http://127.0.0.1:1/");
        var first = stage.call(url, "WH_Create", nowhere).ok().text("/endpoint/id");
        stage.call(url, "WH_Create", nowhere).ok();
        stage.call(url, "WH_Create", nowhere).ok();
        assertThat(stage.counted("webhook_endpoints")).isEqualTo(3);
        assertRefused(stage.call(url, "WH_Create", nowhere), "webhook_endpoints", 3, "free");
        assertThat(stage.call(url, "WH_List", "{}").ok().at("/endpoints")).hasSize(3);
        stage.call(url, "WH_Delete", "{'id':'%s'}".formatted(first)).ok();
        assertThat(stage.counted("webhook_endpoints")).isEqualTo(2);
        stage.call(url, "WH_Create", nowhere).ok();
        assertRefused(stage.call(url, "WH_Create", nowhere), "webhook_endpoints", 3, "free");
    }

    @ParameterizedTest
    @EnumSource(Door.class)
    void nothingPrivateIsRegisteredUnlessThatIsSet(Door door) {
        var stage = new QuotaStage(door);
        try (var engine = Replica.start(Map.of("ENGINE_WEBHOOKS_ALLOW_PRIVATE", "false"))) {
            var id = stage.call(engine.url(), "WH_Create", WEBHOOK.formatted("https://hooks.invalid/"))
                    .ok()
                    .text("/endpoint/id");
            Map.of(
                            "http://hooks.invalid/", "must begin with https://",
                            "https://127.0.0.1/", "127.0.0.1",
                            "https://localhost/", "this machine itself",
                            "https://[::1]/", "leads to",
                            "https://10.1.2.3/", "is private",
                            "https://169.254.169.254/", "leads to",
                            "https://2130706433/", "four decimal numbers",
                            "https://0x7f.1/", "four decimal numbers")
                    .forEach((url, noted) -> {
                        stage.call(engine.url(), "WH_Create", WEBHOOK.formatted(url))
                                .refused(1004, "url", noted);
                        stage.call(engine.url(), "WH_Update", "{'id':'%s','url':'%s'}".formatted(id, url))
                                .refused(1004, "url", noted);
                    });
            assertThat(stage.call(engine.url(), "WH_List", "{}").ok().texts("/endpoints", "url"))
                    .containsExactly("https://hooks.invalid/");
        }
    }
}
