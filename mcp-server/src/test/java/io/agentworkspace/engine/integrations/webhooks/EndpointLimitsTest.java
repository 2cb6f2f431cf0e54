package io.agentworkspace.engine.integrations.webhooks;

import static io.agentworkspace.engine.testing.QuotaFixture.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.QuotaFixture;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestServer;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The number of webhook endpoints, and the addresses allowed by default, through both endpoints. */
class EndpointLimitsTest {
    private static final String WEBHOOK = "{'url':'%s','events':['webhook.test']}";

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void aPlanLimitsEndpointsAndADeletedOneCountsNoMore(ClientApi api) {
        var fixture = new QuotaFixture(api);
        var url = TestServer.url();
        fixture.plan(url, "free");
        var nowhere = WEBHOOK.formatted("http://127.0.0.1:1/");
        var first = fixture.call(url, "WH_Create", nowhere).ok().text("/endpoint/id");
        fixture.call(url, "WH_Create", nowhere).ok();
        fixture.call(url, "WH_Create", nowhere).ok();
        assertThat(fixture.counted("webhook_endpoints")).isEqualTo(3);
        assertRefused(fixture.call(url, "WH_Create", nowhere), "webhook_endpoints", 3, "free");
        assertThat(fixture.call(url, "WH_List", "{}").ok().at("/endpoints")).hasSize(3);
        fixture.call(url, "WH_Delete", "{'id':'%s'}".formatted(first)).ok();
        assertThat(fixture.counted("webhook_endpoints")).isEqualTo(2);
        fixture.call(url, "WH_Create", nowhere).ok();
        assertRefused(fixture.call(url, "WH_Create", nowhere), "webhook_endpoints", 3, "free");
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void nothingPrivateIsRegisteredUnlessThatIsSet(ClientApi api) {
        var fixture = new QuotaFixture(api);
        try (var engine = Replica.start(Map.of("ENGINE_WEBHOOKS_ALLOW_PRIVATE", "false"))) {
            var id = fixture.call(engine.url(), "WH_Create", WEBHOOK.formatted("https://hooks.invalid/"))
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
                        fixture.call(engine.url(), "WH_Create", WEBHOOK.formatted(url))
                                .refused(1004, "url", noted);
                        fixture.call(engine.url(), "WH_Update", "{'id':'%s','url':'%s'}".formatted(id, url))
                                .refused(1004, "url", noted);
                    });
            assertThat(fixture.call(engine.url(), "WH_List", "{}").ok().texts("/endpoints", "url"))
                    .containsExactly("https://hooks.invalid/");
        }
    }
}
