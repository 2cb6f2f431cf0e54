package io.agentworkspace.engine.integrations.webhooks;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** Healthy receivers, one for each of some tenants: what arrived at each, and its age on arrival. */
final class ReceivedDeliveries implements AutoCloseable {
    private final HttpServer server;
    private final List<Set<UUID>> ids = new ArrayList<>();
    private final List<Set<Long>> revisions = new ArrayList<>();
    private final ConcurrentLinkedQueue<Arrival> first = new ConcurrentLinkedQueue<>();
    private final AtomicInteger repeated = new AtomicInteger();

    /** @param age in milliseconds */
    private record Arrival(Instant happened, long age) {}

    ReceivedDeliveries(int receivers) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 512);
        for (var i = 0; i < receivers; i++) {
            ids.add(ConcurrentHashMap.newKeySet());
            revisions.add(ConcurrentHashMap.newKeySet());
        }
        server.createContext("/", this::take);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
    }

    URI url(int receiver) {
        return URI.create("http://127.0.0.1:%d/%d".formatted(server.getAddress().getPort(), receiver));
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (exchange.getRequestMethod().equals("POST")) {
                var receiver =
                        Integer.parseInt(exchange.getRequestURI().getPath().substring(1));
                var event = Json.readObject(exchange.getRequestBody().readAllBytes());
                if (ids.get(receiver).add(UUID.fromString(event.get("id").asString()))) {
                    var happened = Instant.parse(event.get("created_at").asString());
                    first.add(new Arrival(
                            happened, Duration.between(happened, Instant.now()).toMillis()));
                } else {
                    repeated.incrementAndGet();
                }
                revisions.get(receiver).add(event.at("/data/revision").asLong());
            }
            exchange.sendResponseHeaders(200, -1);
        }
    }

    void await(List<Set<UUID>> written) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> {
                    for (var i = 0; i < written.size(); i++) {
                        if (!ids.get(i).containsAll(written.get(i))) {
                            return false;
                        }
                    }
                    return true;
                });
    }

    Set<UUID> ids(int receiver) {
        return ids.get(receiver);
    }

    Set<Long> revisions(int receiver) {
        return revisions.get(receiver);
    }

    int repeated() {
        return repeated.get();
    }

    /** Returns a quantile of the age on first arrival, in milliseconds, of what happened at these times. */
    long quantile(double q, Predicate<Instant> time) {
        var sorted = first.stream()
                .filter(arrival -> time.test(arrival.happened()))
                .map(Arrival::age)
                .sorted()
                .toList();
        return sorted.get((int) (sorted.size() * q));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
