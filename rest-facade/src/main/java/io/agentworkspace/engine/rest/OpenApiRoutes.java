package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Sha256;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/** The machine-readable contract, written once as JSON and once as YAML, and told apart by its digest. */
final class OpenApiRoutes {
    static final String JSON = "/api/openapi.json";
    static final String YAML = "/api/openapi.yaml";

    private final Rendition json;
    private final Rendition yaml;

    OpenApiRoutes(ObjectNode document) {
        json = Rendition.of(Json.pretty(document), MediaType.APPLICATION_JSON);
        var mapper = YAMLMapper.builder()
                .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
                .build();
        yaml = Rendition.of(mapper.writeValueAsString(document), "application/yaml");
    }

    Response json() {
        return json.answer();
    }

    Response yaml() {
        return yaml.answer();
    }

    private record Rendition(byte[] bytes, String tag, String mediaType) {
        static Rendition of(String text, String mediaType) {
            var bytes = text.getBytes(StandardCharsets.UTF_8);
            return new Rendition(bytes, '"' + digest(bytes) + '"', mediaType);
        }

        Response answer() {
            var response = Exchange.current().has(tag)
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
}
