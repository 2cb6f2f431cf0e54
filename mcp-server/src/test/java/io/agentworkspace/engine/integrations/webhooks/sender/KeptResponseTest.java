package io.agentworkspace.engine.integrations.webhooks.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.integrations.webhooks.RawReceiver;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an attempt keeps of a response. */
class KeptResponseTest {
    private static AttemptResult send(String response) throws Exception {
        try (var receiver = RawReceiver.saying(response);
                var sender = new Sender(true, List.of(), Clock.systemUTC())) {
            return sender.send(receiver.url(), List.of(), "{}".getBytes());
        }
    }

    private static String response(int status, String body) {
        return "HTTP/1.1 %d Whatever\r\nContent-Length: %d\r\n\r\n%s".formatted(status, body.length(), body);
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 400, 410, 503})
    void theBeginningOfAFailureAsText(int status) throws Exception {
        assertThat(send(response(status, "no room\0here " + "x".repeat(2_000))).response())
                .startsWith("no room here xxx")
                .hasSize(500);
    }

    @Test
    void nothingOfASuccess() throws Exception {
        assertThat(send(response(200, "fine")).response()).isNull();
    }

    @Test
    void nothingWhereThereWasNoBody() throws Exception {
        assertThat(send(response(500, "")).response()).isNull();
    }
}
