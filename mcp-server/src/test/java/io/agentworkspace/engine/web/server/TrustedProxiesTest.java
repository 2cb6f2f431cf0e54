package io.agentworkspace.engine.web.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.kernel.http.RequestRate;
import io.agentworkspace.engine.kernel.http.TrustedProxies;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The client address of requests through proxies, and which proxies are trusted. */
@Tag("slow")
class TrustedProxiesTest {
    private static final RequestRate TIGHT = new RequestRate(1, 3);

    private static String loggedFrom(List<String> trusted, String... headers) {
        try (var server = new SampleServer(new TrustedProxies(trusted), RequestRate.OFF);
                var log = new CapturedLog()) {
            server.get("/api/health", headers);
            org.awaitility.Awaitility.await().until(() -> !log.requests().isEmpty());
            return (String) log.requests().getFirst().get("remote");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            X-Forwarded-For | 203.0.113.7                                    | 203.0.113.7
            X-Forwarded-For | 203.0.113.7:4711                               | 203.0.113.7
            X-Forwarded-For | 198.51.100.1, 203.0.113.7                      | 203.0.113.7
            X-Forwarded-For | 198.51.100.1, 203.0.113.7, 10.1.2.3            | 203.0.113.7
            X-Forwarded-For | 10.9.9.9, 10.1.2.3                             | 10.9.9.9
            X-Forwarded-For | nonsense, 10.1.2.3                             | 10.1.2.3
            X-Forwarded-For | nonsense                                       | 127.0.0.1
            Forwarded       | for=203.0.113.7;proto=https                    | 203.0.113.7
            Forwarded       | for=198.51.100.1, by=10.0.0.1;For="203.0.113.7:80" | 203.0.113.7
            Forwarded       | for=unknown                                    | 127.0.0.1
            """)
    void theLastAddressThatIsNoTrustedProxysCounts(String header, String value, String client) {
        assertThat(loggedFrom(List.of("127.0.0.1", "10.0.0.0/8"), header, value))
                .isEqualTo(client);
    }

    @Test
    void addressesOfIpv6AreReadToo() {
        assertThat(loggedFrom(List.of("127.0.0.0/8"), "Forwarded", "for=\"[2001:db8::7]:4711\""))
                .startsWith("[2001:db8:")
                .contains(":7");
    }

    @Test
    void whoIsNoTrustedProxyIsNotBelieved() {
        assertThat(loggedFrom(List.of(), "X-Forwarded-For", "203.0.113.7")).isEqualTo("127.0.0.1");
        assertThat(loggedFrom(List.of("10.0.0.0/8"), "X-Forwarded-For", "203.0.113.7"))
                .isEqualTo("127.0.0.1");
    }

    @Test
    void headersThatDisagreeAreNotBelieved() {
        assertThat(loggedFrom(List.of("127.0.0.1"), "X-Forwarded-For", "203.0.113.7", "Forwarded", "for=203.0.113.8"))
                .isEqualTo("127.0.0.1");
    }

    @Test
    void clientsBehindAProxyAreCountedApart() {
        try (var server = new SampleServer(new TrustedProxies(List.of("127.0.0.1")), TIGHT)) {
            for (var i = 0; i < 10; i++) {
                guess(server, "203.0.113.7");
            }
            assertThat(guess(server, "203.0.113.7")).isEqualTo(429);
            assertThat(guess(server, "203.0.113.8")).isEqualTo(401);
        }
    }

    private static int guess(SampleServer server, String client) {
        var key = ApiKey.generate(new SecureRandom()).reveal();
        return server.get("/api/me", "X-Api-Key", key, "X-Forwarded-For", client)
                .statusCode();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "proxy.example.com", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "::1/129", "10.0.0.1-5"})
    void whatIsNoNetworkIsRefused(String text) {
        assertThatThrownBy(() -> TrustedProxies.checked(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anyAddressOfANetworkNamesIt() {
        assertThat(TrustedProxies.checked("10.1.2.3/8")).isEqualTo("10.0.0.0/8");
        assertThat(TrustedProxies.checked("192.0.2.255/25")).isEqualTo("192.0.2.128/25");
        assertThat(TrustedProxies.checked("2001:db8:1:2::3/32")).isEqualTo("2001:db8:0:0:0:0:0:0/32");
        assertThat(TrustedProxies.checked("0.0.0.0/0")).isEqualTo("0.0.0.0/0");
    }
}
