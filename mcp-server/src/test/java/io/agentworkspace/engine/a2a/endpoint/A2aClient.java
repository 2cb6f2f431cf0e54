package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/** A client of one agent, or of the engine where none is named, that writes its own requests. Single quotes stand for double quotes. */
record A2aClient(String url, String key, String agent) {
    private static final HttpClient STREAMS = HttpClient.newHttpClient();

    String address() {
        return url + "/a2a" + (agent.isEmpty() ? "" : "/" + agent);
    }

    /** Returns the whole response of JSON-RPC. */
    ObjectNode rpc(String method, String params) {
        var body = "{'jsonrpc':'2.0','id':7,'method':'%s','params':%s}".formatted(method, params);
        return Json.readObject(send("POST", "", body, "application/json", "1.0").body());
    }

    ObjectNode result(String method, String params) {
        var answer = rpc(method, params);
        if (!(answer.get("result") instanceof ObjectNode result)) {
            throw new AssertionError(answer.toString());
        }
        return result;
    }

    /** Returns the code of the error. */
    int code(String method, String params) {
        return rpc(method, params).at("/error/code").asInt();
    }

    HttpResponse<byte[]> send(String method, String path, String body, String type, String version) {
        var request = HttpRequest.newBuilder(URI.create(address() + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body.replace('\'', '"'), StandardCharsets.UTF_8));
        if (!key.isEmpty()) {
            request.header("X-Api-Key", key);
        }
        if (!type.isEmpty()) {
            request.header("Content-Type", type);
        }
        if (!version.isEmpty()) {
            request.header("A2A-Version", version);
        }
        return ClientApi.send(request.build());
    }

    /** Returns the response of HTTP+JSON. */
    HttpResponse<byte[]> http(String method, String path, String body) {
        return send(method, path, body, body.isEmpty() ? "" : "application/a2a+json", "1.0");
    }

    /** Opens a stream of HTTP+JSON, whose lines are read as they come. */
    Stream<String> lines(String path) {
        var request = HttpRequest.newBuilder(URI.create(address() + path))
                .POST(HttpRequest.BodyPublishers.noBody())
                .header("X-Api-Key", key)
                .header("A2A-Version", "1.0")
                .build();
        return STREAMS.sendAsync(request, HttpResponse.BodyHandlers.ofLines())
                .join()
                .body();
    }

    static String message(String text, String more) {
        return "{'message':{'messageId':'%s','role':'ROLE_USER','parts':[{'text':'%s'}]%s},'configuration':{'returnImmediately':true}}"
                .formatted(UUID.randomUUID(), text, more);
    }

    /** Sends a message without waiting, and returns the task. */
    ObjectNode begin(String text) {
        return (ObjectNode) result("SendMessage", message(text, "")).path("task");
    }
}
