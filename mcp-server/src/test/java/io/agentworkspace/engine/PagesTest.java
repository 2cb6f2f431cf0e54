package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The headers around the pages: how long pages may be cached, and where other spellings of their addresses redirect. */
class PagesTest {
    private static HttpResponse<String> get(String path, String... headers) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(TestServer.url() + path));
            if (headers.length > 0) {
                request.headers(headers);
            }
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static List<String> kept(HttpResponse<String> page) {
        return List.of(
                String.join(", ", page.headers().allValues("Cache-Control")),
                String.join(", ", page.headers().allValues("Vary")));
    }

    @Test
    void whatAnybodySeesIsAskedForAnew() throws Exception {
        assertThat(kept(get("/skills-hub"))).containsExactly("no-cache", "Accept-Encoding, Cookie");
    }

    @Test
    void whatOneSeesSignedInIsNotKept() throws Exception {
        var key = new TestTenant().key(ClientApi.REST, "maria", Role.MEMBER, List.of("*"));
        assertThat(kept(get("/skills-hub", "X-Api-Key", key))).containsExactly("no-store", "Accept-Encoding, Cookie");
    }

    @Test
    void assetsAreKeptForAYearWhoeverAsks() throws Exception {
        var asset = Pattern.compile("/assets/\\w+/hub\\.css")
                .matcher(get("/mcp-hub").body());
        assertThat(asset.find()).isTrue();
        assertThat(kept(get(asset.group()))).containsExactly("public, max-age=31536000, immutable", "Accept-Encoding");
    }

    /** The header Accept of a browser that follows a link. */
    private static final String NAVIGATION = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

    @ParameterizedTest
    @CsvSource({
        "/docs/search?q=%s, 400, does not belong in the query",
        "/mcp-hub?token=%s, 400, does not belong in the query",
        "/api/auth/oauth/nowhere/start?surface=hub, 404, nowhere",
        "/api/auth/oauth/nowhere/callback?state=x&code=y, 404, nowhere",
        "/api/auth/oauth/nowhere/callback?state=x&x=%s, 400, does not belong in the query",
    })
    void aPersonIsToldOnAPageWhyItWasRefused(String path, int status, String note) throws Exception {
        var key = new TestTenant().key(ClientApi.REST, "maria", Role.MEMBER, List.of("*"));
        var page = get(path.formatted(key), "Accept", NAVIGATION);
        assertThat(page.statusCode()).isEqualTo(status);
        assertThat(page.headers().allValues("Content-Type"))
                .singleElement()
                .asString()
                .startsWith("text/html;");
        assertThat(page.headers().allValues("Cache-Control")).containsExactly("no-store");
        assertThat(page.headers().allValues("Content-Security-Policy"))
                .singleElement()
                .asString()
                .contains("style-src 'self'", "frame-ancestors 'none'");
        assertThat(page.body()).contains(note, "Skip to the content").doesNotContain(key);
        assertThat(page.body()).containsPattern("<p class=\"note bad\">\\P{Ll}[^<]*[.?!]</p>");
        var program = get(path.formatted(key), "Accept", "*/*");
        assertThat(program.statusCode()).isEqualTo(status);
        assertThat(program.headers().allValues("Content-Type")).containsExactly("application/problem+json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/docs/search?q=ek_", "/mcp-hub?q=ek_abc"})
    void whatOnlyBeginsLikeAKeyCanBeLookedFor(String path) throws Exception {
        assertThat(get(path).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"share+memory", "upgrade", "sign+in", "backup"})
    void theSearchFindsPagesForUsersBeforeTheOthers(String words) throws Exception {
        var found = Json.readObject(get("/search.json?q=" + words).body().getBytes(StandardCharsets.UTF_8));
        assertThat(found.get("docs").valueStream().limit(3))
                .hasSize(3)
                .extracting(hit -> hit.get("address").asString())
                .noneMatch(address -> address.matches("/docs/(dev/|changes|contributing).*"));
    }

    @Test
    void theFrontPageSaysWhatThisIsAndWhereToBegin() throws Exception {
        var page = get("/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body())
                .contains("A shared workspace for agents and people")
                .contains("href=\"/mcp-hub/connect\"", "href=\"/console/world\"", "href=\"/docs/quick-start\"");
    }

    @ParameterizedTest
    @CsvSource({
        "/mcp-hub/, /mcp-hub",
        "/skills-hub/, /skills-hub",
        "/docs/, /docs",
        "/docs/concepts/, /docs/concepts",
        "/mcp-hub/connect/?toolset=agent%2Cbank&readonly=true, /mcp-hub/connect?readonly=true&toolset=agent%2Cbank",
        "/docs/a%20%C3%BC%22/, /docs/a%20%C3%BC%22"
    })
    void aSlashAtTheEndLeadsToThePageWithout(String path, String page) throws Exception {
        var answer = get(path);
        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("Location").orElseThrow().split("[?&]"))
                .containsExactlyInAnyOrder(page.split("[?&]"));
    }

    @Test
    void eachDocumentIsInTheListForModelsAndHasATwinInMarkdown() throws Exception {
        var list = get("/llms.txt");
        assertThat(list.headers().firstValue("Content-Type")).contains("text/markdown; charset=utf-8");
        var twins = Pattern.compile("\\((http[^)]+\\.md)\\)")
                .matcher(list.body())
                .results()
                .map(link -> URI.create(link.group(1)).getPath())
                .toList();
        assertThat(twins).contains("/docs/quick-start.md", "/docs/how-it-works.md", "/docs/commands/agent.md");
        assertThat(twins).hasSizeGreaterThan(35);
        for (var twin : twins) {
            var text = get(twin);
            assertThat(text.headers().firstValue("Content-Type")).as(twin).contains("text/markdown; charset=utf-8");
            assertThat(text.body()).as(twin).startsWith("#");
        }
        assertThat(get("/docs/nowhere.md").statusCode()).isEqualTo(404);
    }

    /** Diagrams are rendered by hand and could fall behind their sources. */
    @Test
    void diagramsAreRenderedFromTheirSources() throws Exception {
        var sources = Repository.files("docs/diagrams", ".mmd");
        assertThat(sources).hasSizeGreaterThan(4);
        for (var source : sources) {
            var address = "/docs/diagrams/" + source.getFileName().toString().replace(".mmd", ".svg");
            var picture = get(address);
            assertThat(picture.headers().firstValue("Content-Type"))
                    .as(address)
                    .contains("image/svg+xml; charset=utf-8");
            assertThat(picture.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .contains("sandbox");
            assertThat(picture.body())
                    .as("%s is outdated: run docs/diagrams/render.mjs", address)
                    .startsWith("<!--\n" + Repository.text(source).replace("--", "- -") + "-->");
        }
    }
}
