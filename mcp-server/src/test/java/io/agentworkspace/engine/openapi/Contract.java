package io.agentworkspace.engine.openapi;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The served OpenAPI document, and its schemas for validating responses and examples. */
public final class Contract {
    private static final String PLACE = "https://contract.test/openapi";

    /** All servers serve the same document, except for their address. */
    private static Contract one;

    private final byte[] bytes;
    private final ObjectNode document;
    private final SchemaRegistry registry;
    private final Map<String, Schema> compiled = new ConcurrentHashMap<>();
    private final Map<String, String> answers = new HashMap<>();

    private Contract(String url) {
        var request = HttpRequest.newBuilder(URI.create(url + "/api/openapi.json"));
        bytes = ClientApi.send(request.build()).body();
        document = Json.readValue(new String(bytes, StandardCharsets.UTF_8), ObjectNode.class);
        var strict = document.deepCopy();
        strict.at("/components/schemas").forEach(Contract::close);
        registry = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12, builder -> builder.schemas(Map.of(PLACE, Json.text(strict))));
        operations().forEach(operation -> answers.put(operation.path("x-tool").asString(""), answer(operation)));
    }

    public static synchronized Contract at(String url) {
        if (one == null) {
            one = new Contract(url);
        }
        return one;
    }

    /** Closes a schema to unknown fields. Clients must tolerate them; tests must not. */
    private static void close(JsonNode schema) {
        if (schema.has("properties") && !schema.has("additionalProperties")) {
            ((ObjectNode) schema).put("additionalProperties", false);
        }
    }

    byte[] bytes() {
        return bytes;
    }

    ObjectNode document() {
        return document;
    }

    public Stream<JsonNode> operations() {
        return document.get("paths").valueStream().flatMap(JsonNode::valueStream);
    }

    private static String answer(JsonNode operation) {
        return Stream.of("200", "201")
                .map(status -> operation
                        .path("responses")
                        .path(status)
                        .at("/content/application~1json/schema/$ref")
                        .asString(""))
                .filter(reference -> !reference.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Returns what is wrong with the envelope by the document's schema of this tool; empty if it is valid. */
    public List<String> faults(String tool, ObjectNode envelope) {
        var answer = envelope.at("/status/success").asBoolean()
                ? answers.getOrDefault(tool, "#/components/schemas/CommandResponse")
                : "#/components/schemas/Refusal";
        return faults(answer, Json.text(envelope));
    }

    /** @param pointer to a schema of the document, as {@code #/components/…} */
    List<String> faults(String pointer, String json) {
        return compiled
                .computeIfAbsent(pointer, at -> registry.getSchema(SchemaLocation.of(PLACE + at)))
                .validate(json, InputFormat.JSON)
                .stream()
                .map(Object::toString)
                .toList();
    }

    String yaml(String url) {
        var request = HttpRequest.newBuilder(URI.create(url + "/api/openapi.yaml"));
        return new String(ClientApi.send(request.build()).body(), StandardCharsets.UTF_8);
    }
}
