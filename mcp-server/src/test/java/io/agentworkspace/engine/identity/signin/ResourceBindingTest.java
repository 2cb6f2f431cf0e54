package io.agentworkspace.engine.identity.signin;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.testing.ClientApi;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A token works at the address that it was issued for, and nowhere else. */
class ResourceBindingTest extends AuthorizationServerFixture {
    private static final String HOST = "https://mcp.example";
    private static final String KEY = "ek_";
    private static final int CHECKSUM = 6;

    private static Got granted(String resource) {
        var code = parameters(allowed(browser, request("resource=" + resource))).get("code");
        var got = token(exchange(code, "resource=" + resource));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        return got;
    }

    private static int at(String path, String token, String header) {
        var isMcp = path.startsWith("/mcp");
        var body = isMcp ? "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}" : "{}";
        return Browser.send(
                        engine.url(),
                        "POST",
                        path,
                        body,
                        header,
                        header.equals("X-Api-Key") ? token : "Bearer " + token)
                .status();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /mcp               | /mcp /mcp/ /mcp/readonly /mcp/x/all /mcp/x/bank/readonly |
            /mcp/readonly      | /mcp/readonly /mcp/readonly/                             | /mcp /mcp/ /mcp/x/all /mcp/x/bank /mcp/x/bank/readonly
            /mcp/x/bank        | /mcp/x/bank /mcp/x/bank/readonly                         | /mcp /mcp/readonly /mcp/x/all /mcp/x/agent
            /mcp/x/BANK/       | /mcp/x/bank                                              | /mcp /mcp/x/agent
            /mcp/x/work/readonly | /mcp/x/work/readonly                                   | /mcp /mcp/x/work /mcp/readonly
            """)
    void aTokenWorksOnlyThere(String resource, String here, String elsewhere) {
        var token = granted(HOST + resource).at("/access_token");
        for (var path : here.split(" ")) {
            assertThat(at(path, token, "Authorization")).as(path).isEqualTo(200);
        }
        for (var header : List.of("Authorization", "X-Api-Key")) {
            for (var path : elsewhere == null ? new String[0] : elsewhere.split(" ")) {
                assertThat(at(path, token, header)).as(path).isEqualTo(401);
            }
            for (var path : List.of(
                    ClientApi.path("AP_List"),
                    "/api/mcp/tools/AP_List/invoke",
                    "/demo/v1/Engine/command",
                    "/api/auth/session",
                    "/api/keys",
                    "/api/hooks/claude-code")) {
                assertThat(at(path, token, header)).as(path).isIn(401, 404);
            }
        }
        assertThat(at("/a2a", token, "Authorization")).isEqualTo(resource.equals("/mcp") ? 200 : 401);
        for (var path : List.of("/api/stream", "/api/keys", "/api/inbox", "/api/hooks/claude-code/messages")) {
            assertThat(Browser.send(engine.url(), "GET", path, "", "X-Api-Key", token)
                            .status())
                    .as(path)
                    .isEqualTo(401);
        }
        assertThat(Browser.send(engine.url(), "GET", "/api/health", "", "X-Api-Key", token)
                        .status())
                .isEqualTo(200);
    }

    @Test
    void theRefusalSaysWhereItWorksAndHowToGetAnother() {
        var token = granted(HOST + "/mcp/readonly").at("/access_token");
        var got = Browser.send(engine.url(), "POST", "/mcp", "{}", "Authorization", "Bearer " + token);
        assertThat(got.status()).isEqualTo(401);
        assertThat(got.header(CHALLENGE)).contains("error=\"invalid_token\"", "/mcp/readonly", "resource_metadata=");
        var rest =
                Browser.send(engine.url(), "POST", ClientApi.path("AP_List"), "{}", "Authorization", "Bearer " + token);
        assertThat(rest.note()).contains("issued for /mcp/readonly", "API key");
    }

    @Test
    void theAgentsAreAResourceOfTheirOwn() {
        var place = "/.well-known/oauth-protected-resource/a2a/Ben";
        var asked = Browser.send(engine.url(), "POST", "/a2a/Ben", "{}");
        assertThat(asked.status()).isEqualTo(401);
        assertThat(asked.header(CHALLENGE))
                .contains("resource_metadata=\"https://engine.example" + place, "scope=\"agent:read agent:write\"");
        assertThat(Browser.send(engine.url(), "GET", place, "").at("/resource"))
                .isEqualTo("https://engine.example/a2a/Ben");
        var got = granted("https://engine.example/a2a/Ben");
        var token = got.at("/access_token");
        assertThat(at("/a2a", token, "Authorization")).isEqualTo(200);
        assertThat(at("/mcp", token, "Authorization")).isEqualTo(401);
        assertThat(at(ClientApi.path("AP_List"), token, "Authorization")).isEqualTo(401);
        var narrow = granted(HOST + "/mcp/readonly").at("/access_token");
        var wrong = Browser.send(engine.url(), "POST", "/a2a", "{}", "Authorization", "Bearer " + narrow);
        assertThat(wrong.status()).isEqualTo(401);
        assertThat(wrong.header(CHALLENGE)).contains("invalid_token", "/oauth-protected-resource/a2a");
    }

    /** Neither the form of the credential nor what is made with it leads out of the toolset. */
    @Test
    void nothingThatIsMadeOfATokenGoesFurther() {
        var decision =
                "{'allow':true,'agent':'Keys of %s','capabilities':['key:read','key:write','agent:read','bank:read']}"
                        .formatted(browser.csrf().substring(0, 5).replaceAll("[^A-Za-z0-9]", "x"));
        var request = request("resource=" + HOST + "/mcp/x/key");
        var code =
                parameters(decided(browser, request, decision).at("/location")).get("code");
        var token = token(exchange(code, "resource=")).at("/access_token");
        var forged = KEY + token.substring(KEY.length(), token.length() - CHECKSUM);
        assertThat(at(ClientApi.path("AK_List"), forged + checksum(forged), "X-Api-Key"))
                .as("the same secret as that of a key")
                .isEqualTo(401);
        var call = """
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"AK_Create","arguments":{"name":"child","capabilities":["key:read","agent:read"]}}}\
            """;
        var made = Browser.send(engine.url(), "POST", "/mcp/x/key", call, "Authorization", "Bearer " + token);
        var child = made.at("/result/structuredContent/api_key");
        assertThat(child).as(made.toString()).startsWith("ek_");
        assertThat(Browser.send(engine.url(), "POST", ClientApi.path("AK_List"), "{}", "X-Api-Key", child)
                        .status())
                .isEqualTo(200);
        var other = Browser.send(engine.url(), "POST", ClientApi.path("AP_List"), "{}", "X-Api-Key", child);
        assertThat(other.note()).as(other.toString()).contains("limited to the toolset");
    }

    private static String checksum(String body) {
        var crc = new CRC32();
        crc.update(body.getBytes(StandardCharsets.US_ASCII));
        var digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        var text = new StringBuilder();
        for (var rest = crc.getValue(); text.length() < CHECKSUM; rest /= 62) {
            text.insert(0, digits.charAt((int) (rest % 62)));
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://mcp.example/mcp",
                "https://mcp.example/mcp/",
                "HTTPS://MCP.example/mcp",
                "https://mcp.example:443/mcp",
                ""
            })
    void theMcpAddressMayBeWrittenOrLeftOut(String resource) {
        var code = parameters(allowed(browser, request("resource=" + resource))).get("code");
        var got = token(exchange(code, "resource=" + resource));
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        assertThat(mcp(engine, got.at("/access_token"))).isEqualTo(200);
        var again = token(refresh(got.at("/refresh_token"), "resource=" + resource));
        assertThat(mcp(engine, again.at("/access_token"))).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example/mcp",
                "https://mcp.example",
                "https://mcp.example/",
                "https://mcp.example/mcp2",
                "https://mcp.example/MCP",
                "https://mcp.example/mcp?x=y",
                "https://mcp.example/mcp#x",
                "https://x@mcp.example/mcp",
                "https://mcp.example:444/mcp",
                "http://mcp.example/mcp",
                "https://mcp.example/mcp/x/nothing",
                "https://mcp.example/mcp/readonly"
            })
    void anotherResourceIsRefusedAtEachStep(String resource) {
        var got = issued(code());
        var refused = token(refresh(got.at("/refresh_token"), "resource=" + resource));
        assertThat(refused.at("/error")).as(refused.toString()).isEqualTo("invalid_target");
        assertThat(token(exchange(code(), "resource=" + resource)).at("/error")).isEqualTo("invalid_target");
        if (!resource.endsWith("/readonly")) {
            var page = authorize(request("resource=" + resource));
            assertThat(parameters(page.header("Location"))).containsEntry("error", "invalid_target");
        }
        assertThat(mcp(engine, token(refresh(got.at("/refresh_token"), "")).at("/access_token")))
                .as("nothing was used up")
                .isEqualTo(200);
    }

    @Test
    void theResourceOfTheGrantIsKeptWhenItIsLeftOutLater() {
        var resource = HOST + "/mcp/readonly";
        var code = parameters(allowed(browser, request("resource=" + resource))).get("code");
        var got = token(exchange(code, "resource="));
        var renewed = token(refresh(got.at("/refresh_token"), "resource="));
        assertThat(at("/mcp/readonly", renewed.at("/access_token"), "Authorization"))
                .isEqualTo(200);
        assertThat(at("/mcp", renewed.at("/access_token"), "Authorization")).isEqualTo(401);
        assertThat(token(refresh(renewed.at("/refresh_token"), "")).at("/error"))
                .isEqualTo("invalid_target");
    }

    @Test
    void clientCredentialsAreForOneResource() {
        var rosa = withAgent("ruth", "Ruths robot");
        var key = rosa.change("POST", "/api/keys", """
            {"name":"robot","agent":"Ruths robot","capabilities":["agent:read","bank:read"]}\
            """).at("/api_key");
        var form = Map.of("grant_type", "client_credentials", "client_id", key.substring(3, 15), "client_secret", key);
        var narrow = token(with(form, "resource=" + HOST + "/mcp/x/bank")).at("/access_token");
        assertThat(at("/mcp/x/bank", narrow, "Authorization")).isEqualTo(200);
        assertThat(at("/mcp", narrow, "Authorization")).isEqualTo(401);
        var whole = token(form).at("/access_token");
        assertThat(at("/mcp", whole, "Authorization")).isEqualTo(200);
        assertThat(at(ClientApi.path("AP_List"), whole, "X-Api-Key")).isEqualTo(401);
        assertThat(at(ClientApi.path("AP_List"), key, "X-Api-Key")).isEqualTo(200);
    }

    @Test
    void anAccessTokenBeginsNoSession() {
        var token = issued(code()).at("/access_token");
        for (var headers : List.of(
                new String[] {"X-Api-Key", token},
                new String[] {"Authorization", "Bearer " + token},
                new String[] {"X-Api-Key", token, "Sec-Fetch-Site", "same-origin"})) {
            var got = Browser.send(engine.url(), "POST", Browser.SESSION, "", headers);
            assertThat(got.status()).as(got.toString()).isEqualTo(401);
            assertThat(got.headers("Set-Cookie")).isEmpty();
        }
        var jwt = browser.token();
        assertThat(Browser.send(engine.url(), "POST", Browser.SESSION, "", "Authorization", "Bearer " + jwt)
                        .status())
                .isEqualTo(400);
    }
}
