package io.agentworkspace.engine.integrations.webhooks.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.integrations.webhooks.RawReceiver;
import io.agentworkspace.engine.kernel.outbound.AddressResolver;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Interim responses of receivers. */
class InterimResponsesTest {
    private final Sender sender =
            new Sender(new AddressResolver(InetAddress::getAllByName, true), List.of(), Clock.systemUTC());

    @AfterEach
    void stop() {
        sender.close();
    }

    /** An endless series of small or large heads is neither read nor stored. It costs no more than any failed attempt. */
    @ParameterizedTest
    @CsvSource({"100, 0", "102, 0", "103, 0", "103, 7000"})
    void anEndlessRowOfInterimAnswersIsCutOff(int status, int size) throws Exception {
        var head = "HTTP/1.1 %d x\r\nLink: <%s>\r\n\r\n"
                .formatted(status, "x".repeat(size))
                .getBytes(StandardCharsets.US_ASCII);
        var written = new AtomicLong();
        var closed = new CountDownLatch(1);
        try (var receiver = new RawReceiver((_, out) -> {
            try {
                while (true) {
                    out.write(head);
                    written.addAndGet(head.length);
                }
            } finally {
                closed.countDown();
            }
        })) {
            var outcome = sender.send(receiver.url(), List.of(), new byte[0]);
            assertThat(outcome.delivered()).isFalse();
            assertThat(outcome.status()).isNull();
            assertThat(outcome.error())
                    .isEqualTo(
                            status == 100
                                    ? "the answer is not HTTP/1.1, is cut off, or has too large headers"
                                    : "more than 16 interim answers (1xx) before the answer");
            closed.await();
            assertThat(written.get()).isLessThan(32 << 20);
        }
    }

    @Test
    void interimAnswersAreNotTheAnswer() throws Exception {
        var interim = "HTTP/1.1 103 x\r\nLink: </a>\r\n\r\nHTTP/1.1 102 x\r\n\r\nHTTP/1.1 100 x\r\n\r\n";
        try (var receiver = RawReceiver.saying(interim + RawReceiver.status(200))) {
            assertThat(sender.send(receiver.url(), List.of(), new byte[0]).status())
                    .isEqualTo(200);
        }
    }
}
