package io.agentworkspace.engine.integrations.webhooks.sender;

import io.agentworkspace.engine.kernel.outbound.OutboundFailure;
import io.agentworkspace.engine.kernel.outbound.OutboundFailure.Stage;
import io.agentworkspace.engine.model.schema.Doc;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.eclipse.jetty.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/**
 * The result of checking a receiver before anything is sent to it. A failed check blocks nothing: the
 * receiver may not be running yet.
 */
public record PreflightReport(
        @Doc("When the endpoint was looked at.") Instant checkedAt,

        @Doc("Whether a delivery would get there: the name resolves, TLS is right, and something answers.")
        boolean ok,

        @Doc("Whether the name resolves, and only to addresses that may be connected to.")
        boolean resolves,

        @Doc(
                "Whether the certificate is trusted and for this host; absent for http, or where no connection came about.")
        @Nullable
        Boolean tls,

        @Doc("Whether anything answered a HEAD request within 5 seconds, with whatever status.")
        boolean answers,

        @Doc("What was wrong, or which status came.") String detail) {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    static PreflightReport of(URI url, Instant now, Sender sender) {
        var secure = "https".equals(url.getScheme());
        try {
            var answer = sender.exchange(url, LIMIT, request -> request.method(HttpMethod.HEAD));
            return new PreflightReport(
                    now, true, true, secure ? true : null, true, "answered %d".formatted(answer.status()));
        } catch (OutboundFailure e) {
            return failed(now, secure, e.stage(), e.words());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return none(now, "the engine is stopping");
        }
    }

    /** Returns the result for a receiver that was not checked. */
    static PreflightReport none(Instant now, String why) {
        return failed(now, false, Stage.RESOLVE, "not looked at: " + why);
    }

    private static PreflightReport failed(Instant now, boolean secure, Stage stage, String detail) {
        var tls = secure && stage.compareTo(Stage.TLS) >= 0 ? stage == Stage.ANSWER : null;
        return new PreflightReport(now, false, stage != Stage.RESOLVE, tls, false, detail);
    }
}
