package io.agentworkspace.engine.web.server;

import io.agentworkspace.engine.identity.account.RateStore;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.kernel.metrics.Metrics;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import java.time.Duration;

/** The feature of the HTTP server. */
public final class WebFeature {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private WebFeature() {}

    public static Feature of(
            WebServer server, GateRules rules, RateStore rates, StreamLimits streams, RefusalWriter refusals) {
        return new Feature()
                .background(work -> work.every(
                                SECOND, "writing rates", () -> rules.callers().settle(rates))
                        .every(SECOND, "writing repeated requests", refusals::flushLog)
                        .clearing("rates", rates::purge))
                .metrics(metrics -> figures(metrics, server, rules, streams));
    }

    private static void figures(Metrics metrics, WebServer server, GateRules rules, StreamLimits streams) {
        metrics.gauge("engine_http_connections", "Open connections of clients.", server::connections);
        metrics.gauge(
                "engine_http_connections_max",
                "Connections of clients that there may be, by the heap and the limit of open files.",
                server::mostConnections);
        metrics.gauge("engine_http_calls_waiting", "Requests that wait until others have been served.", rules::waiting);
        metrics.counters("engine_http_connections_closed", "Connections closed because there were too many.", "reason")
                .with("limit", server::closedConnections);
        metrics.counter(
                "engine_http_requests_cancelled",
                "Requests cancelled because their clients had closed the connection.",
                server::cancelledRequests);
        metrics.gauge(
                "engine_streams_open", "Open streams of MCP clients and of /api/stream: the listeners.", streams::open);
    }
}
