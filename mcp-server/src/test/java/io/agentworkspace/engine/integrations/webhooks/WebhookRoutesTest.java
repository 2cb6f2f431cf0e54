package io.agentworkspace.engine.integrations.webhooks;

import static io.agentworkspace.engine.testing.KeyFixture.route;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import org.junit.jupiter.api.Test;

/** The REST routes of webhooks, as clients use them. */
class WebhookRoutesTest {
    private static final String ENDPOINTS = "/api/webhooks/endpoints";
    private static final String DELIVERIES = "/api/webhooks/deliveries";

    private final KeyFixture fixture = new KeyFixture();
    private final Made root = fixture.user("ann", Role.ADMIN, "webhook:read", "webhook:write");

    private static Got answered(int status, Got got) {
        assertThat(got.status()).as(got.toString()).isEqualTo(status);
        return got;
    }

    private static String text(Got got, String pointer) {
        return got.json().at(pointer).asString("");
    }

    private void refused(int status, String error, String method, String path, String body) {
        var got = answered(status, route(root, method, path, body));
        assertThat(got.error()).isEqualTo(error);
        assertThat(got.note()).isNotBlank();
    }

    @Test
    void anEndpointsLife() {
        var made = answered(
                201, route(root, "POST", ENDPOINTS, "{'url':'http://127.0.0.1:1/','events':['webhook.test']}"));
        assertThat(text(made, "/endpoint/secret")).startsWith("whsec_");
        var at = ENDPOINTS + "/" + text(made, "/endpoint/id");
        assertThat(answered(200, route(root, "GET", at, ""))
                        .json()
                        .at("/endpoint")
                        .has("secret"))
                .isFalse();
        assertThat(text(answered(200, route(root, "PATCH", at, "{'description':'CI'}")), "/endpoint/description"))
                .isEqualTo("CI");
        assertThat(text(answered(200, route(root, "POST", at + "/rotate-secret", "")), "/endpoint/secret"))
                .startsWith("whsec_");
        var tested = answered(
                200, route(root, "POST", "/api/webhooks/test", "{'event_type':'webhook.test','data':{'a':1}}"));
        var delivery = DELIVERIES + "/" + text(tested, "/deliveries/0/id");
        assertThat(text(answered(200, route(root, "GET", delivery, "")), "/event/data/a"))
                .isEqualTo("1");
        answered(200, route(root, "POST", delivery + "/redeliver", ""));
        var page = answered(
                200,
                route(
                        root,
                        "GET",
                        DELIVERIES + "?type=webhook.test&limit=1&endpoint=" + text(made, "/endpoint/id"),
                        ""));
        assertThat(page.json().at("/deliveries").size()).isEqualTo(1);
        assertThat(text(page, "/deliveries/0/sequence")).isEqualTo("2");
        var rest = answered(
                200,
                route(
                        root,
                        "GET",
                        DELIVERIES
                                + "?type=webhook.test&page.limit=5&endpoint=" + text(made, "/endpoint/id")
                                + "&cursor=" + text(page, "/next_cursor"),
                        ""));
        assertThat(text(rest, "/deliveries/0/sequence")).isEqualTo("1");
        answered(200, route(root, "POST", at + "/redeliver", "{'since':'2026-01-01T00:00:00Z'}"));
        answered(200, route(root, "DELETE", at, ""));
        refused(404, "not_found", "DELETE", at, "");
        assertThat(answered(200, route(root, "GET", ENDPOINTS, ""))
                        .json()
                        .at("/endpoints")
                        .isEmpty())
                .isTrue();
    }

    @Test
    void theCatalogueAndTheFeed() {
        var types = answered(200, route(root, "GET", "/api/webhooks/events", ""));
        assertThat(types.json().at("/events").findValuesAsString("type")).contains("webhook.test", "document.accepted");
        var feed = answered(200, route(root, "GET", "/api/events?after=0&limit=5", ""));
        assertThat(feed.json().at("/events").isArray()).isTrue();
        refused(422, "invalid_field", "GET", "/api/events?after=x", "");
        refused(422, "invalid_field", "GET", "/api/events?limit=0", "");
    }

    @Test
    void refusalsHaveTheirStatuses() {
        refused(422, "invalid_field", "POST", ENDPOINTS, "{'url':'gopher://a','events':['*']}");
        refused(422, "missing_field", "POST", ENDPOINTS, "{'events':['*']}");
        refused(400, "malformed_json", "POST", ENDPOINTS, "{'url':7}");
        refused(
                413,
                "too_large",
                "POST",
                ENDPOINTS,
                "{'events':['*'],'url':'https://a.example/%s'}".formatted("x".repeat(2_000)));
        refused(404, "not_found", "GET", DELIVERIES + "/00000000-0000-0000-0000-000000000000", "");
        refused(422, "invalid_field", "GET", DELIVERIES + "?state=lost", "");
        refused(422, "invalid_field", "POST", "/api/webhooks/test", "{'event_type':'webhook.test','data':{'a':1e400}}");
        refused(405, "method_not_allowed", "PUT", ENDPOINTS, "{}");
        var member = fixture.user("bob", Role.MEMBER, "*");
        answered(403, route(member, "GET", ENDPOINTS, ""));
        answered(403, route(member, "GET", "/api/events", ""));
        answered(200, route(member, "GET", "/api/webhooks/events", ""));
    }

    @Test
    void theAuditNamesTheEndpoint() {
        var boss = fixture.user("boss", Role.OWNER, "*");
        var made = answered(201, route(boss, "POST", ENDPOINTS, "{'url':'http://127.0.0.1:1/','events':['*']}"));
        var id = text(made, "/endpoint/id");
        answered(200, route(boss, "DELETE", ENDPOINTS + "/" + id, ""));
        var audit = answered(200, route(boss, "GET", "/api/audit?target=endpoint:" + id, ""));
        assertThat(text(audit, "/entries/0/tool")).isEqualTo("WH_Delete");
        assertThat(text(audit, "/entries/1/tool")).isEqualTo("WH_Create");
        assertThat(audit.text()).doesNotContain("whsec");
    }
}
