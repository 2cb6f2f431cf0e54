package io.agentworkspace.engine.app.setup;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Checks the public addresses as a client sees them, and the certificates of both directions. */
record AddressChecks(Clock clock) {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration SOON = Duration.ofDays(21);
    private static final String ADDRESS = "address";
    private static final String CERTIFICATE = "certificate";

    /** Asks the service at its public address for its health, and the MCP endpoint for the way to sign in. */
    List<Finding> run(String baseUrl, String mcpUrl) throws InterruptedException {
        try (var client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            var findings = new ArrayList<Finding>();
            findings.addAll(ask(client, baseUrl, "/api/health", response -> health(baseUrl, response)));
            findings.addAll(ask(client, mcpUrl, "/mcp", response -> mcp(mcpUrl, response)));
            return findings;
        }
    }

    private List<Finding> ask(HttpClient client, String url, String path, Function<HttpResponse<byte[]>, Finding> check)
            throws InterruptedException {
        try {
            var response = client.send(get(url + path), HttpResponse.BodyHandlers.ofByteArray());
            return Stream.concat(Stream.of(check.apply(response)), certificate(response).map(this::ends).stream())
                    .toList();
        } catch (IOException e) {
            return List.of(Finding.fail(
                    ADDRESS,
                    "no answer at %s (%s): if the engine runs, check the proxy, the name and the port",
                    url,
                    e.getClass().getSimpleName() + (e.getMessage() == null ? "" : ": " + DatabaseChecks.oneLine(e))));
        }
    }

    private static HttpRequest get(String url) {
        return HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE).build();
    }

    private static Finding health(String baseUrl, HttpResponse<byte[]> response) {
        if (response.statusCode() != 200) {
            return Finding.fail(
                    ADDRESS,
                    "%s answers %d to /api/health: the engine is not ready, or the proxy sends requests elsewhere",
                    baseUrl,
                    response.statusCode());
        }
        try {
            var version = Json.readObject(response.body()).path("version").asString("");
            if (!version.isEmpty()) {
                return Finding.ok(ADDRESS, "%s leads to an engine of version %s", baseUrl, version);
            }
        } catch (RuntimeException e) {
            // It is not JSON, so not an engine's.
        }
        return Finding.fail(ADDRESS, "%s leads to another program than an engine", baseUrl);
    }

    /** The endpoint refuses a caller without a key, and says where to sign in: at its public address, or clients go astray. */
    private static Finding mcp(String mcpUrl, HttpResponse<byte[]> response) {
        var signIn = response.headers().firstValue("WWW-Authenticate").orElse("");
        if (response.statusCode() != 401) {
            return Finding.fail(
                    "mcp", "%s/mcp answers %d to a caller without a key, not 401", mcpUrl, response.statusCode());
        }
        return signIn.contains("resource_metadata") && !signIn.contains(mcpUrl)
                ? Finding.fail(
                        "mcp", "%s/mcp names another address to sign in: set ENGINE_MCP_URL to the public one", mcpUrl)
                : Finding.ok("mcp", "%s/mcp is the endpoint of an engine", mcpUrl);
    }

    private static Optional<X509Certificate> certificate(HttpResponse<?> response) {
        return response.sslSession().map(session -> {
            try {
                return (X509Certificate) session.getPeerCertificates()[0];
            } catch (SSLPeerUnverifiedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Checks the certificates that the engine trusts besides the JVM's. */
    List<Finding> trusted(List<X509Certificate> authorities) {
        return authorities.stream().map(this::ends).toList();
    }

    private Finding ends(X509Certificate certificate) {
        Instant end = certificate.getNotAfter().toInstant();
        var name = certificate.getSubjectX500Principal().getName();
        if (end.isBefore(clock.instant())) {
            return Finding.fail(CERTIFICATE, "%s expired at %s", name, end);
        }
        return end.isBefore(clock.instant().plus(SOON))
                ? Finding.warn(CERTIFICATE, "%s expires at %s: renew it", name, end)
                : Finding.ok(CERTIFICATE, "%s is valid until %s", name, end);
    }
}
