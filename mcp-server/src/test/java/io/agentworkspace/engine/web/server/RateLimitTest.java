package io.agentworkspace.engine.web.server;

import static io.agentworkspace.engine.web.server.SampleServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.kernel.http.FairShare;
import io.agentworkspace.engine.kernel.http.RateBuckets;
import io.agentworkspace.engine.kernel.http.RequestRate;
import io.agentworkspace.engine.model.access.Role;
import java.net.InetAddress;
import java.net.http.HttpResponse;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.util.HostPort;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class RateLimitTest {
    private static final RequestRate TIGHT = new RequestRate(1, 3);
    private static final RequestRate WIDE = new RequestRate(200, 400);

    @Test
    void aKeyThatAsksTooFastIsToldToWaitAndOthersAreNot() {
        try (var server = new SampleServer(TIGHT, WIDE)) {
            for (var left = 2; left >= 0; left--) {
                var response = me(server, server.key);
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(header(response, "RateLimit")).startsWith("\"default\";r=" + left + ";t=");
                assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"default\";q=3;w=3");
            }
            var refused = me(server, server.key);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Retry-After")).isEqualTo("1");
            assertThat(header(refused, "RateLimit")).startsWith("\"default\";r=0;t=");
            assertThat(json(refused).get("error").asString()).isEqualTo("rate_limited");
            var other = server.keys.add(Role.MEMBER, "*");
            assertThat(me(server, other).statusCode()).isEqualTo(200);
            await().until(() -> me(server, server.key).statusCode() == 200);
        }
    }

    @Test
    void theRefusalIsInThePathsStyle() {
        try (var server = new SampleServer(new RequestRate(1, 1), WIDE)) {
            me(server, server.key);
            var command = server.get("/demo/v1/Engine/tps", "X-Api-Key", server.key);
            assertThat(command.statusCode()).isEqualTo(429);
            assertThat(json(command).at("/status/internal_code").asInt()).isEqualTo(4001);
            var rpc = server.mcp("{}");
            assertThat(rpc.statusCode()).isEqualTo(429);
            assertThat(json(rpc).at("/error/code").asInt()).isEqualTo(4001);
            assertThat(json(rpc).has("id")).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"jsonrpc":"2.0","id":"1","method":"ping"}                                        | "1"
            {"method":"ping","params":{"id":3,"a":[{"id":4}]},"id":7,"jsonrpc":"2.0"}         | 7
            {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"id":"1"}}          | -
            {"id":{"id":1}}                                                                   | -
            [{"id":1}]                                                                        | -
            nonsense                                                                          | -
            """)
    void aRefusedMessageIsToldSoUnderItsId(String body, String id) {
        try (var server = new SampleServer(new RequestRate(1, 1), WIDE)) {
            me(server, server.key);
            var refused = server.mcp(body);
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(header(refused, "Retry-After")).isEqualTo("1");
            var actual = json(refused).get("id");
            assertThat(actual == null ? "-" : actual.toString()).isEqualTo(id);
        }
    }

    @Test
    void anIdBehindALargeBodyIsNotSearchedForAndTheRefusalComes() {
        try (var server = new SampleServer(new RequestRate(1, 1), WIDE)) {
            me(server, server.key);
            var refused = server.mcp("{\"params\":\"" + "x".repeat(1 << 20) + "\",\"id\":1}");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(json(refused).has("id")).isFalse();
        }
    }

    @Test
    void eachMessageOfABatchCounts() {
        try (var server = new SampleServer(new RequestRate(1, 20), WIDE)) {
            var handshake = server.mcp("""
                    {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}""");
            var ping = "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}";
            var batch = "[" + IntStream.range(0, 50).mapToObj(ping::formatted).collect(Collectors.joining(",")) + "]";
            var response = server.mcp(
                    batch, "Mcp-Session-Id", header(handshake, "Mcp-Session-Id"), "MCP-Protocol-Version", "2025-03-26");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(json(response).size()).isEqualTo(50);
            var refused = json(response)
                    .valueStream()
                    .filter(one -> one.at("/error/code").asInt() == 4001)
                    .toList();
            // One token is added for each second that this takes.
            assertThat(refused).hasSizeBetween(1, 31);
            assertThat(refused.getLast().at("/error/data/error").asString()).isEqualTo("rate_limited");
            exhaust(() -> me(server, server.key));
        }
    }

    private static void exhaust(Supplier<HttpResponse<String>> request) {
        await().until(() -> request.get().statusCode() == 429);
    }

    @Test
    void badKeysOfAnAddressRefuseItNeitherHealthNorDocumentsNorAKeyThatIsKnown() {
        try (var server = new SampleServer(WIDE, TIGHT)) {
            assertThat(me(server, server.key).statusCode()).isEqualTo(200);
            exhaust(() -> me(server, unknown()));
            exhaust(() -> me(server, "nonsense"));
            assertThat(server.get("/api/mcp/tools").statusCode()).isEqualTo(200);
            assertThat(me(server, server.key).statusCode()).isEqualTo(200);
            for (var i = 0; i < 20; i++) {
                assertThat(server.get("/api/health").statusCode()).isEqualTo(200);
                assertThat(server.get("/api/health/ready").statusCode()).isNotEqualTo(429);
                assertThat(server.get("/api/health", "X-Api-Key", server.key).statusCode())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void whatIsNoKeyOnSightDoesNotKeepANewKeyFromBeingLookedUp() {
        try (var server = new SampleServer(WIDE, TIGHT)) {
            exhaust(() -> me(server, "nonsense"));
            exhaust(() -> server.get("/api/me"));
            exhaust(() -> server.get("/api/mcp/tools"));
            assertThat(me(server, server.key).statusCode()).isEqualTo(200);
        }
    }

    /** Addresses in the forms that the server uses. */
    @ParameterizedTest
    @CsvSource({
        "2001:db8::1, 2001:db8::2, true",
        "2001:db8::1, 2001:db8:0:0:ffff:ffff:ffff:ffff, true",
        "2001:db8:0:1::1, 2001:db8:0:2::1, false",
        "2001:db8::1, 2001:db9::1, false",
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.2, false",
        "::ffff:192.0.2.1, 192.0.2.1, true",
        "::ffff:192.0.2.1, ::ffff:192.0.2.2, false",
    })
    void aHostOfIPv6IsCountedByItsNetwork(String one, String other, boolean together) throws Exception {
        var first = HostPort.normalizeHost(InetAddress.getByName(one).getHostAddress());
        var second = HostPort.normalizeHost(InetAddress.getByName(other).getHostAddress());
        assertThat(FairShare.network(first).equals(FairShare.network(second))).isEqualTo(together);
    }

    @Test
    void anyNumberOfAddressesTakesBoundedMemory() {
        var buckets = new RateBuckets<String>(TIGHT, Clock.systemUTC());
        for (var i = 0; i < 300_000; i++) {
            buckets.take(
                    "2001:db8:" + Integer.toHexString(i >> 16) + ":" + Integer.toHexString(i & 0xffff),
                    HttpFields.build());
        }
        assertThat(buckets.count()).isBetween(1L, 100_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/me", "/api/health"})
    void guessingCostsNoLookUpsWithoutEndAndHealthIsNoWayAround(String path) {
        try (var server = new SampleServer(WIDE, TIGHT)) {
            var guesses = Stream.generate(RateLimitTest::unknown).limit(60).toList();
            var statuses = guesses.stream()
                    .map(key -> server.get(path, "X-Api-Key", key).statusCode())
                    .toList();
            assertThat(statuses).contains(path.equals("/api/me") ? 429 : 200);
            var lookUps = guesses.stream().mapToInt(server.keys::lookUps).sum();
            assertThat(lookUps).isBetween(path.equals("/api/me") ? 1 : 0, path.equals("/api/me") ? 50 : 0);
        }
    }

    private static String unknown() {
        return ApiKey.generate(new SecureRandom()).reveal();
    }

    @Test
    void theDefaultIsToldAsTheDraftShowsIt() {
        try (var server = new SampleServer(WIDE, WIDE)) {
            var response = me(server, server.key);
            assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"default\";q=400;w=2");
            assertThat(header(response, "RateLimit")).isEqualTo("\"default\";r=399;t=0");
        }
    }

    @Test
    void offMeansNoLimitAndNoHeaders() {
        try (var server = new SampleServer(RequestRate.OFF, RequestRate.OFF)) {
            for (var i = 0; i < 50; i++) {
                assertThat(me(server, server.key).statusCode()).isEqualTo(200);
            }
            assertThat(me(server, server.key).headers().map()).doesNotContainKeys("ratelimit", "ratelimit-policy");
        }
    }

    private static HttpResponse<String> me(SampleServer server, String key) {
        return server.get("/api/me", "X-Api-Key", key);
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
