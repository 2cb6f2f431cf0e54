package io.agentworkspace.engine.integrations.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.integrations.webhooks.sender.Sender;
import io.agentworkspace.engine.kernel.outbound.AddressResolver;
import io.agentworkspace.engine.kernel.outbound.OutboundUrl;
import io.agentworkspace.engine.kernel.outbound.PublicAddress;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Neither a customer's URL nor the addresses of its host name can make the engine connect to an internal address. A
 * canary there receives no connection.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class SsrfTest {
    private static final Clock CLOCK = Clock.systemUTC();
    private static RawReceiver canary;
    private static Sender real;

    @BeforeAll
    static void start() {
        canary = new RawReceiver(
                InetAddress.ofLiteral("::"),
                0,
                (socket, out) -> out.write(RawReceiver.status(200).getBytes(StandardCharsets.US_ASCII)));
        real = new Sender(new AddressResolver(SsrfTest::inwards, false), List.of(), CLOCK);
    }

    @AfterAll
    static void stop() {
        real.close();
        canary.close();
    }

    /**
     * Parses the name as the JVM does. Names that the JVM reads as public addresses are left out, such as
     * 177.0.0.1, which others read as octal.
     */
    private static InetAddress[] inwards(String name) throws UnknownHostException {
        var all = InetAddress.getAllByName(name);
        if (Arrays.stream(all).allMatch(address -> PublicAddress.refusal(address, false) == null)) {
            throw new UnknownHostException();
        }
        return all;
    }

    private static Stream<String> urls() throws IOException {
        try (var file = Objects.requireNonNull(SsrfTest.class.getResourceAsStream("/hostile-urls.txt"))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines().filter(line -> !line.startsWith("# ")).map(String::translateEscapes).toList().stream();
        }
    }

    @Test
    void thereAreMoreThanAHundred() throws IOException {
        assertThat(urls().distinct().count()).isGreaterThan(150);
    }

    @Test
    void theCanaryHearsWhoeverMayCome() throws Exception {
        try (var careless = new Sender(true, List.of(), CLOCK)) {
            for (var host : List.of("127.0.0.1", "127.1.2.3", "localhost")) {
                var before = canary.connections();
                assertThat(careless.send(URI.create("http://" + host + ":" + canary.port()), List.of(), new byte[0])
                                .delivered())
                        .isTrue();
                assertThat(canary.connections()).isGreaterThan(before);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("urls")
    void isRefusedByItsTextAlone(String url) {
        assertThatThrownBy(() -> OutboundUrl.parse(placed(url), false))
                .isInstanceOf(Problem.class)
                .hasMessageMatching("url (must|has|leads) .*");
    }

    /** Skips the check of the text, with https and with plain http. */
    @ParameterizedTest
    @MethodSource("urls")
    void connectsToNobody(String url) throws Exception {
        for (var address : List.of(placed(url), placed(url).replaceFirst("^https", "http"))) {
            var uri = uri(address);
            if (uri == null
                    || uri.getHost() == null
                    || !address.startsWith("http")
                    || uri.getHost().endsWith("example.com")) {
                continue;
            }
            var before = canary.connections();
            var outcome = real.send(uri, List.of(), new byte[0]);
            assertThat(outcome.status()).isNull();
            assertThat(outcome.error())
                    .matches("the name leads to an address that is not allowed: .*|the name does not resolve"
                            + "|the name did not resolve in time");
            assertThat(canary.connections()).isEqualTo(before);
        }
    }

    private static String placed(String url) {
        return url.replace("PORT", Integer.toString(canary.port()));
    }

    private static URI uri(String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, loopback",
        "198.41.0.4 127.0.0.1, loopback",
        "127.0.0.1 198.41.0.4, loopback",
        "198.41.0.4 2606:4700::1111 10.0.0.1, private",
        "198.41.0.4 fd12::1, unique-local",
        "198.41.0.4 169.254.169.254, link-local",
        "64:ff9b::a00:1, private",
        "198.41.0.4 0.0.0.0, of this network",
        "2002:c0a8:101::1, private"
    })
    void aNameWithASingleBadAddressIsRefusedWhole(String addresses, String kind) throws Exception {
        var all =
                Arrays.stream(addresses.split(" ")).map(InetAddress::ofLiteral).toArray(InetAddress[]::new);
        var before = canary.connections();
        try (var sender = new Sender(new AddressResolver(name -> all, false), List.of(), CLOCK)) {
            var outcome = sender.send(URI.create("https://evil.test:" + canary.port() + "/"), List.of(), new byte[0]);
            assertThat(outcome.error()).isEqualTo("the name leads to an address that is not allowed: " + kind);
            assertThat(sender.check(URI.create("https://evil.test:" + canary.port() + "/"))
                            .resolves())
                    .isFalse();
        }
        assertThat(canary.connections()).isEqualTo(before);
    }

    /** If a name were looked up twice for one attempt, the check could get a good address and the connection a bad one. */
    @Test
    void aNameIsLookedUpOnceForEachAttemptAndWhatWasVettedIsConnectedTo() throws Exception {
        var answers = List.of("127.0.0.1", "0.0.0.0", "127.0.0.1", "169.254.169.254", "127.0.0.2", "::");
        var lookups = new AtomicInteger();
        AddressResolver.Lookup changing =
                name -> new InetAddress[] {InetAddress.ofLiteral(answers.get(lookups.getAndIncrement()))};
        try (var receiver = RawReceiver.saying(RawReceiver.status(200));
                var second = new RawReceiver(
                        InetAddress.ofLiteral("127.0.0.2"),
                        receiver.port(),
                        (socket, out) -> out.write(RawReceiver.status(201).getBytes(StandardCharsets.US_ASCII)));
                var sender = new Sender(new AddressResolver(changing, true), List.of(), CLOCK)) {
            var url = URI.create("http://rebinding.test:" + receiver.port() + "/");
            var statuses = new ArrayList<Integer>();
            for (int i = 0; i < answers.size(); i++) {
                statuses.add(sender.send(url, List.of(), new byte[0]).status());
            }
            assertThat(lookups.get()).isEqualTo(answers.size());
            assertThat(statuses).containsExactly(200, null, 200, null, 201, null);
            assertThat(receiver.requests()).hasSize(2);
            assertThat(second.requests()).hasSize(1);
        }
    }

    @Test
    void redirectsInwardsAreNotFollowed() throws Exception {
        var before = canary.connections();
        for (var status : List.of(301, 302, 303, 307, 308)) {
            var location = "Location: http://127.0.0.1:%d/".formatted(canary.port());
            try (var receiver = RawReceiver.saying(RawReceiver.status(status, location, "Refresh: 0; " + location));
                    var sender = new Sender(true, List.of(), CLOCK)) {
                assertThat(sender.send(receiver.url(), List.of(), new byte[0]).status())
                        .isEqualTo(status);
                assertThat(sender.check(receiver.url()).detail()).isEqualTo("answered " + status);
            }
        }
        assertThat(canary.connections()).isEqualTo(before);
    }

    @Test
    void aProxyOfTheJvmIsNotUsed() throws Exception {
        var names = List.of("http.proxyHost", "https.proxyHost", "socksProxyHost");
        names.forEach(name -> System.setProperty(name, "127.0.0.1"));
        List.of("http.proxyPort", "https.proxyPort", "socksProxyPort")
                .forEach(name -> System.setProperty(name, Integer.toString(canary.port())));
        var before = canary.connections();
        try (var receiver = RawReceiver.saying(RawReceiver.status(200));
                var sender = new Sender(true, List.of(), CLOCK)) {
            assertThat(sender.send(receiver.url(), List.of(), new byte[0]).delivered())
                    .isTrue();
            assertThat(canary.connections()).isEqualTo(before);
        } finally {
            names.forEach(System::clearProperty);
        }
    }
}
