package io.agentworkspace.engine.identity.keys;

import static io.agentworkspace.engine.testing.KeyFixture.make;
import static io.agentworkspace.engine.testing.KeyFixture.route;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import org.junit.jupiter.api.Test;

/** The REST routes of keys, as clients use them. */
class KeyRoutesTest {
    private final KeyFixture fixture = new KeyFixture();
    private final Made root = fixture.user("ann", Role.MEMBER, "*");

    private static Got answered(int status, Got got) {
        assertThat(got.status()).as(got.toString()).isEqualTo(status);
        if (got.json().has("status") && got.json().get("status").isObject()) {
            assertThat(got.json().at("/status/http_code").asInt()).isEqualTo(status);
        }
        return got;
    }

    private static void refused(int status, String error, Got got) {
        answered(status, got);
        assertThat(got.response().headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/problem+json");
        assertThat(got.error()).isEqualTo(error);
        assertThat(got.json().path("status").asInt()).isEqualTo(status);
        assertThat(got.note()).isNotBlank();
    }

    @Test
    void aKeysLife() {
        var created = answered(201, route(root, "POST", "/api/keys", "{'name':'ci','capabilities':['agent:read']}"));
        var made = new Made(created.json().path("api_key").asString());
        var at = "/api/keys/" + made.id();
        assertThat(created.response().headers().firstValue("Cache-Control")).contains("no-store");
        var listed = answered(200, route(root, "GET", "/api/keys?page.limit=1", ""));
        assertThat(listed.json().at("/keys/0/id").asString()).isEqualTo(made.id());
        assertThat(listed.json().at("/keys").size()).isEqualTo(1);
        assertThat(answered(200, route(root, "PATCH", at, "{'environment':'ci'}"))
                        .json()
                        .at("/key/environment")
                        .asString())
                .isEqualTo("ci");
        assertThat(answered(200, route(root, "GET", at, ""))
                        .json()
                        .at("/key/id")
                        .asString())
                .isEqualTo(made.id());
        refused(404, "not_found", route(root, "GET", "/api/keys/000000000000", ""));
        var rotated = answered(200, route(root, "POST", at + "/rotate", "{'overlap_seconds':60}"));
        assertThat(rotated.json().path("api_key").asString()).isNotEqualTo(made.key());
        answered(200, route(root, "POST", at + "/rotate", ""));
        assertThat(answered(200, route(root, "GET", at + "/usage", ""))
                        .json()
                        .path("never_needed")
                        .toString())
                .isEqualTo("[\"agent:read\"]");
        assertThat(answered(200, route(root, "POST", at + "/revoke", ""))
                        .json()
                        .at("/key/state")
                        .asString())
                .isEqualTo("revoked");
        answered(200, route(root, "DELETE", at, ""));
        refused(404, "not_found", route(root, "DELETE", at, ""));
    }

    @Test
    void refusalsHaveTheirStatuses() {
        var at = "/api/keys/" + root.id();
        refused(422, "missing_field", route(root, "POST", "/api/keys", "{'name':'x'}"));
        refused(422, "invalid_field", route(root, "POST", "/api/keys", "{'name':'x','capabilities':['all']}"));
        refused(
                413,
                "too_large",
                route(root, "POST", "/api/keys", "{'capabilities':['*'],'name':'%s'}".formatted("x".repeat(101))));
        refused(400, "malformed_json", route(root, "POST", "/api/keys", "{'name':7}"));
        refused(404, "not_found", route(root, "GET", "/api/keys/000000000000/usage", ""));
        refused(409, "conflict", route(root, "PATCH", at, "{'name':'x','if_revision':9}"));
        refused(405, "method_not_allowed", route(root, "PUT", at, "{}"));
        var reader = make(root, "'capabilities':['key:read']");
        refused(403, "not_permitted", route(reader, "POST", "/api/keys", "{'name':'x','capabilities':['key:read']}"));
        refused(401, "unauthenticated", route(new Made(reader.key().replace("ek_", "ek-")), "GET", "/api/keys", ""));
        answered(200, route(reader, "GET", "/api/keys", ""));
        // It is not a command, so the command route does not accept it.
        var command = answered(400, route(root, "POST", "/demo/v1/Engine/tps", "{'service':'AK_List'}"));
        assertThat(command.note()).contains("GET /api/keys");
    }

    @Test
    void aRepeatedRequestIsReplayedWithoutTheKey() {
        var body = "{'name':'ci','capabilities':['agent:read']}";
        var first = answered(201, route(root, "POST", "/api/keys", body, "Idempotency-Key", "one"));
        var again = answered(201, route(root, "POST", "/api/keys", body, "Idempotency-Key", "one"));
        assertThat(again.replayed()).isTrue();
        assertThat(again.json().at("/key/id")).isEqualTo(first.json().at("/key/id"));
        assertThat(again.json().has("api_key")).isFalse();
        assertThat(again.json().at("/status/note").asString()).contains("first answer only");
    }
}
