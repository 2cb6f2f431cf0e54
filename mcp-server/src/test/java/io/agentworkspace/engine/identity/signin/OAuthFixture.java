package io.agentworkspace.engine.identity.signin;

import static io.agentworkspace.engine.identity.signin.Browser.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.signin.Browser.Got;
import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Two replicas whose users sign in with npm's oidc-provider, and a browser that does so. */
abstract class OAuthFixture {
    static final String BASE = "https://engine.example";
    static final String BACK = BASE + "/api/auth/oauth/sample/callback";
    static final String START = "/api/auth/oauth/sample/start?surface=hub";

    static TestTenant tenant;
    static OpenIdProvider provider;
    static Replica engine;
    static Replica other;
    static String owner;

    @BeforeAll
    static void start() {
        Node.require();
        tenant = new TestTenant();
        provider = new OpenIdProvider(BACK);
        owner = tenant.key(ClientApi.REST, "owner", Role.OWNER, List.of("*"));
        engine = Replica.start(settings("sample", Map.of()));
        other = Replica.start(settings("sample", Map.of()));
    }

    @AfterAll
    static void stop() {
        if (provider != null) {
            engine.close();
            other.close();
            provider.close();
        }
    }

    static Map<String, String> settings(String name, Map<String, String> more) {
        var prefix = "ENGINE_OAUTH_" + name.toUpperCase(java.util.Locale.ROOT);
        var settings = new HashMap<>(Map.of(
                "ENGINE_BASE_URL",
                BASE,
                prefix + "_ISSUER",
                provider.issuer(),
                prefix + "_CLIENT_ID",
                "engine",
                prefix + "_CLIENT_SECRET",
                "a secret of the client: with + and %",
                prefix + "_TENANT",
                tenantName(),
                prefix + "_EMAIL_DOMAINS",
                "Example.org, example.net"));
        settings.putAll(more);
        settings.values().removeIf(String::isEmpty);
        return settings;
    }

    static String tenantName() {
        return TestDatabase.db()
                .sql("SELECT name FROM tenant WHERE tenant_id = :id")
                .set("id", tenant.id(ClientApi.REST))
                .one(row -> row.text("name"))
                .orElseThrow();
    }

    /** A sign-in in progress: the redirect of the browser, and its cookie. */
    record SignInStart(String location, String cookie) {
        static SignInStart at(Replica replica, String path) {
            var sent = Browser.send(replica.url(), "GET", path, "");
            assertThat(sent.status()).as(sent.toString()).isEqualTo(302);
            return new SignInStart(sent.header("Location"), sent.cookie());
        }

        String parameter(String name) {
            for (var pair : URI.create(location).getRawQuery().split("&")) {
                if (pair.startsWith(name + "=")) {
                    return pair.substring(name.length() + 1);
                }
            }
            throw new AssertionError(name);
        }
    }

    static SignInStart begin() {
        return SignInStart.at(engine, START + "&return_to=/mcp-hub");
    }

    /** Returns the browser to a replica with the cookie that it got. */
    static Got back(Replica replica, URI at, String cookie) {
        return Browser.send(
                replica.url(),
                "GET",
                at.getRawPath() + "?" + at.getRawQuery(),
                "",
                "Cookie",
                "a=b; __Host-engine_signin=" + cookie + "; c=d");
    }

    static URI with(URI at, String parameter, String value) {
        var encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);
        return URI.create(at.toString().replaceFirst("([?&]" + parameter + "=)[^&]*", "$1" + encoded));
    }

    static URI without(URI at, String parameter) {
        return URI.create(
                at.toString().replaceFirst("[?&]" + parameter + "=[^&]*", "").replaceFirst("callback&", "callback?"));
    }

    static Browser signedIn(Replica replica, Got back) {
        assertThat(back.status()).as(back.toString()).isEqualTo(302);
        var set = back.headers("Set-Cookie").stream()
                .filter(cookie -> cookie.startsWith("__Host-engine_session="))
                .findFirst()
                .orElseThrow();
        assertThat(set).endsWith("; Path=/; Secure; HttpOnly; SameSite=Lax");
        var cookie = set.substring(set.indexOf('=') + 1, set.indexOf(';'));
        var csrf = new Browser(replica.url(), cookie, "").get(SESSION).at("/csrf_token");
        return new Browser(replica.url(), cookie, csrf);
    }

    static Browser signIn(Replica replica, String as) {
        var start = begin();
        return signedIn(replica, back(replica, provider.signIn(start.location(), as), start.cookie()));
    }

    static void assertNobody(Got back, int status, String error) {
        assertThat(back.status()).as(back.toString()).isEqualTo(status);
        assertThat(back.error()).isEqualTo(error);
        assertThat(back.headers("Set-Cookie")).isEmpty();
        assertThat(back.headers("Location")).isEmpty();
        assertThat(back.header("Content-Type")).isEqualTo("application/problem+json");
    }
}
