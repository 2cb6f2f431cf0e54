package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.KeptAnswer;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One operation of the OpenAPI document in the making. */
public final class Operation {
    public static final List<String> CREDENTIALS = List.of("ApiKey", "Bearer", "Session");

    /** The names of security schemes; the empty one means no credential. */
    static final String NOTHING = "";

    static final String KEY = "ApiKey";
    static final String SESSION = "Session";

    private final Tag tag;
    private final ObjectNode json = Json.object();
    private final ObjectNode responses = Json.object();

    public Operation(String id, Tag tag, String summary, String description) {
        this.tag = tag;
        json.putArray("tags").add(tag.title());
        json.put("operationId", id).put("summary", summary).put("description", description);
    }

    public Tag tag() {
        return tag;
    }

    /** A credential may be sent but is not needed. */
    public Operation open() {
        var security = json.putArray("security");
        security.addObject();
        CREDENTIALS.forEach(name -> security.addObject().putArray(name));
        return this;
    }

    /** Only these credentials will do; the empty name means none. */
    public Operation securedBy(String... names) {
        var security = json.putArray("security");
        for (var name : names) {
            var one = security.addObject();
            if (!name.isEmpty()) {
                one.putArray(name);
            }
        }
        return this;
    }

    public Operation parameter(String in, String name, boolean required, String description, ObjectNode schema) {
        schema.remove("description");
        json.withArray("parameters")
                .addObject()
                .put("name", name)
                .put("in", in)
                .put("required", required)
                .put("description", description)
                .set("schema", schema);
        return this;
    }

    /** The names of its query parameters. */
    public List<String> queryParameters() {
        return json.path("parameters")
                .valueStream()
                .filter(parameter -> parameter.path("in").asString("").equals("query"))
                .map(parameter -> parameter.path("name").asString())
                .toList();
    }

    /** A value that the last parameter could have. */
    public Operation suchAs(JsonNode example) {
        var parameters = json.withArray("parameters");
        ((ObjectNode) parameters.get(parameters.size() - 1)).set("example", example);
        return this;
    }

    public Operation suchAs(String example) {
        return suchAs(Json.valueTree(example));
    }

    /** The tool that it runs. */
    public Operation runs(String tool) {
        json.put("x-tool", tool);
        return this;
    }

    public Operation idempotent() {
        json.withArray("parameters").addObject().put("$ref", "#/components/parameters/IdempotencyKey");
        return this;
    }

    public Operation body(boolean required, ObjectNode schema, JsonNode example) {
        var content = json.putObject("requestBody")
                .put("required", required)
                .putObject("content")
                .putObject(MediaType.APPLICATION_JSON);
        content.set("schema", schema);
        content.set("example", example);
        return this;
    }

    /**
     * The body can also be the file itself, or a form with it.
     *
     * @param mediaType of the file
     * @param part the name of the form's field that has it
     */
    public void uploads(String mediaType, String formType, String part) {
        var content = json.withObject("/requestBody/content");
        var file = content.putObject(mediaType).put("example", "(the bytes of the file)");
        file.putObject("schema").put("type", "string").put("format", "binary");
        var multipart = content.putObject(formType);
        multipart.putObject("example").put(part, "(the bytes of the file)");
        var form = multipart.putObject("schema").put("type", "object");
        form.putObject("properties").putObject(part).put("type", "string").put("format", "binary");
        form.putArray("required").add(part);
    }

    public Operation answers(int status, String description, String mediaType, ObjectNode schema, JsonNode example) {
        var content = response(status, description).putObject("content").putObject(mediaType);
        content.set("schema", schema);
        content.set("example", example);
        return this;
    }

    public Operation answers(int status, String description, ObjectNode schema, JsonNode example) {
        return answers(status, description, MediaType.APPLICATION_JSON, schema, example);
    }

    /** As it is kept for this operation. */
    public Operation answers(int status, String description, String schema) {
        return answers(status, description, SchemaNames.schema(schema), kept());
    }

    private JsonNode kept() {
        return KeptAnswer.ofOperation(json.path("operationId").asString());
    }

    public Operation answersNothing(int status, String description) {
        response(status, description);
        return this;
    }

    /** A header of the answer with this status. */
    public Operation tells(int status, String header, String component) {
        responses
                .withObject("/%d/headers/%s".formatted(status, header))
                .put("$ref", "#/components/headers/" + component);
        return this;
    }

    /** Refusals as RFC 9457. Where a status has an envelope already, it has both. */
    public Operation problems(int... statuses) {
        for (var status : statuses) {
            var name = String.valueOf(status);
            if (responses.has(name)) {
                Components.problem(responses.withObject("/%d/content".formatted(status)), status);
            } else {
                responses.putObject(name).put("$ref", "#/components/responses/Problem" + name);
            }
        }
        return this;
    }

    /** A refusal as the envelope, with words of its own. */
    public Operation refused(int status, String description) {
        answers(status, description, SchemaNames.schema("Refusal"), Components.envelope(status));
        return status == 429 || status >= 500 ? tells(status, "Retry-After", "RetryAfter") : this;
    }

    /** Refusals as the envelope. */
    public Operation refusals(int... statuses) {
        for (var status : statuses) {
            responses.putObject(String.valueOf(status)).put("$ref", "#/components/responses/Command" + status);
        }
        return this;
    }

    private ObjectNode response(int status, String description) {
        var response = responses.putObject(String.valueOf(status)).put("description", description);
        Components.everywhere(response.putObject("headers"));
        return response;
    }

    public ObjectNode json() {
        json.set("responses", responses);
        return json;
    }
}
