package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.TestServer;
import java.net.URI;
import java.net.http.HttpRequest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Responses to requests without a credential: they ask for one only where it would help. */
class UnauthenticatedTest {
    @ParameterizedTest
    @CsvSource({
        "GET, /health, 404",
        "GET, /favicon.png, 404",
        "POST, /Engine, 404",
        "GET, /api, 404",
        "GET, /api/nonsense, 404",
        "DELETE, /api/keys/x/y/z, 404",
        "GET, /api/keys, 401",
        "GET, /api/keys/x/usage, 401",
        "DELETE, /api/skills/x, 401",
        "POST, /demo/v1/Engine/tps, 401",
        "POST, /demo/v1/Engine/tps/agent/nonsense, 401",
        "POST, /mcp, 401",
        "GET, /api/health, 200",
        "GET, /api/health/ready, 200"
    })
    void unknownPathsAreNotFound(String method, String path, int status) {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + path))
                .method(method, HttpRequest.BodyPublishers.noBody());
        var got = new Got(ClientApi.send(request.build()));
        assertThat(got.status()).as(got.toString()).isEqualTo(status);
        assertThat(got.response().headers().firstValue("WWW-Authenticate").isPresent())
                .isEqualTo(status == 401);
        if (status == 404) {
            assertThat(got.error()).isEqualTo("not_found");
            assertThat(got.note()).contains("nothing is served at this path");
        }
    }
}
