package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandRouteTest {
    private static final String TPS = "/demo/v1/Engine/tps";
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Test
    void theGenericRouteRunsTheServiceInTheBody() throws Exception {
        var got = server.post(TPS, "{\"service\":\"AP_Create\",\"vx\":{\"name\":\"ann\",\"description\":\"d\"}}");

        assertThat(got.status()).isEqualTo(200);
        assertThat(got.header("Content-Type")).isEqualTo("application/json");
        assertThat(got.at("/agent/name")).isEqualTo("ann");
        assertThat(got.at("/header/service")).isEqualTo("AP_Create");
        assertThat(got.at("/header/request_id")).isEqualTo("req-1");
        assertThat(got.json().at("/status").propertyNames()).containsExactly("success", "internal_code", "http_code");
    }

    @Test
    void theAliasRunsTheServiceOfItsPathWithOrWithoutItsName() throws Exception {
        var with = "{\"service\":\"AP_Create\",\"vx\":{\"name\":\"bea\",\"description\":\"d\"}}";
        var without = "{\"vx\":{\"name\":\"bob\",\"description\":\"d\"}}";

        assertThat(server.post(TPS + "/agent/create", with).at("/agent/name")).isEqualTo("bea");
        assertThat(server.post(TPS + "/agent/create", without).at("/agent/name"))
                .isEqualTo("bob");
        assertThat(server.post(TPS + "/agent/read/", "{\"target\":{\"agent\":\"BOB\"}}")
                        .at("/profile/0/name"))
                .isEqualTo("bob");
    }

    @Test
    void theServiceItselfIsNoArgument() throws Exception {
        server.post(TPS, "{\"service\":\"AP_Chat\",\"content\":\"one way in\",\"unknown\":{\"is\":\"ignored\"}}");

        assertThat(server.runner.requests.getLast().arguments().has("service")).isFalse();
        assertThat(server.runner.requests.getLast().strict()).isFalse();
    }

    @Test
    void anotherServiceThanTheRoutesIsRefused() throws Exception {
        var got = server.post(TPS + "/agent/read", "{\"service\":\"AP_Create\"}");

        assertThat(got.refusal()).isEqualTo("400 1004 invalid_field");
        assertThat(got.note())
                .isEqualTo(
                        "service is 'AP_Create', but this route runs AP_Read: leave it out, or use POST /demo/v1/Engine/tps");
        assertThat(got.at("/header/service")).isEqualTo("AP_Read");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"service\":null}", "{\"service\":\"\"}", "{\"service\":\"  \"}"})
    void aServiceIsRequired(String body) throws Exception {
        var got = server.post(TPS, body);

        assertThat(got.refusal()).isEqualTo("400 1003 missing_field");
        assertThat(got.note()).isEqualTo("service is required");
        assertThat(got.json().at("/header").has("service")).isFalse();
        assertThat(got.at("/header/time")).isEqualTo("2026-05-25T12:00:00.000Z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"AP_Creat", "ap_create", "create_agent", "AP_Create\\u0000"})
    void anUnknownServiceIsToldTheNearest(String service) throws Exception {
        var got = server.post(TPS, "{\"service\":\"%s\"}".formatted(service));

        assertThat(got.refusal()).isEqualTo("400 1002 unknown_service");
        assertThat(got.note()).contains("did you mean AP_Create?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMAND", "AP_Search"})
    void aServiceLikeNoOtherIsToldWhereAllAre(String service) throws Exception {
        var got = server.post(TPS, "{\"service\":\"%s\"}".formatted(service));

        assertThat(got.refusal()).isEqualTo("400 1002 unknown_service");
        assertThat(got.note())
                .startsWith("there is no service '%s'; GET /api/mcp/tools shows all".formatted(service))
                .endsWith("the nearest name is AP_Read");
    }

    @Test
    void aToolWithARouteOfItsOwnIsNoCommand() throws Exception {
        var got = server.post(TPS, "{\"service\":\"AK_List\"}");

        assertThat(got.refusal()).isEqualTo("400 1002 unknown_service");
        assertThat(got.note()).isEqualTo("AK_List is not a command; its route is GET /api/keys");
    }

    @Test
    void anUnknownAliasIsToldTheNearest() throws Exception {
        var got = server.post(TPS + "/agent/creat", "{}");

        assertThat(got.refusal()).isEqualTo("400 1002 unknown_service");
        assertThat(got.note())
                .isEqualTo("there is no command route 'agent/creat'; did you mean agent/create (AP_Create)?");
        assertThat(server.post(TPS + "/x", "{}").note()).contains("/api/openapi.json");
        assertThat(server.post(TPS + "/", "{\"service\":\"AP_Chat\",\"content\":\"x\"}")
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"service\":7",
                "\"target\":\"x\"",
                "\"target\":{\"agent\":[]}",
                "\"vx\":[]",
                "\"vx\":{\"name\":1}",
                "\"vx\":{\"description\":1}",
                "\"vx\":{\"access\":1}",
                "\"content\":{}",
                "\"idempotency_key\":1"
            })
    void everyFieldOfACommandKeepsItsType(String field) throws Exception {
        var body = field.startsWith("\"content\"") ? "{%s}" : "{\"content\":\"x\",%s}";

        assertThat(server.post(TPS + "/agent/chat", body.formatted(field)).refusal())
                .isEqualTo("400 1001 malformed_json");
    }

    @Test
    void aRefusalOfTheToolIsAnEnvelopeUnderItsStatus() throws Exception {
        var missing = server.post(TPS + "/agent/create", "{\"vx\":{\"name\":\"c\"}}");
        var hidden = server.post(TPS + "/agent/read", "{\"target\":{\"agent\":\"nobody\"}}");
        var viewer = server.send(server.anonymously(TPS + "/agent/destroy")
                .header("X-Api-Key", "viewer")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"target\":{\"agent\":\"a\"}}")));

        assertThat(missing.refusal()).isEqualTo("400 1003 missing_field");
        assertThat(missing.note()).isEqualTo("vx.description is required");
        assertThat(hidden.refusal()).isEqualTo("400 3001 not_found");
        assertThat(viewer.refusal()).isEqualTo("401 2003 not_permitted");
    }

    @Test
    void whenToTryAgainIsSaidInWholeSeconds() throws Exception {
        var often = server.post(TPS + "/agent/chat", "{\"content\":\"too often\"}");
        var away = server.post(TPS + "/agent/chat", "{\"content\":\"database away\"}");

        assertThat(often.refusal()).isEqualTo("429 4001 rate_limited");
        assertThat(often.header("Retry-After")).isEqualTo("2");
        assertThat(away.refusal()).isEqualTo("500 5002 unavailable");
        assertThat(away.header("Retry-After")).isEqualTo("1");
    }

    @Test
    void aDefectShowsNothingInternal() throws Exception {
        var got = server.post(TPS + "/agent/chat", "{\"content\":\"crash\"}");

        assertThat(got.refusal()).isEqualTo("500 5001 internal");
        assertThat(got.note()).contains("req-1");
        assertThat(got.response().body()).doesNotContain("secret", "Exception", "jdbc");
    }

    @Test
    void theIdempotencyKeyOfTheHeaderIsHandedOnAndAReplaySaysSo() throws Exception {
        var request = server.to(TPS + "/agent/create")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "k-1")
                .POST(BodyPublishers.ofString("{\"vx\":{\"name\":\"dan\",\"description\":\"d\"}}"));

        var first = server.send(request);
        var second = server.send(request);

        assertThat(first.header("Idempotency-Replayed")).isEmpty();
        assertThat(second.header("Idempotency-Replayed")).isEqualTo("true");
        assertThat(second.response().body()).isEqualTo(first.response().body());
    }

    @Test
    void withoutACallerNothingRuns() throws Exception {
        var got = server.send(server.anonymously(TPS + "/agent/chat")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"content\":\"x\"}")));

        assertThat(got.refusal()).isEqualTo("401 2001 unauthenticated");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "DELETE", "PATCH", "OPTIONS"})
    void anotherMethodIsAnEnvelopeToo(String method) throws Exception {
        for (var path : new String[] {TPS, TPS + "/agent/create"}) {
            var got = server.send(server.to(path).method(method, BodyPublishers.noBody()));

            assertThat(got.refusal()).isEqualTo("400 1002 unknown_service");
            assertThat(got.note()).contains(method + " is not allowed here", "POST");
            assertThat(got.header("Allow")).contains("POST");
        }
    }
}
