package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.node.ObjectNode;

/** Servers and authorization servers that lie, are slow, or lead somewhere else: nothing is connected, and no secret is sent. */
class HostileAccountProviderTest {
    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "root", Role.OWNER, List.of("*"));
    private final TestCaller root = TestCaller.of(ClientApi.REST, key);
    private final AccountProvider provider = new AccountProvider();
    private final ScriptedUpstream upstream = new ScriptedUpstream(true, ScriptedUpstream.ECHO);
    private AccountBrowser browser;

    /** Somebody else, whom no request should reach. */
    private final List<String> stolen = new CopyOnWriteArrayList<>();

    private HttpServer elsewhere;

    @BeforeEach
    void install() throws IOException {
        elsewhere = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        elsewhere.createContext("/", exchange -> {
            stolen.add(exchange.getRequestURI() + " "
                    + new String(exchange.getRequestBody().readAllBytes()));
            AccountProvider.send(exchange, 200, Json.object().put("access_token", "stolen"));
        });
        elsewhere.start();
        provider.guard(upstream);
        root.call(
                        "UP_Install",
                        "{'name':'files','url':'%s','timeout_ms':2000,'credential':{'kind':'user_oauth'}}"
                                .formatted(upstream.url()))
                .ok();
        browser = AccountBrowser.signIn(TestServer.url(), key);
    }

    @AfterEach
    void close() {
        upstream.close();
        provider.close();
        elsewhere.stop(0);
    }

    private String elsewhere() {
        return "http://127.0.0.1:%d".formatted(elsewhere.getAddress().getPort());
    }

    private static AccountProvider.Manner json(ObjectNode body) {
        return exchange -> AccountProvider.send(exchange, 200, body);
    }

    private static AccountProvider.Manner redirect(String to) {
        return exchange -> {
            exchange.getResponseHeaders().add("Location", to);
            exchange.sendResponseHeaders(307, -1);
        };
    }

    private static void flood(HttpExchange exchange) throws IOException {
        flood(exchange, Json.object().put("access_token", "a").put("token_type", "Bearer"));
    }

    /** Answers with what would be right, but for its size. */
    private static void flood(HttpExchange exchange, ObjectNode right) throws IOException {
        AccountProvider.send(exchange, 200, right.deepCopy().put("more", "x".repeat(400_000)));
    }

    private static final AccountProvider.Manner HTML =
            exchange -> AccountProvider.send(exchange, 200, "text/html", "<h1>Sign in</h1>");

    /** Each kind of wrong metadata, and what the person reads. */
    private record Wrong(String name, Runnable change, String words) {}

    @TestFactory
    Stream<DynamicTest> whatTheDocumentsSayIsChecked() {
        var resource = provider.resource.deepCopy();
        var metadata = provider.metadata.deepCopy();
        var own = "/.well-known/oauth-authorization-server";
        return Stream.of(
                        new Wrong(
                                "tokens for another server",
                                () -> provider.resource.put("resource", elsewhere() + "/mcp"),
                                "about another resource"),
                        new Wrong(
                                "tokens for a server beside it",
                                () -> provider.resource.put("resource", upstream.url() + "2"),
                                "about another resource"),
                        new Wrong("no resource", () -> provider.resource.remove("resource"), "resource"),
                        new Wrong(
                                "the metadata of another issuer",
                                () -> provider.metadata.put("issuer", elsewhere()),
                                "that of another issuer"),
                        new Wrong(
                                "no PKCE",
                                () -> provider.metadata.remove("code_challenge_methods_supported"),
                                "PKCE with S256"),
                        new Wrong(
                                "plain PKCE",
                                () -> provider.metadata
                                        .putArray("code_challenge_methods_supported")
                                        .add("plain"),
                                "PKCE with S256"),
                        new Wrong(
                                "a script as the page",
                                () -> provider.metadata.put("authorization_endpoint", "javascript:alert(1)"),
                                "authorization_endpoint"),
                        new Wrong(
                                "no token endpoint",
                                () -> provider.metadata.remove("token_endpoint"),
                                "token_endpoint"),
                        new Wrong(
                                "an issuer in a private network",
                                () -> provider.resource
                                        .putArray("authorization_servers")
                                        .add("http://10.0.0.1/"),
                                "name a host that can be reached"),
                        new Wrong(
                                "a token endpoint in a private network",
                                () -> provider.metadata.put("token_endpoint", "http://169.254.169.254/latest"),
                                "name a host that can be reached"),
                        new Wrong(
                                "a redirect of the metadata",
                                () -> provider.manners.put(own, redirect(elsewhere())),
                                "answered 307"),
                        new Wrong(
                                "a redirect of the resource's metadata",
                                () -> provider.manners.put("/resource", redirect(elsewhere())),
                                "answered 307"),
                        new Wrong("a page", () -> provider.manners.put(own, HTML), "not a JSON object"),
                        new Wrong(
                                "a list",
                                () -> provider.manners.put(
                                        own,
                                        exchange -> AccountProvider.send(exchange, 200, "application/json", "[1,2]")),
                                "not a JSON object"),
                        new Wrong(
                                "a flood",
                                () -> provider.manners.put(own, exchange -> flood(exchange, metadata)),
                                "the answer has more than"),
                        new Wrong(
                                "a registration that is refused",
                                () -> provider.manners.put(
                                        "/register",
                                        exchange -> AccountProvider.send(exchange, 403, HTML_OF_NO_USE, "")),
                                "refused to register"),
                        new Wrong(
                                "a registration of nobody",
                                () -> provider.manners.put("/register", json(Json.object())),
                                "without a client_id"),
                        new Wrong(
                                "neither registrations nor documents",
                                () -> provider.metadata.remove("registration_endpoint"),
                                "/oauth/upstreams/files/callback"))
                .map(wrong -> DynamicTest.dynamicTest(wrong.name(), () -> {
                    wrong.change().run();
                    try {
                        assertThat(browser.refusedToLeave("files"))
                                .contains("the authorization server of 'files' cannot be used", wrong.words());
                        assertThat(stolen).isEmpty();
                    } finally {
                        provider.manners.clear();
                        provider.resource.removeAll().setAll(resource);
                        provider.metadata.removeAll().setAll(metadata);
                    }
                }));
    }

    private static final String HTML_OF_NO_USE = "text/html";

    private void arrives(String address, int status, String... words) {
        var answer = browser.arrive(address);
        assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(status);
        assertThat(new String(answer.body())).contains(words);
        assertThat(browser.read("files").path("connected").asBoolean()).isFalse();
    }

    /** RFC 9207: the code of another authorization server is not given to this one. */
    @Test
    void theAnswerOfAnotherIssuerIsRefused() {
        arrives(
                provider.consented(browser.leave("files")) + "&iss=" + elsewhere(),
                400,
                "not from the authorization server");
        assertThat(provider.forms).isEmpty();
        provider.metadata.put("authorization_response_iss_parameter_supported", true);
        arrives(provider.consented(browser.leave("files")), 400, "not from the authorization server");
        arrives(
                provider.consented(browser.leave("files")).replaceAll("code=[^&]*", "error=access_denied"),
                400,
                "not from the authorization server");
        assertThat(provider.forms).isEmpty();
        var good = browser.arrive(provider.consented(browser.leave("files")) + "&iss=" + provider.url());
        assertThat(good.statusCode()).isEqualTo(302);
    }

    /** Each server has a redirect address of its own, so that the answer meant for one is not taken for another's. */
    @Test
    void theAnswerForAnotherServerIsRefused() {
        root.call(
                        "UP_Install",
                        "{'name':'other','url':'%s','credential':{'kind':'user_oauth'}}".formatted(upstream.url()))
                .ok();
        arrives(provider.consented(browser.leave("files")).replace("/files/", "/other/"), 400, "was not begun");
        assertThat(provider.forms).isEmpty();
    }

    @Test
    void theProviderMayRefuse() {
        var address = provider.consented(browser.leave("files"));
        arrives(
                address.replaceAll("code=[^&]*", "error=access_denied"),
                403,
                "did not connect your account",
                "access_denied");
        var marked = provider.consented(browser.leave("files"));
        var answer = browser.arrive(marked.replaceAll("code=[^&]*", "error=%3Cb%3Ex&error_description=WORDS"));
        assertThat(new String(answer.body())).doesNotContain("<b>x", "WORDS");
        arrives(
                provider.consented(browser.leave("files")).replaceAll("code=[^&]*", "code=unknown"),
                400,
                "invalid_grant");
    }

    @TestFactory
    Stream<DynamicTest> whatTheTokenEndpointAnswersIsChecked() {
        var manners = Map.<String, AccountProvider.Manner>of(
                "a redirect", redirect(elsewhere()),
                "a page", HTML,
                "nothing", json(Json.object()),
                "a token of another type",
                        json(Json.object().put("access_token", "a").put("token_type", "DPoP")),
                "a token that would be two headers",
                        json(Json.object()
                                .put("access_token", "a\r\nX-Admin: 1")
                                .put("token_type", "Bearer")),
                "a token that is none", json(Json.object().put("access_token", 7)),
                "a flood", HostileAccountProviderTest::flood);
        return manners.entrySet().stream()
                .map(manner -> DynamicTest.dynamicTest(manner.getKey(), () -> {
                    provider.manners.put("/token", manner.getValue());
                    arrives(provider.consented(browser.leave("files")), 503, "cannot be used");
                    assertThat(stolen).isEmpty();
                }));
    }

    /** A secret goes to the issuer that the admin gave with it, whichever one the server names later. */
    @Test
    void aSecretGoesToItsIssuerOnly() {
        root.call(
                        "UP_Update",
                        "{'name':'files','credential':{'kind':'user_oauth','client_id':'c','client_secret':'s3cret','audience':'%s'}}"
                                .formatted(provider.url()))
                .ok();
        browser.connect("files", provider);
        provider.resource.putArray("authorization_servers").add(elsewhere());
        var metadata = provider.metadata.deepCopy();
        metadata.put("issuer", elsewhere()).put("token_endpoint", elsewhere() + "/token");
        elsewhere.createContext(
                "/.well-known/oauth-authorization-server", exchange -> AccountProvider.send(exchange, 200, metadata));
        assertThat(browser.refusedToLeave("files"))
                .contains("names the issuer " + elsewhere(), "is for " + provider.url());
        assertThat(stolen).isEmpty();
    }

    /** A client that the issuer has forgotten registers again. */
    @Test
    void aRegistrationThatIsNotKnownAnyMoreIsRepeated() {
        provider.manners.put(
                "/token",
                exchange -> AccountProvider.send(exchange, 401, Json.object().put("error", "invalid_client")));
        arrives(provider.consented(browser.leave("files")), 400, "invalid_client");
        provider.manners.clear();
        browser.connect("files", provider);
        assertThat(provider.registrations).hasSize(2);
    }

    /** Nobody waits for ever, and nobody else waits at all. */
    @Test
    void aProviderThatNeverAnswersIsGivenUp() {
        provider.hangs("/.well-known/oauth-authorization-server");
        assertThat(browser.refusedToLeave("files")).contains("no answer within");
    }

    /** Servers from before the metadata of resources name themselves as the issuer. */
    @Test
    void aServerWithoutMetadataIsItsOwnIssuer() {
        upstream.challenge = authorization -> authorization.isEmpty() ? "Bearer" : "";
        assertThat(browser.refusedToLeave("files"))
                .contains(upstream.url().replace("/mcp", ""), "publishes no metadata");
    }
}
