package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/**
 * The OpenAPI document, rendered once as JSON and once as YAML at the first request, with a digest of each as its
 * ETag.
 */
final class OpenApiRoutes {
    static final String JSON = "/api/openapi.json";
    private static final String YAML = "/api/openapi.yaml";

    private final Supplier<ObjectNode> document;
    private @Nullable Renditions renditions;

    OpenApiRoutes(Supplier<ObjectNode> document) {
        this.document = document;
    }

    List<GatewayRoute> routes() {
        return List.of(
                GatewayRoute.get(JSON, _ -> json(), OpenApiRoutes::ofJson),
                GatewayRoute.get(YAML, _ -> yaml(), OpenApiRoutes::ofYaml));
    }

    private Response json() {
        return renditions().json().answer();
    }

    private Response yaml() {
        return renditions().yaml().answer();
    }

    /** Renders the document at the first request, so that the server's start does not wait for it. */
    private synchronized Renditions renditions() {
        if (renditions == null) {
            renditions = Renditions.of(document.get());
        }
        return renditions;
    }

    private record Renditions(Rendition json, Rendition yaml) {
        static Renditions of(ObjectNode document) {
            var mapper = YAMLMapper.builder()
                    .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
                    .build();
            return new Renditions(
                    Rendition.of(Json.text(document), MediaType.APPLICATION_JSON),
                    Rendition.of(mapper.writeValueAsString(document), "application/yaml"));
        }
    }

    private record Rendition(byte[] bytes, String tag, String mediaType) {
        static Rendition of(String text, String mediaType) {
            var bytes = text.getBytes(StandardCharsets.UTF_8);
            return new Rendition(bytes, '"' + digest(bytes) + '"', mediaType);
        }

        Response answer() {
            var response = RestExchange.current().has(tag)
                    ? Response.notModified()
                    : Response.ok(bytes, mediaType).header(HttpHeaders.CONTENT_LENGTH, bytes.length);
            return response.header(HttpHeaders.ETAG, tag)
                    .header(HttpHeaders.CACHE_CONTROL, "no-cache")
                    .build();
        }

        private static String digest(byte[] bytes) {
            return Sha256.hex(bytes).substring(0, 32);
        }
    }

    private static Operation ofJson() {
        var example = Json.object().put("openapi", "3.1.0");
        var schema = Json.object().put("type", "object");
        return published("openapiJson", "This document", MediaType.APPLICATION_JSON, schema, example);
    }

    private static Operation ofYaml() {
        var example = Json.valueTree("openapi: 3.1.0");
        var schema = Json.object().put("type", "string");
        return published("openapiYaml", "This document as YAML", "application/yaml", schema, example);
    }

    private static Operation published(
            String id, String summary, String mediaType, ObjectNode schema, JsonNode example) {
        return new Operation(id, Tag.GATEWAY, summary, "What clients are generated from, with an ETag.")
                .open()
                .parameter(
                        "header",
                        "If-None-Match",
                        false,
                        "The ETag of what you have: it is not sent again.",
                        Json.object().put("type", "string"))
                .suchAs("\"0197f1d0c5a87d2e\"")
                .answers(200, "The document.", mediaType, schema, example)
                .returns(200, "ETag", "ETag")
                .answersNothing(304, "You have it already: its ETag was in If-None-Match.")
                .returns(304, "ETag", "ETag")
                .problems(400, 401, 429, 500);
    }
}
