package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.mcp.endpoint.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;

/** npm's certified oidc-provider as a process, and the path of a browser through it. */
final class OpenIdProvider implements AutoCloseable {
    private final String redirect;
    private Process process;
    private int port;

    OpenIdProvider(String redirect) {
        this.redirect = redirect;
        start("one");
    }

    /** Starts the provider at the same address with a new key of this name. */
    void start(String keyId) {
        var started =
                Node.start("provider.mjs", Map.of("PORT", Integer.toString(port), "REDIRECT", redirect, "KID", keyId));
        process = started.process();
        port = started.port();
    }

    void stop() {
        process.destroyForcibly().onExit().join();
    }

    String issuer() {
        return "http://127.0.0.1:" + port;
    }

    /** Follows the whole sign-in from the engine's redirect, and stops before the callback. */
    URI signIn(String location, String as) {
        return walk(location, "as=" + as);
    }

    URI refuse(String location) {
        return walk(location, "deny=1");
    }

    private URI walk(String location, String answer) {
        try (var browser =
                HttpClient.newBuilder().cookieHandler(new CookieManager()).build()) {
            var at = URI.create(location);
            for (var steps = 0; steps < 12; steps++) {
                var page = at.getPath().startsWith("/interaction/") ? URI.create(at + "?" + answer) : at;
                var response = browser.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString());
                var next = response.headers().firstValue("Location");
                if (next.isEmpty()) {
                    throw new AssertionError(response.statusCode() + " " + response.body());
                }
                at = page.resolve(next.get());
                if (next.get().startsWith(redirect)) {
                    return at;
                }
            }
            throw new AssertionError("it goes in circles at " + at);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        stop();
    }
}
