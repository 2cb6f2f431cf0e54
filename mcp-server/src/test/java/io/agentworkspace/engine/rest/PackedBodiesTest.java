package io.agentworkspace.engine.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Bodies that the client packed with gzip: they are read like others, and have the same limit when they are unpacked. */
class PackedBodiesTest {
    private static final List<CommandAddress> REST =
            List.of(CommandAddress.GENERIC, CommandAddress.ALIAS, CommandAddress.INVOKE);

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));

    private static byte[] packed(byte[] body) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(bytes)) {
            gzip.write(body);
        }
        return bytes.toByteArray();
    }

    private CommandAddress.Got send(CommandAddress way, byte[] body, String encoding) {
        return way.send(key, "AP_Create", body, Map.of("Content-Encoding", encoding));
    }

    @Test
    void aPackedBodyIsReadLikeAnother() throws IOException {
        for (var way : REST) {
            var body = way.body("AP_Create", "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(way))
                    .getBytes(UTF_8);
            var got = send(way, packed(body), "gzip");
            assertThat(got.status()).as(got.toString()).isEqualTo(200);
            assertThat(send(way, body, "identity").error()).isEqualTo("already_exists");
        }
        var made = ClientApi.post(
                TestServer.url() + "/api/keys",
                key,
                packed("{\"name\":\"k\",\"capabilities\":[\"agent:read\"]}".getBytes(UTF_8)),
                Map.of("Content-Encoding", "x-gzip"));
        assertThat(made.statusCode()).isEqualTo(201);
    }

    @Test
    void itsLimitIsThatOfTheUnpackedBody() throws IOException {
        var bomb = packed(new byte[200 * RequestContext.MAX_BODY]);
        for (var way : REST) {
            assertThat(send(way, bomb, "gzip").error()).isEqualTo("too_large");
        }
    }

    /** Gzip allows several members one after another, of which each may be empty. */
    @Test
    void severalMembersAreOneBodyAndManyEmptyOnesAreRefused() throws IOException {
        var empty = packed(new byte[0]);
        for (var way : REST) {
            var body = way.body("AP_Create", "{\"vx\":{\"name\":\"m %s\",\"description\":\"d\"}}".formatted(way))
                    .getBytes(UTF_8);
            var half = body.length / 2;
            var several = new ByteArrayOutputStream();
            several.write(packed(Arrays.copyOf(body, half)));
            several.write(empty);
            several.write(packed(Arrays.copyOfRange(body, half, body.length)));
            var got = send(way, several.toByteArray(), "gzip");
            assertThat(got.status()).as(got.toString()).isEqualTo(200);
            var many = new ByteArrayOutputStream();
            for (var i = 0; i < 50_000; i++) {
                many.write(empty);
            }
            var refused = send(way, many.toByteArray(), "gzip");
            assertThat(refused.status()).as(refused.toString()).isEqualTo(400);
        }
    }

    @Test
    void anotherEncodingIsRefusedWithTheReason() throws IOException {
        for (var way : REST) {
            for (var encoding : List.of("br", "deflate", "zstd", "gzip, gzip")) {
                var got = send(way, packed("{}".getBytes(UTF_8)), encoding);
                assertThat(got.error())
                        .as(got.toString())
                        .isIn("unsupported_media_type", "malformed_json"); // Command routes have no 415.
                assertThat(got.note()).contains("gzip", "'" + encoding + "'");
                assertThat(got.status()).as(got.toString()).isEqualTo(way == CommandAddress.INVOKE ? 415 : 400);
            }
            assertThat(send(way, "{}".getBytes(UTF_8), "gzip").note()).contains("not in gzip's format");
        }
        var file = ClientApi.post(
                TestServer.url() + "/api/documents?name=a.txt",
                key,
                packed("text".getBytes(UTF_8)),
                Map.of("Content-Encoding", "gzip", "Content-Type", "application/octet-stream"));
        assertThat(file.statusCode()).isEqualTo(415);
        assertThat(new String(file.body(), UTF_8)).contains("as it is");
    }
}
