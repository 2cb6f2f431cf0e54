package io.agentworkspace.engine.openapi;

import com.networknt.schema.Schema;
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
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The served OpenAPI document, and its schemas for validating responses and examples. */
public final class Contract {
    /** The schema of any command's response, which may have any fields. */
    private static final String ANY = "CommandResponse";

    /** All servers serve the same document, except for their address. */
    private static Contract one;

    private final byte[] bytes;
    private final ObjectNode document;
    private final SchemaRegistry registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
    private final Map<String, ObjectNode> schemas = new TreeMap<>();
    private final Map<String, Schema> compiled = new ConcurrentHashMap<>();
    private final Map<String, String> answers = new HashMap<>();

    private Contract(String url) {
        var request = HttpRequest.newBuilder(URI.create(url + "/api/openapi.json"));
        bytes = ClientApi.send(request.build()).body();
        document = Json.readValue(new String(bytes, StandardCharsets.UTF_8), ObjectNode.class);
        collect(document);
        operations().forEach(operation -> answers.put(operation.path("x-tool").asString(""), answer(operation)));
    }

    public static synchronized Contract at(String url) {
        if (one == null) {
            one = new Contract(url);
        }
        return one;
    }

    /** Keeps each schema by its name. Those with the same name are equal. */
    private void collect(JsonNode node) {
        for (var field : node.properties()) {
            var inner = field.getValue();
            if (inner.path("title").isString()
                    && inner.path("type").isString()
                    && !field.getKey().equals("example")) {
                var schema = (ObjectNode) inner;
                var former = schemas.putIfAbsent(schema.get("title").asString(), schema);
                if (former != null && !former.equals(schema)) {
                    throw new AssertionError("two schemas have the title " + schema.get("title"));
                }
            }
            if (!field.getKey().equals("example")) {
                collect(inner);
            }
        }
        if (node.isArray()) {
            node.forEach(this::collect);
        }
    }

    /** Closes a schema to unknown fields. Clients must tolerate them; tests must not. */
    private static JsonNode closed(JsonNode schema) {
        if (schema.has("properties") && !schema.has("additionalProperties")) {
            ((ObjectNode) schema).put("additionalProperties", false);
        }
        schema.forEach(Contract::closed);
        return schema;
    }

    byte[] bytes() {
        return bytes;
    }

    ObjectNode document() {
        return document;
    }

    /** Returns all schemas by their names. */
    Map<String, ObjectNode> schemas() {
        return schemas;
    }

    public Stream<JsonNode> operations() {
        return document.get("paths").valueStream().flatMap(JsonNode::valueStream);
    }

    private static String answer(JsonNode operation) {
        return Stream.of("200", "201")
                .map(status -> operation
                        .path("responses")
                        .path(status)
                        .at("/content/application~1json/schema/title")
                        .asString(""))
                .filter(name -> !name.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Returns what is wrong with the envelope by the document's schema of this tool; empty if it is valid. */
    public List<String> faults(String tool, ObjectNode envelope) {
        var answer = envelope.at("/status/success").asBoolean() ? answers.getOrDefault(tool, ANY) : "Refusal";
        return faultsBy(answer, envelope);
    }

    /** @param name the title of a schema */
    List<String> faultsBy(String name, JsonNode json) {
        return compiled
                .computeIfAbsent(
                        name,
                        title -> registry.getSchema(
                                title.equals(ANY)
                                        ? schemas.get(title)
                                        : closed(schemas.get(title).deepCopy())))
                .validate(json)
                .stream()
                .map(Object::toString)
                .toList();
    }

    String yaml(String url) {
        var request = HttpRequest.newBuilder(URI.create(url + "/api/openapi.yaml"));
        return new String(ClientApi.send(request.build()).body(), StandardCharsets.UTF_8);
    }
}
