package io.agentworkspace.engine.integrations.webhooks.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.integrations.webhooks.RawReceiver;
import io.agentworkspace.engine.integrations.webhooks.TestCa;
import io.agentworkspace.engine.integrations.webhooks.TlsReceiver;
import io.agentworkspace.engine.kernel.outbound.AddressResolver;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.HangLimit;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class PreflightTest {
    private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

    @TempDir
    private static Path folder;

    private static Sender sender(TestCa ca) {
        AddressResolver.Lookup lookup = name -> {
            if (name.endsWith(".invalid")) {
                throw new UnknownHostException();
            }
            return new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")};
        };
        return new Sender(new AddressResolver(lookup, true), List.of(ca.authority()), Clock.fixed(NOW, ZoneOffset.UTC));
    }

    @Test
    void saysHowFarItGot() throws Exception {
        var ca = new TestCa(folder).sign("good", "dns:hook.test", "-1d", 10);
        try (var sender = sender(ca);
                var good = new TlsReceiver(ca, "good");
                var plain = RawReceiver.saying(RawReceiver.status(405));
                var silent = new RawReceiver((socket, out) -> HangLimit.pause());
                var mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            assertThat(sender.check(good.url("hook.test")))
                    .isEqualTo(new PreflightReport(NOW, true, true, true, true, "answered 200"));
            assertThat(sender.check(plain.url()))
                    .isEqualTo(new PreflightReport(NOW, true, true, null, true, "answered 405"));
            assertThat(plain.requests().getFirst())
                    .startsWith("HEAD /hook HTTP/1.1\r\n")
                    .doesNotContainIgnoringCase("webhook-", "signature");
            assertThat(sender.check(good.url("other.test")))
                    .isEqualTo(new PreflightReport(
                            NOW, false, true, false, false, "TLS: the certificate is not for this host"));
            assertThat(sender.check(URI.create("https://nowhere.invalid/")))
                    .isEqualTo(new PreflightReport(NOW, false, false, null, false, "the name does not resolve"));
            assertThat(sender.check(silent.url()))
                    .isEqualTo(new PreflightReport(NOW, false, true, null, false, "no answer within 5 s"));
            assertThat(sender.check(URI.create("https://hook.test:" + mute.getLocalPort())))
                    .isEqualTo(new PreflightReport(NOW, false, true, null, false, "no answer within 5 s"));
        }
    }

    @Test
    void connectingToNobodyIsNotAQuestionOfTls() throws Exception {
        int free;
        try (var closed = new ServerSocket(0)) {
            free = closed.getLocalPort();
        }
        try (var sender = new Sender(true, List.of(), Clock.fixed(NOW, ZoneOffset.UTC))) {
            var preflight = sender.check(URI.create("https://127.0.0.1:" + free + "/"));
            assertThat(preflight).isEqualTo(new PreflightReport(NOW, false, true, null, false, "connection refused"));
            assertThat(Json.text(preflight))
                    .isEqualTo("{\"checked_at\":\"2026-11-20T12:00:00.000Z\",\"ok\":false,\"resolves\":true,"
                            + "\"answers\":false,\"detail\":\"connection refused\"}");
        }
    }
}
