package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Route;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Every address that runs a command, as raw requests and responses. */
public enum CommandAddress {
    GENERIC {
        @Override
        public String path(String service) {
            return Route.COMMANDS;
        }

        @Override
        public String body(String service, String arguments) {
            var rest = arguments.strip().substring(1);
            return "{\"service\":" + Json.text(service) + (rest.strip().equals("}") ? rest : "," + rest);
        }
    },
    ALIAS {
        @Override
        public String path(String service) {
            return ClientApi.path(service);
        }
    },
    MCP {
        @Override
        public String path(String service) {
            return "/mcp";
        }

        @Override
        public String body(String service, String arguments) {
            return """
                    {"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":%s,"arguments":%s}}""".formatted(Json.text(service), arguments);
        }
    },
    INVOKE {
        @Override
        public String path(String service) {
            return "/api/mcp/tools/" + service + "/invoke";
        }
    };

    public abstract String path(String service);

    /** Returns the whole body for arguments in JSON. */
    public String body(String service, String arguments) {
        return arguments;
    }

    public Got call(String key, String service, String arguments) {
        return call(TestServer.url(), key, service, arguments, Map.of());
    }

    public Got call(String url, String key, String service, String arguments, Map<String, String> headers) {
        var body = body(service, arguments).getBytes(StandardCharsets.UTF_8);
        return new Got(ClientApi.post(url + path(service), key, body, headers));
    }

    /** Sends exactly these bytes as the body. */
    public Got send(String key, String service, byte[] body, Map<String, String> headers) {
        return new Got(ClientApi.post(TestServer.url() + path(service), key, body, headers));
    }

    /** A response of any route: an envelope, a JSON-RPC error or a problem document. */
    public record Got(HttpResponse<byte[]> response) {
        public int status() {
            return response.statusCode();
        }

        public String text() {
            return new String(response.body(), StandardCharsets.UTF_8);
        }

        public ObjectNode json() {
            return Json.readObject(response.body());
        }

        /** Returns the envelope, wherever it is in the response. */
        public JsonNode envelope() {
            var json = json();
            return json.has("result")
                    ? McpResult.envelope(json.get("result"))
                    : json.has("jsonrpc") ? json.at("/error/data") : json;
        }

        /** Returns the symbolic name of the failure; empty for a success. */
        public String error() {
            var envelope = envelope();
            return envelope.at("/status/error").asString(envelope.path("error").asString(""));
        }

        public String note() {
            var envelope = envelope();
            return envelope.at("/status/note")
                    .asString(envelope.path("note")
                            .asString(envelope.path("detail").asString("")));
        }

        public boolean replayed() {
            return response.headers()
                    .firstValue("Idempotency-Replayed")
                    .filter("true"::equals)
                    .isPresent();
        }

        @Override
        public String toString() {
            var text = text();
            return status() + " " + (text.length() > 600 ? text.substring(0, 600) + "…" : text);
        }
    }
}
