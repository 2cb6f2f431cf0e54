package io.agentworkspace.engine.integrations.webhooks.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.integrations.webhooks.RawReceiver;
import io.agentworkspace.engine.integrations.webhooks.TestCa;
import io.agentworkspace.engine.integrations.webhooks.TlsReceiver;
import io.agentworkspace.engine.kernel.outbound.AddressResolver;
import io.agentworkspace.engine.kernel.outbound.TrustedCertificates;
import io.agentworkspace.engine.testing.HangLimit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPOutputStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The result of a delivery for each behaviour of a receiver, over real sockets. Most receivers write their own bytes. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class SenderTest {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-20T12:00:00Z"), ZoneOffset.UTC);
    private static final byte[] BODY = "{\"text\":\"größe\"}".getBytes(StandardCharsets.UTF_8);
    private static final List<Sender.Header> HEADERS = List.of(new Sender.Header("webhook-id", "e1"));

    @TempDir
    private static Path folder;

    private static TestCa ca;
    private static Sender sender;

    /** The address of {@code hook.test}. */
    private static final AtomicReference<String> HOOK = new AtomicReference<>("127.0.0.1");

    @BeforeAll
    static void start() {
        ca = new TestCa(folder)
                .sign("good", "dns:hook.test", "-1d", 10)
                .sign("address", "ip:127.0.0.1", "-1d", 10)
                .sign("other", "dns:other.test", "-1d", 10)
                .sign("old", "dns:hook.test", "-10d", 5)
                .sign("early", "dns:hook.test", "+5d", 5);
        sender = new Sender(new AddressResolver(SenderTest::look, true), TrustedCertificates.read(ca.pem()), CLOCK);
    }

    @AfterAll
    static void stop() {
        sender.close();
    }

    private static InetAddress[] look(String name) throws UnknownHostException {
        return name.equals("hook.test")
                ? new InetAddress[] {InetAddress.ofLiteral(HOOK.get())}
                : InetAddress.getAllByName(name);
    }

    private static AttemptResult send(URI url) throws InterruptedException {
        return sender.send(url, HEADERS, BODY);
    }

    /** Returns why it failed. Tries again if a busy machine exceeded a limit, or the connection was closed before the reason was read. */
    private static @Nullable String failure(Sender sender, URI url) throws InterruptedException {
        var failure = sender.send(url, HEADERS, BODY).error();
        return failure != null && failure.matches(".* within .*|.*handshake.*") ? failure(sender, url) : failure;
    }

    @Test
    void theBodyArrivesAsItIsWithTheHeadersAndNothingElseOfNote() throws Exception {
        try (var receiver = RawReceiver.saying(RawReceiver.status(200))) {
            var outcome = send(receiver.url());
            assertThat(outcome.status()).isEqualTo(200);
            assertThat(outcome.error()).isNull();
            assertThat(outcome.duration()).isPositive();
            var parts = receiver.requests().getFirst().split("\r\n\r\n", 2);
            assertThat(parts[1]).isEqualTo(new String(BODY, StandardCharsets.UTF_8));
            assertThat(parts[0].lines())
                    .containsExactlyInAnyOrder(
                            "POST /hook HTTP/1.1",
                            "Host: 127.0.0.1:" + receiver.port(),
                            "User-Agent: agent-workspace-engine",
                            "webhook-id: e1",
                            "Content-Type: application/json",
                            "Content-Length: " + BODY.length);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "204, ",
        "299, ",
        "301, redirects are not followed (301)",
        "302, redirects are not followed (302)",
        "307, redirects are not followed (307)",
        "400, answered 400",
        "401, answered 401",
        "407, answered 407",
        "410, answered 410",
        "500, answered 500"
    })
    void onlyA2xxDelivers(int status, String error) throws Exception {
        try (var target = RawReceiver.saying(RawReceiver.status(200));
                var receiver = RawReceiver.saying(RawReceiver.status(
                        status, "Location: " + target.url(), "WWW-Authenticate: Basic realm=x", "Set-Cookie: a=b"))) {
            var outcome = send(receiver.url());
            assertThat(outcome.status()).isEqualTo(status);
            assertThat(outcome.error()).isEqualTo(error);
            send(receiver.url());
            assertThat(target.connections()).isZero();
            assertThat(receiver.requests())
                    .hasSize(2)
                    .allSatisfy(request -> assertThat(request).doesNotContain("Cookie", "Authorization"));
        }
    }

    @Test
    void anUpgradeThatNobodyAskedForIsNoDelivery() throws Exception {
        try (var receiver = RawReceiver.saying("HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")) {
            assertThat(send(receiver.url()).delivered()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            7                              | 7
            0                              | 0
            Fri, 20 Nov 2026 12:01:30 GMT  | 90
            Friday, 20-Nov-26 12:01:30 GMT | 90
            Fri Nov 20 12:01:30 2026       | 90
            Fri, 20 Nov 2026 11:00:00 GMT  | 0
            -5                             |
            soon                           |
            99999999999999999999           |
            """)
    void retryAfterIsSecondsOrADate(String header, Long seconds) throws Exception {
        try (var receiver = RawReceiver.saying(RawReceiver.status(429, "Retry-After: " + header))) {
            var outcome = send(receiver.url());
            assertThat(outcome.error()).isEqualTo("answered 429");
            assertThat(outcome.retryAfter()).isEqualTo(seconds == null ? null : Duration.ofSeconds(seconds));
        }
    }

    @Test
    void connectionsAreReused() throws Exception {
        try (var receiver = RawReceiver.saying(RawReceiver.status(200))) {
            for (int i = 0; i < 20; i++) {
                assertThat(send(receiver.url()).delivered()).isTrue();
            }
            assertThat(receiver.connections()).isEqualTo(1);
        }
    }

    @Test
    void aPooledConnectionIsNotUsedOnceTheNameLeadsElsewhere() throws Exception {
        try (var first = RawReceiver.saying(RawReceiver.status(200));
                var second = new RawReceiver(
                        InetAddress.ofLiteral("127.0.0.2"),
                        first.port(),
                        (socket, out) -> out.write(RawReceiver.status(201).getBytes(StandardCharsets.US_ASCII)))) {
            var url = URI.create("http://hook.test:" + first.port() + "/hook");
            HOOK.set("127.0.0.1");
            assertThat(send(url).status()).isEqualTo(200);
            HOOK.set("127.0.0.2");
            assertThat(send(url).status()).isEqualTo(201);
            HOOK.set("127.0.0.1");
            assertThat(send(url).status()).isEqualTo(200);
            assertThat(first.connections()).isEqualTo(1);
            assertThat(second.connections()).isEqualTo(1);
            assertThat(second.requests().getFirst()).contains("Host: hook.test:" + first.port());
        } finally {
            HOOK.set("127.0.0.1");
        }
    }

    @Test
    void ofSeveralAddressesOneThatAnswersIsEnough() throws Exception {
        try (var receiver = RawReceiver.saying(RawReceiver.status(200));
                var both = sender("127.0.0.3", "127.0.0.1")) {
            assertThat(both.send(receiver.url(), HEADERS, BODY).delivered()).isTrue();
        }
    }

    private static Sender sender(String... addresses) {
        var all = List.of(addresses).stream().map(InetAddress::ofLiteral).toArray(InetAddress[]::new);
        return new Sender(new AddressResolver(name -> all, true), List.of(), CLOCK);
    }

    @Test
    void whatCannotBeReachedIsSaidInWords() throws Exception {
        int free;
        try (var closed = new ServerSocket(0)) {
            free = closed.getLocalPort();
        }
        assertThat(send(URI.create("http://127.0.0.1:" + free + "/")).error()).isEqualTo("connection refused");
        assertThat(send(URI.create("http://nowhere.invalid/")).error()).isEqualTo("the name does not resolve");
        assertThat(send(URI.create("http://169.254.169.254/")).error())
                .isEqualTo("the name leads to an address that is not allowed: link-local");
    }

    @Test
    void connectingTakesFiveSecondsAtMost() throws Exception {
        var waiting = new ArrayList<Socket>();
        try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            fill(full, waiting);
            var outcome = send(URI.create("http://127.0.0.1:" + full.getLocalPort() + "/"));
            assertThat(outcome.error()).isEqualTo("no connection within 5 s");
            assertThat(outcome.duration()).isGreaterThan(Duration.ofSeconds(4));
        } finally {
            for (var socket : waiting) {
                socket.close();
            }
        }
    }

    /** Opens connections until the kernel accepts no more for the socket. */
    private static void fill(ServerSocket full, List<Socket> waiting) throws IOException {
        for (int i = 0; i < 10; i++) {
            var socket = new Socket();
            waiting.add(socket);
            try {
                socket.connect(new InetSocketAddress(full.getInetAddress(), full.getLocalPort()), 200);
            } catch (IOException e) {
                return;
            }
        }
    }

    @Test
    void fifteenSecondsAreAllForAWholeAttempt() throws Exception {
        try (var silent = new RawReceiver((socket, out) -> HangLimit.pause());
                var head =
                        new RawReceiver((socket, out) -> drip(out, "HTTP/1.1 200 OK\r\nX-Long: " + "x".repeat(100)));
                var interim = new RawReceiver((socket, out) -> drip(out, "HTTP/1.1 102 x\r\n\r\n".repeat(6)));
                var body = new RawReceiver((socket, out) -> {
                    out.write("HTTP/1.1 500 x\r\nContent-Length: 100\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    drip(out, "x".repeat(100));
                });
                var mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var all = together(List.of(
                    () -> send(silent.url()),
                    () -> send(head.url()),
                    () -> send(interim.url()),
                    () -> send(URI.create("https://127.0.0.1:" + mute.getLocalPort() + "/")),
                    () -> send(body.url())));
            assertThat(all)
                    .allSatisfy(outcome -> assertThat(outcome.duration()).isGreaterThan(Duration.ofMillis(14_500)));
            assertThat(all.subList(0, 4))
                    .allSatisfy(outcome -> assertThat(outcome.error()).isEqualTo("no answer within 15 s"));
            assertThat(all.getLast().error()).isEqualTo("answered 500");
        }
    }

    private static void drip(OutputStream out, String text) throws IOException, InterruptedException {
        for (var each : text.getBytes(StandardCharsets.US_ASCII)) {
            out.write(each);
            out.flush();
            Thread.sleep(1_000);
        }
    }

    private static List<AttemptResult> together(List<Callable<AttemptResult>> attempts) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var outcomes = new ArrayList<AttemptResult>();
            for (Future<AttemptResult> future : threads.invokeAll(attempts)) {
                outcomes.add(future.get());
            }
            return outcomes;
        }
    }

    @Test
    void largeHeadersAreNotRead() throws Exception {
        try (var receiver = RawReceiver.saying(RawReceiver.status(200, "X-Long: " + "x".repeat(100_000)))) {
            var outcome = send(receiver.url());
            assertThat(outcome.status()).isNull();
            assertThat(outcome.error()).isEqualTo("the answer is not HTTP/1.1, is cut off, or has too large headers");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"hello\r\n\r\n", "SSH-2.0-OpenSSH_9.6\r\n", "HTTP/1.1 abc x\r\n\r\n", "HTTP/3.7 200 OK\r\n\r\n"})
    void whatIsNoHttpIsNoAnswer(String text) throws Exception {
        try (var receiver = RawReceiver.saying(text)) {
            assertThat(send(receiver.url()).error())
                    .isEqualTo("the answer is not HTTP/1.1, is cut off, or has too large headers");
        }
    }

    @Test
    void anEndlessBodyIsCutAndTheStatusCounts() throws Exception {
        var cut = new CountDownLatch(1);
        try (var receiver = new RawReceiver((socket, out) -> {
            try {
                out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                while (true) {
                    out.write(new byte[1_024]);
                }
            } finally {
                cut.countDown();
            }
        })) {
            var outcome = send(receiver.url());
            assertThat(outcome.delivered()).isTrue();
            cut.await();
            send(receiver.url());
            assertThat(receiver.connections()).isEqualTo(2);
        }
    }

    @Test
    void nothingIsUnpacked() throws Exception {
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write(new byte[3_000_000]);
        }
        assertThat(packed.size()).isBetween(2_000, 4_096);
        try (var receiver = new RawReceiver((socket, out) -> {
            out.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
                    .formatted(packed.size())
                    .getBytes(StandardCharsets.US_ASCII));
            packed.writeTo(out);
        })) {
            assertThat(send(receiver.url()).delivered()).isTrue();
            assertThat(send(receiver.url()).delivered()).isTrue();
            // Unpacked, it would exceed the limit and the connection would be cut.
            assertThat(receiver.connections()).isEqualTo(1);
        }
    }

    @Test
    void aConnectionThatIsCutIsAFailure() throws Exception {
        try (var reset = new RawReceiver((socket, out) -> {
                    socket.setSoLinger(true, 0);
                    socket.close();
                });
                var closed = new RawReceiver((socket, out) -> socket.close());
                var half = new RawReceiver((socket, out) -> {
                    out.write("HTTP/1.1 200 OK\r\nContent-".getBytes(StandardCharsets.US_ASCII));
                    socket.close();
                })) {
            for (var receiver : List.of(reset, closed)) {
                var outcome = send(receiver.url());
                assertThat(outcome.status()).isNull();
                assertThat(outcome.error()).isEqualTo("the connection was closed before the answer");
            }
            assertThat(send(half.url()).error())
                    .isEqualTo("the answer is not HTTP/1.1, is cut off, or has too large headers");
        }
    }

    @Test
    void aKnownAuthorityIsTrustedForItsHostsAndOnlyForThem() throws Exception {
        try (var good = new TlsReceiver(ca, "good");
                var address = new TlsReceiver(ca, "address");
                var other = new TlsReceiver(ca, "other");
                var old = new TlsReceiver(ca, "old");
                var early = new TlsReceiver(ca, "early");
                var plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                var strict = new Sender(new AddressResolver(SenderTest::look, true), List.of(), CLOCK)) {
            assertThat(failure(sender, good.url("hook.test"))).isNull();
            assertThat(good.sni()).isEqualTo("hook.test");
            assertThat(failure(sender, address.url("127.0.0.1"))).isNull();
            var delivered = good.requests() + address.requests();
            for (var wrong : List.of(good.url("127.0.0.1"), address.url("hook.test"), other.url("hook.test"))) {
                assertThat(failure(sender, wrong)).isEqualTo("TLS: the certificate is not for this host");
            }
            assertThat(failure(sender, old.url("hook.test"))).isEqualTo("TLS: the certificate has expired");
            assertThat(failure(sender, early.url("hook.test"))).isEqualTo("TLS: the certificate is not valid yet");
            assertThat(failure(strict, good.url("hook.test"))).isEqualTo("TLS: the certificate is not trusted");
            Thread.ofVirtual().start(() -> {
                try (var socket = plain.accept()) {
                    socket.getOutputStream().write(RawReceiver.status(400).getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                } catch (IOException e) {
                    // The client has disconnected.
                }
            });
            assertThat(send(URI.create("https://127.0.0.1:" + plain.getLocalPort() + "/"))
                            .error())
                    .isEqualTo("TLS: the handshake failed");
            assertThat(good.requests() + address.requests()).isEqualTo(delivered);
            assertThat(other.requests() + old.requests() + early.requests()).isZero();
        }
    }

    @Test
    void theJvmsAuthoritiesStayTrusted() {
        var tls = TrustedCertificates.tls(List.of(ca.authority()));
        assertThat(tls.getTrustStore())
                .satisfies(store -> assertThat(store.size()).isGreaterThan(50));
    }

    @Test
    void manyWhoWaitForASlowReceiverDelayNobodyElse() throws Exception {
        var release = new CountDownLatch(1);
        try (var slow = new RawReceiver((socket, out) -> {
                    release.await();
                    out.write(RawReceiver.status(200).getBytes(StandardCharsets.US_ASCII));
                });
                var quick = RawReceiver.saying(RawReceiver.status(200));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = new ArrayList<Future<AttemptResult>>();
            for (int i = 0; i < 200; i++) {
                waiting.add(threads.submit(() -> send(slow.url())));
            }
            // On a slow machine an attempt may give up before its connection is taken.
            Awaitility.await()
                    .until(() -> slow.requests().size()
                                    + waiting.stream().filter(Future::isDone).count()
                            >= 200);
            assertThat(slow.requests()).isNotEmpty();
            for (int i = 0; i < 50; i++) {
                var outcome = send(quick.url());
                assertThat(outcome.delivered()).isTrue();
            }
            release.countDown();
            for (var each : waiting) { // A slow machine may use all the time of an attempt.
                assertThat(each.get().error()).isIn(null, "no answer within 15 s", "no connection within 5 s");
            }
        }
    }

    @Test
    void aNameWithSlowServersHoldsUpNoOther() throws Exception {
        var release = new CountDownLatch(1);
        AddressResolver.Lookup lookup = name -> {
            if (name.equals("slow.test")) {
                await(release);
            }
            return new InetAddress[] {InetAddress.getLoopbackAddress()};
        };
        try (var receiver = RawReceiver.saying(RawReceiver.status(200));
                var own = new Sender(new AddressResolver(lookup, true), List.of(), CLOCK);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var slow = URI.create("http://slow.test:" + receiver.port() + "/");
            var waiting = new ArrayList<Future<AttemptResult>>();
            for (int i = 0; i < 300; i++) {
                waiting.add(threads.submit(() -> own.send(slow, HEADERS, BODY)));
            }
            assertThat(own.send(receiver.url(), HEADERS, BODY).delivered()).isTrue();
            for (var each : waiting) {
                assertThat(each.get().error()).isEqualTo("the name did not resolve in time");
            }
            release.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whoeverIsInterruptedStopsAtOnce() throws Exception {
        try (var silent = new RawReceiver((socket, out) -> HangLimit.pause())) {
            var stopped = new CountDownLatch(1);
            var thread = Thread.ofVirtual().start(() -> {
                try {
                    send(silent.url());
                } catch (InterruptedException e) {
                    stopped.countDown();
                }
            });
            Awaitility.await().until(() -> !silent.requests().isEmpty());
            thread.interrupt();
            assertThat(stopped.await(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }
}
