package io.agentworkspace.engine.identity.signin;

import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** A signed-in browser: it holds the cookie, and its page knows the CSRF token. */
record Browser(String url, String cookie, String csrf) {
    static final String SESSION = "/api/auth/session";
    static final String TOKEN = "/api/auth/token";
    static final String LIST = ClientApi.path("AP_List");
    static final String CREATE = ClientApi.path("AP_Create");

    static Browser signIn(String url, String key) {
        var answer = begin(url, key);
        if (answer.status() != 201) {
            throw new AssertionError(answer.toString());
        }
        return new Browser(url, answer.cookie(), answer.at("/csrf_token"));
    }

    /** Begins a session as the page does. */
    static Got begin(String url, String key, String... headers) {
        return send(url, "POST", SESSION, "", with(headers, "X-Api-Key", key, "Sec-Fetch-Site", "same-origin"));
    }

    /** Returns the same browser at another replica. */
    Browser at(String otherUrl) {
        return new Browser(otherUrl, cookie, csrf);
    }

    Got get(String path, String... headers) {
        return send(url, "GET", path, "", with(headers, "Cookie", named(cookie)));
    }

    /** Sends a change as a page of the engine does. */
    Got change(String method, String path, String body, String... headers) {
        return raw(method, path, body, with(headers, "X-CSRF-Token", csrf, "Sec-Fetch-Site", "same-origin"));
    }

    /** Sends a request with the cookie, and without what a page adds. */
    Got raw(String method, String path, String body, String... headers) {
        return send(url, method, path, body, with(headers, "Cookie", named(cookie)));
    }

    String token() {
        var answer = change("POST", TOKEN, "");
        if (answer.status() != 200) {
            throw new AssertionError(answer.toString());
        }
        return answer.at("/access_token");
    }

    static String named(String cookie) {
        return SessionSecret.COOKIE + "=" + cookie;
    }

    static Got bearer(String url, String token) {
        return send(url, "POST", LIST, "{}", "Authorization", "Bearer " + token);
    }

    static Got send(String url, String method, String path, String body, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofMinutes(2))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return new Got(ClientApi.send(request.build()));
    }

    private static String[] with(String[] headers, String... more) {
        return Stream.of(headers, more).flatMap(Stream::of).toArray(String[]::new);
    }

    /** A response, with what tests check. */
    record Got(HttpResponse<byte[]> response) {
        int status() {
            return response.statusCode();
        }

        ObjectNode json() {
            return Json.readObject(response.body());
        }

        String at(String pointer) {
            return json().at(pointer).asString("");
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        List<String> headers(String name) {
            return response.headers().allValues(name);
        }

        /** Returns the value of the session cookie that was set. */
        String cookie() {
            var set = header("Set-Cookie");
            return set.substring(set.indexOf('=') + 1, set.indexOf(';'));
        }

        /** Returns the symbolic name of the failure of a command or another route; empty for a success. */
        String error() {
            return json().at("/status/error").asString(json().path("error").asString(""));
        }

        String note() {
            return json().at("/status/note").asString(json().path("detail").asString(""));
        }

        @Override
        public String toString() {
            return status() + " " + new String(response.body(), StandardCharsets.UTF_8);
        }
    }
}
