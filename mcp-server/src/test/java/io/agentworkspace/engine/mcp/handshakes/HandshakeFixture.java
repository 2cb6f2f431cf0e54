package io.agentworkspace.engine.mcp.handshakes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.TestServer;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Correct and incorrect clients at /mcp, and what the doctor then reports. Single quotes in JSON stand for double quotes.
 */
record HandshakeFixture(String url) {
    static final HandshakeFixture HERE = new HandshakeFixture(TestServer.url());

    static final String LIST = "{'jsonrpc':'2.0','id':1,'method':'tools/list'}";

    static String initialize(String version, String client) {
        return "{'jsonrpc':'2.0','id':0,'method':'initialize','params':{'protocolVersion':'%s','capabilities':{},'clientInfo':{'name':'%s','version':'1.2'}}}"
                .formatted(version, client);
    }

    /** Returns the message of a client of the stateless revision. */
    static String modern(String method, String client, String version) {
        return "{'jsonrpc':'2.0','id':1,'method':'%s','params':{'_meta':{'io.modelcontextprotocol/protocolVersion':'%s','io.modelcontextprotocol/clientCapabilities':{},'io.modelcontextprotocol/clientInfo':{'name':'%s','version':'3'}}}}"
                .formatted(method, version, client);
    }

    static String[] mirrored(String method, String version) {
        return new String[] {"MCP-Protocol-Version", version, "Mcp-Method", method};
    }

    Got post(String key, String body, String... headers) {
        return send(key, "/mcp", "POST", body, headers);
    }

    Got send(String key, String path, String method, String body, String... headers) {
        var request = HttpRequest.newBuilder(URI.create(url + path))
                .method(method, BodyPublishers.ofString(body.replace('\'', '"')));
        if (!key.isEmpty()) {
            request.header("X-Api-Key", key);
        }
        if (!List.of(headers).contains("Content-Type")) {
            request.header("Content-Type", "application/json");
        }
        return new Got(ClientApi.send((headers.length == 0 ? request : request.headers(headers)).build()));
    }

    /** Returns the reported handshakes of the reader's key, or of another key. */
    List<JsonNode> reports(Made reader, String query) {
        var got = send(reader.key(), "/api/mcp/handshakes" + query, "GET", "");
        assertThat(got.status()).as(got.toString()).isEqualTo(200);
        return got.json().get("handshakes").valueStream().toList();
    }

    List<JsonNode> reports(Made reader) {
        return reports(reader, "");
    }

    /** Returns all handshakes, newest first, once a later one is recorded: by then a wrong one would be there. */
    List<JsonNode> all(Made reader) {
        post(reader.key(), initialize("2025-11-25", "the last"));
        await().until(() ->
                reports(reader).getFirst().at("/client/name").asString("").equals("the last"));
        return reports(reader).stream().skip(1).toList();
    }

    /** Returns the only handshake. It may be stored after the client has its response. */
    JsonNode only(Made reader, String query) {
        await().until(() -> !reports(reader, query).isEmpty());
        var reports = reports(reader, query);
        assertThat(reports).hasSize(1);
        return reports.getFirst();
    }

    JsonNode only(Made reader) {
        return only(reader, "");
    }
}
