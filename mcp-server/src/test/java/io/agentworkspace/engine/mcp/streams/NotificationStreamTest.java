package io.agentworkspace.engine.mcp.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.streams.ListeningTenants;
import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.streams.Ticker;
import io.agentworkspace.engine.mcp.endpoint.Events;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.web.server.RefusalWriter;
import io.agentworkspace.engine.web.server.WebServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** A listener on a real connection, whose notifications a test supplies. */
class NotificationStreamTest {
    private static final Caller CALLER = new Caller(1, "t", 2, "ann", Role.OWNER, Set.of("*"), "key:a", null);

    private final AtomicInteger lookUps = new AtomicInteger();
    private final CompletableFuture<NotificationStream> opened = new CompletableFuture<>();

    /** Returns the notification. At first the database is unreachable. */
    private Optional<ObjectNode> words(String what) {
        if (lookUps.incrementAndGet() == 1) {
            throw Problem.unavailable();
        }
        return Optional.of(Subscriptions.notification(what, null));
    }

    private final class StreamHandler extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            var context = new RequestContext("req-0");
            context.identify(CALLER);
            context.admit(new RequestContext.Admitted(() -> true, _ -> {}, () -> {}));
            request.setAttribute(RequestContext.ATTRIBUTE, context);
            listen(new McpExchange(request, response, callback, null));
            return true;
        }
    }

    private void listen(McpExchange exchange) {
        var purpose = new NotificationStream.Purpose(null, null, 0);
        var wishes = new Subscriptions(Set.of(), Map.of());
        var places = new StreamLimits(new StreamLimits.Share(1, 1, 1, 1), 1 << 20, Duration.ofSeconds(5)).of(CALLER);
        places.take(0);
        var listener = new NotificationStream(exchange, purpose, wishes, this::words, places);
        listener.start(null);
        opened.complete(listener);
    }

    @Test
    void whatCouldNotBeLookedUpIsToldAtTheNextSignOfLife() throws Exception {
        try (var server = WebServer.bind("127.0.0.1", 0)) {
            server.serve(new StreamHandler(), new RefusalWriter(Clock.systemUTC()));
            try (var events = open(server.port())) {
                var listener = opened.get(2, TimeUnit.MINUTES);
                listener.deliver("test://a");
                await().until(() -> lookUps.get() == 1);
                listener.deliver("test://b");
                assertThat(events.next().at("/params/uri").asString()).isEqualTo("test://b");
                listener.keepAlive();
                assertThat(events.next().at("/params/uri").asString()).isEqualTo("test://a");
                listener.keepAlive();
                listener.end();
                await().until(events::ended);
                assertThat(events.rest()).isEmpty();
                assertThat(lookUps).hasValue(3);
            }
        }
    }

    private static Events open(int port) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port));
        return new Events(HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofInputStream()));
    }

    /** A signal that access has changed may be among those that are missing. */
    @Test
    void accessIsLookedUpAgainWhileSignalsMayBeMissing() {
        var clock = Clock.systemUTC();
        try (var ticker = new Ticker()) {
            var streams = new NotificationStreams(ticker, new ListeningTenants(TestDatabase.db(), clock));
            var access = streams.access(CALLER.tenant());
            assertThat(access.allows(CALLER, "test://a", () -> Optional.of(1))).isTrue();
            assertThat(access.allows(CALLER, "test://a", Optional::empty)).isTrue();
            streams.late();
            assertThat(access.allows(CALLER, "test://a", Optional::empty)).isFalse();
        }
    }
}
