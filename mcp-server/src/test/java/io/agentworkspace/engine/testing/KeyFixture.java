package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A tenant whose users have keys and create more of them, through HTTP only. */
public final class KeyFixture {
    public final TestTenant tenant = new TestTenant();

    /** A key as it was shown when it was created. */
    public record Made(String key) {
        public String id() {
            return ApiKey.parse(key).id();
        }
    }

    /** Returns the key of a new user. */
    public Made user(String name, Role role, String... capabilities) {
        return new Made(tenant.key(ClientApi.REST, name, role, List.of(capabilities)));
    }

    public static Got call(Made caller, String service, String arguments) {
        return CommandAddress.INVOKE.call(caller.key(), service, arguments.replace('\'', '"'));
    }

    public static Got on(String url, Made caller, String service) {
        return CommandAddress.ALIAS.call(url, caller.key(), service, "{}", Map.of());
    }

    /** Creates a key. Single quotes stand for double quotes. */
    public static Made make(Made maker, String fields) {
        var got = call(maker, "AK_Create", "{'name':'made'," + fields + "}");
        assertThat(got.error()).as(got.toString()).isEmpty();
        return new Made(got.envelope().path("api_key").asString());
    }

    public static JsonNode record(Made reader, Made key) {
        var got = call(reader, "AK_Usage", "{'id':'%s'}".formatted(key.id()));
        assertThat(got.error()).as(got.toString()).isEmpty();
        return got.envelope().get("key");
    }

    public static Got done(Got got) {
        assertThat(got.error()).as(got.toString()).isEmpty();
        return got;
    }

    /** Sends a request to one of the keys' own routes. */
    public static Got route(Made caller, String method, String path, String body, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + path))
                .header("X-Api-Key", caller.key())
                .method(method, HttpRequest.BodyPublishers.ofString(body.replace('\'', '"')));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return new Got(ClientApi.send(request.build()));
    }

    /** Returns the names of the tools that MCP lists. */
    public static List<String> listed(Made caller, String... headers) {
        var body = Json.object().put("jsonrpc", "2.0").put("id", 1).put("method", "tools/list");
        return route(caller, "POST", "/mcp", Json.text(body), headers)
                .json()
                .at("/result/tools")
                .valueStream()
                .map(tool -> tool.get("name").asString())
                .toList();
    }
}
