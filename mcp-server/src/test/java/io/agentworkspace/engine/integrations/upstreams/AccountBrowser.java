package io.agentworkspace.engine.integrations.upstreams;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import tools.jackson.databind.node.ObjectNode;

/** The browser of a person who is signed in, at the page where accounts are connected. */
record AccountBrowser(String url, String cookie, String csrf) {
    /** Signs in as the page does. */
    static AccountBrowser signIn(String url, String key) {
        var answer = ClientApi.send(HttpRequest.newBuilder(URI.create(url + "/api/auth/session"))
                .header("X-Api-Key", key)
                .header("Sec-Fetch-Site", "same-origin")
                .POST(BodyPublishers.noBody())
                .build());
        assertThat(answer.statusCode()).isEqualTo(201);
        var cookie = answer.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
        return new AccountBrowser(
                url, cookie, Json.readObject(answer.body()).path("csrf_token").asString());
    }

    static String path(String upstream) {
        return "/api/mcp/upstreams/%s/connect".formatted(upstream);
    }

    HttpResponse<byte[]> send(String method, String path) {
        return ClientApi.send(HttpRequest.newBuilder(URI.create(path.startsWith("http") ? path : url + path))
                .header("Cookie", cookie)
                .header("X-CSRF-Token", csrf)
                .header("Sec-Fetch-Site", "same-origin")
                .method(method, BodyPublishers.noBody())
                .build());
    }

    /** Sends a change with JSON as a page of the engine does. */
    ObjectNode decide(String address, String json) {
        var answer = ClientApi.send(HttpRequest.newBuilder(URI.create(address))
                .header("Cookie", cookie)
                .header("X-CSRF-Token", csrf)
                .header("Sec-Fetch-Site", "same-origin")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json.replace('\'', '"')))
                .build());
        assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(200);
        return Json.readObject(answer.body());
    }

    /** Follows a link of another site, as the redirect of a provider. */
    HttpResponse<byte[]> arrive(String address) {
        return ClientApi.send(HttpRequest.newBuilder(URI.create(address))
                .header("Cookie", cookie)
                .header("Sec-Fetch-Site", "cross-site")
                .header("Sec-Fetch-Mode", "navigate")
                .build());
    }

    ObjectNode read(String upstream) {
        return Json.readObject(send("GET", path(upstream)).body());
    }

    /** Begins to connect an account; returns where the browser goes. */
    String leave(String upstream) {
        var answer = send("POST", path(upstream));
        assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(200);
        return Json.readObject(answer.body()).path("authorize_url").asString("");
    }

    /** Begins to connect an account at a server whose provider is wrong; returns what is said. */
    String refusedToLeave(String upstream) {
        var answer = send("POST", path(upstream));
        assertThat(answer.statusCode()).isEqualTo(503);
        return Json.readObject(answer.body()).path("detail").asString("");
    }

    void connect(String upstream, AccountProvider provider) {
        var answer = arrive(provider.consented(leave(upstream)));
        assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(302);
    }
}
