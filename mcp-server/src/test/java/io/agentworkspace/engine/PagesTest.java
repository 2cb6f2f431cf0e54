package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.Role;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What stands around the pages: how long they may be kept, and where other spellings of their addresses lead. */
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
        var key = new TestTenant().key(Door.REST, "maria", Role.MEMBER, List.of("*"));
        assertThat(kept(get("/skills-hub", "X-Api-Key", key))).containsExactly("no-store", "Accept-Encoding, Cookie");
    }

    @Test
    void assetsAreKeptForAYearWhoeverAsks() throws Exception {
        var asset = Pattern.compile("/assets/\\w+/hub\\.css")
                .matcher(get("/mcp-hub").body());
        assertThat(asset.find()).isTrue();
        assertThat(kept(get(asset.group()))).containsExactly("public, max-age=31536000, immutable", "Accept-Encoding");
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
    void aSlashAtTheEndLeadsToThePageWithout(String asked, String page) throws Exception {
        var answer = get(asked);
        assertThat(answer.statusCode()).isEqualTo(302);
        assertThat(answer.headers().firstValue("Location").orElseThrow().split("[?&]"))
                .containsExactlyInAnyOrder(page.split("[?&]"));
    }
}
