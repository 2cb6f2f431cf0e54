package io.agentworkspace.engine.identity.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ChangeInForce;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Refusal;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.node.ObjectNode;

/** Which keys are accepted, for how long, and for what. */
class KeysTest {
    private final TestTenant tenant = new TestTenant();

    private String key(String user, String... capabilities) {
        return tenant.key(ClientApi.REST, user, Role.MEMBER, List.of(capabilities));
    }

    private void revoke(String key) {
        try (var watch = TestDatabase.watch()) {
            new KeyStore(TestDatabase.db(), Clock.systemUTC(), watch)
                    .revoke(
                            tenant.id(ClientApi.REST),
                            ApiKey.parse(key).id(),
                            Clock.systemUTC().instant());
        }
    }

    @Test
    void aRevokedKeyStopsOnEveryReplicaWithinASecond() {
        try (var other = Replica.start(Map.of())) {
            for (var round = 0; round < 5; round++) {
                var key = key("user " + round, "*");
                ChangeInForce.assertInForce(
                        "a revoked key",
                        () -> revoke(key),
                        List.of(() -> accepted(other.url(), key), () -> accepted(TestServer.url(), key)));
                assertThat(CommandAddress.MCP.call(key, "AP_List", "{}").error())
                        .isEqualTo("unauthenticated");
            }
        }
    }

    private static boolean accepted(String url, String key) {
        return CommandAddress.ALIAS
                .call(url, key, "AP_List", "{}", Map.of())
                .error()
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void unknownRevokedAndForgedKeysAreRefusedInTheSameWords(CommandAddress way) {
        var good = key("ann", "*");
        var revoked = key("bob", "*");
        revoke(revoked);
        var unknown = ApiKey.generate(new SecureRandom()).reveal();
        var forged = ApiKey.withId(ApiKey.parse(good).id(), new SecureRandom()).reveal();
        var refusals = List.of(revoked, unknown, forged).stream()
                .map(key -> way.call(key, "AP_List", "{}"))
                .toList();
        refusals.forEach(got -> assertUnauthenticated(way, got));
        assertThat(refusals.stream().map(Got::note).distinct()).hasSize(1);
        assertThat(refusals.stream().map(got -> steady(got).toString()).distinct())
                .hasSize(1);
        assertThat(way.call(good, "AP_List", "{}").error()).isEmpty();
    }

    private static ObjectNode steady(Got got) {
        var json = got.json();
        json.remove("request_id");
        if (json.get("header") instanceof ObjectNode header) {
            header.remove(List.of("request_id", "time"));
        }
        if (json.at("/error/data") instanceof ObjectNode data) {
            data.remove("request_id");
        }
        return json;
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void whatIsNoKeyIsToldSo(CommandAddress way) {
        var good = key("ann", "*");
        var last = good.charAt(good.length() - 1);
        var mistyped = good.substring(0, good.length() - 1) + (last == 'A' ? 'B' : 'A');
        for (var bad : List.of(
                mistyped,
                good.substring(1),
                good + "0",
                good.toUpperCase(java.util.Locale.ROOT),
                "ek_",
                "secret",
                "'--")) {
            var got = way.call(bad, "AP_List", "{}");
            assertUnauthenticated(way, got);
            assertThat(got.text()).doesNotContain(good.substring(20));
        }
        assertThat(way.call(mistyped, "AP_List", "{}").note()).contains("mistyped key");
        var none = new Got(ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + way.path("AP_List")))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(way.body("AP_List", "{}")))
                .build()));
        assertUnauthenticated(way, none);
        assertThat(none.response().headers().firstValue("WWW-Authenticate")).isPresent();
    }

    private static void assertUnauthenticated(CommandAddress way, Got got) {
        assertThat(got.status()).isEqualTo(401);
        Refusal.is("unauthenticated", way, got, "a bad key");
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void aKeyDoesWhatItsCapabilitiesAllow(CommandAddress way) {
        var reader = key("ann", "agent:read");
        assertThat(way.call(reader, "AP_List", "{}").error()).isEmpty();
        var refused = way.call(reader, "AP_Create", "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}");
        Refusal.is("not_permitted", way, refused, "agent:read");
        assertThat(refused.envelope().at("/status/internal_code").asInt()).isEqualTo(2003);
        assertThat(refused.note()).contains("agent:write");
        Refusal.is("not_permitted", way, way.call(reader, "US_Read", "{}"), "agent:read");
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void aViewerOnlyReads(CommandAddress way) {
        var viewer = tenant.key(ClientApi.REST, "vic", Role.VIEWER, List.of("*"));
        assertThat(way.call(viewer, "AP_List", "{}").error()).isEmpty();
        assertThat(way.call(viewer, "AP_Select", "{}").error()).isEmpty();
        Refusal.is(
                "not_permitted",
                way,
                way.call(viewer, "AP_Create", "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}"),
                "viewer");
    }

    @Test
    void toolsAreListedToThoseWhoMayUseThem() {
        var listed = new Got(ClientApi.post(TestServer.url() + "/mcp", key("ann", "agent:read"), """
                {"jsonrpc":"2.0","id":"1","method":"tools/list","params":{}}"""));
        var names = listed.json()
                .at("/result/tools")
                .valueStream()
                .map(tool -> tool.get("name").asString())
                .toList();
        assertThat(names)
                .containsExactlyInAnyOrder(
                        "AP_List",
                        "AP_Read",
                        "AP_Modify",
                        "AP_Select",
                        "AP_Wait",
                        "AP_Search",
                        "find_tools",
                        "describe_tool",
                        "run_tool");
    }
}
