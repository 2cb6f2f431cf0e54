package io.agentworkspace.engine.kernel.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.testing.ToolCases;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every tool, called as the console calls it: with the cookie of a browser, and the page's CSRF token. A viewer, a narrow
 * key and another tenant get the answers that {@link PermissionMatrixTest} holds for keys.
 */
@Tag("slow")
class PageRequestsTest {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\$(\\w+)");
    private static final String SECRET = "Low water is at six";

    /** A caller in each tenant of a pair: over MCP with a key, and from a page with a session of the other tenant's key. */
    private record Both(String key, Page page) {
        static Both of(TestTenant tenant, String user, Role role, String capability) {
            return new Both(
                    tenant.key(ClientApi.MCP, user, role, List.of(capability)),
                    Page.signedIn(tenant.key(ClientApi.REST, user, role, List.of(capability))));
        }
    }

    private record Page(String cookie, String token) {
        static Page signedIn(String key) {
            var response = ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/auth/session"))
                    .POST(BodyPublishers.noBody())
                    .header("X-Api-Key", key)
                    .build());
            var cookie = response.headers().firstValue("Set-Cookie").orElseThrow();
            return new Page(
                    cookie.substring(0, cookie.indexOf(';')),
                    Json.read(response.body()).path("csrf_token").asString());
        }

        Reply call(String tool, ObjectNode arguments) {
            var address = "%s/api/mcp/tools/%s/invoke".formatted(TestServer.url(), tool);
            var response = ClientApi.send(HttpRequest.newBuilder(URI.create(address))
                    .POST(BodyPublishers.ofByteArray(Json.bytes(arguments)))
                    .header("Content-Type", "application/json")
                    .header("Cookie", cookie)
                    .header("X-CSRF-Token", token)
                    .header("Sec-Fetch-Site", "same-origin")
                    .build());
            return new Reply(Json.readObject(response.body()));
        }
    }

    private final TestTenant tenant = new TestTenant();
    private final Map<ClientApi, Map<String, String>> names = new HashMap<>();

    private void fill(ClientApi api) {
        var owner = tenant.key(api, "owner", Role.OWNER, List.of("*"));
        for (var call : List.of(
                "US_Create {'vx':{'name':'maria'}}",
                "AP_Create {'vx':{'name':'Ada','description':'%s.','access':'private'}}",
                "AP_Create {'vx':{'name':'Bo','description':'%s.','access':'private'}}",
                "DM_Create {'target':{'agent':'Ada'},'vx':{'name':'Den','description':'%s.','access':'private'}}",
                "AP_Chat {'target':{'domain':'Den'},'content':'%s.'}",
                "MB_Create {'target':{'agent':'Ada'},'vx':{'name':'Box','description':'%s.','access':'private'}}",
                "MB_Store {'target':{'bank':'Box'},'content':'%s.','vx':{'name':'tide'}}",
                "DC_Submit {'name':'guide.md','text':'Everybody may read this.'}")) {
            run(api, owner, call);
        }
        var key = run(api, owner, "AK_Create {'name':'spare','capabilities':['agent:read']}");
        var endpoint = run(api, owner, "WH_Create {'url':'http://127.0.0.1:9/hooks','events':['*']}");
        names.put(
                api,
                Map.of(
                        "agent", "Ada",
                        "domain", "Den",
                        "zone", "main",
                        "bank", "Box",
                        "user", "maria",
                        "document", "guide.md",
                        "key", key.text("/key/id"),
                        "endpoint", endpoint.text("/endpoint/id")));
    }

    private static Reply run(ClientApi api, String key, String call) {
        var parts = call.formatted(SECRET).replace('\'', '"').split(" ", 2);
        return api.call(TestServer.url(), key, parts[0], Json.readObject(parts[1].getBytes(StandardCharsets.UTF_8)))
                .ok();
    }

    private ObjectNode arguments(ClientApi api, String call, int number) {
        var named = PLACEHOLDER
                .matcher(call.replace("#r", "1").replace("#", String.valueOf(number)))
                .replaceAll(found -> names.get(api).getOrDefault(found.group(1), "nothing"));
        return Json.readObject(named.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void pagesGetTheAnswersThatKeysGet() {
        fill(ClientApi.MCP);
        fill(ClientApi.REST);
        var callers = new LinkedHashMap<String, Both>();
        callers.put("viewer", Both.of(tenant, "vera", Role.VIEWER, "*"));
        callers.put("narrow", Both.of(tenant, "nora", Role.MEMBER, "bank:read"));
        callers.put("another tenant", Both.of(new TestTenant(), "emma", Role.OWNER, "*"));
        var wrong = new ArrayList<String>();
        var refused = 0;
        var number = 0;
        for (var tool : ToolCases.all()) {
            for (var call : Stream.concat(Stream.of(tool.cost()), tool.foreign().stream())
                    .toList()) {
                number++;
                for (var caller : callers.entrySet()) {
                    var both = caller.getValue();
                    var byKey = ClientApi.MCP.call(
                            TestServer.url(), both.key(), tool.tool(), arguments(ClientApi.MCP, call, number));
                    var byPage = both.page().call(tool.tool(), arguments(ClientApi.REST, call, number));
                    if (byKey.code() != byPage.code()) {
                        wrong.add("%s %s as %s: key %s %s, page %s %s"
                                .formatted(
                                        tool.tool(),
                                        call,
                                        caller.getKey(),
                                        byKey.code(),
                                        byKey.note(),
                                        byPage.code(),
                                        byPage.note()));
                    }
                    if (byPage.envelope().toString().contains(SECRET)) {
                        wrong.add("%s %s as %s shows what is private".formatted(tool.tool(), call, caller.getKey()));
                    }
                    refused += byPage.code() == 0 ? 0 : 1;
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(refused).isGreaterThan(number); // Of three callers, most may not do most.
    }
}
