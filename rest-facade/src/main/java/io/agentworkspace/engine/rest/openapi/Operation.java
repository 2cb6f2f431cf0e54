package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.answer.KeptAnswer;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Schema;
import jakarta.ws.rs.core.MediaType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Builds one operation of the OpenAPI document. */
public final class Operation {
    public static final List<String> CREDENTIALS = List.of("ApiKey", "Bearer", "Session");

    /** The name of a security scheme that means no credential. */
    public static final String NOTHING = "";

    public static final String KEY = "ApiKey";
    public static final String SESSION = "Session";

    private final Tag tag;
    private final ObjectNode json = Json.object();
    private final ObjectNode responses = Json.object();
    private final Map<String, Supplier<ObjectNode>> schemas = new LinkedHashMap<>();

    public Operation(String id, Tag tag, String summary, String description) {
        this.tag = tag;
        json.putArray("tags").add(tag.title());
        json.put("operationId", id).put("summary", summary).put("description", description);
    }

    public Tag tag() {
        return tag;
    }

    /** Makes the credential optional. */
    public Operation open() {
        var security = json.putArray("security");
        security.addObject();
        CREDENTIALS.forEach(name -> security.addObject().putArray(name));
        return this;
    }

    /** Accepts only these credentials. The empty name means none. */
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

    /** Returns the names of the operation's query parameters. */
    public List<String> queryParameters() {
        return json.path("parameters")
                .valueStream()
                .filter(parameter -> parameter.path("in").asString("").equals("query"))
                .map(parameter -> parameter.path("name").asString())
                .toList();
    }

    /** Adds an example value to the last parameter. */
    public Operation suchAs(JsonNode example) {
        var parameters = json.withArray("parameters");
        ((ObjectNode) parameters.get(parameters.size() - 1)).set("example", example);
        return this;
    }

    public Operation suchAs(String example) {
        return suchAs(Json.valueTree(example));
    }

    /** Adds a header that is always sent. */
    public Operation header(String name, String description, String example) {
        return parameter("header", name, true, description, Json.object().put("type", "string"))
                .suchAs(example);
    }

    /** Sets the tool that the operation runs. */
    public Operation runs(String tool) {
        json.put("x-tool", tool);
        return this;
    }

    public Operation idempotent() {
        json.withArray("parameters").addObject().put("$ref", "#/components/parameters/IdempotencyKey");
        return this;
    }

    public Operation body(boolean required, ObjectNode schema, JsonNode example) {
        return body(required, MediaType.APPLICATION_JSON, schema, example);
    }

    /** Requires a body in the form of HTML forms. */
    public Operation form(ObjectNode schema, JsonNode example) {
        return body(true, MediaType.APPLICATION_FORM_URLENCODED, schema, example);
    }

    private Operation body(boolean required, String mediaType, ObjectNode schema, JsonNode example) {
        var content = json.putObject("requestBody")
                .put("required", required)
                .putObject("content")
                .putObject(mediaType);
        content.set("schema", schema);
        content.set("example", example);
        return this;
    }

    /**
     * Allows the body to be the file itself, or a form with it.
     *
     * @param mediaType the media type of the file
     * @param part the name of the form's field that contains the file
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

    /** Adds a response, with the recorded one as its example. */
    public Operation answers(int status, String description, String schema) {
        return answers(status, description, SchemaNames.schema(schema), kept());
    }

    /** Adds a response that is this record, with the recorded one as its example. */
    public Operation answers(int status, String description, Class<? extends Record> type) {
        return answers(status, description, type, kept());
    }

    public Operation answers(int status, String description, Class<? extends Record> type, JsonNode example) {
        return answers(
                status,
                description,
                named(type.getSimpleName(), () -> Schema.of(type).typed()),
                example);
    }

    /** @param name of the record's schema, where it is not that of the record */
    public Operation answers(int status, String description, String name, Class<? extends Record> type) {
        return answers(status, description, named(name, () -> Schema.of(type).typed()), kept());
    }

    /** Requires this record as the body; fields that it does not have are ignored. */
    public Operation takes(Class<? extends Record> type, JsonNode example) {
        return body(
                true,
                named(
                        type.getSimpleName(),
                        () -> ComponentSchemas.open(Schema.ofInput(type, false).typed())),
                example);
    }

    /** @param schema made only for the document: a route also builds its operation to check a query */
    private ObjectNode named(String name, Supplier<ObjectNode> schema) {
        schemas.put(name, schema);
        return SchemaNames.schema(name);
    }

    /** Returns the schemas of its records, by their names. */
    Map<String, Supplier<ObjectNode>> schemas() {
        return schemas;
    }

    private JsonNode kept() {
        return KeptAnswer.ofOperation(json.path("operationId").asString());
    }

    public Operation answersNothing(int status, String description) {
        response(status, description);
        return this;
    }

    /** Adds a response of somebody else's server, which has none of this server's headers. */
    public Operation expects(int status, String description) {
        responses.putObject(String.valueOf(status)).put("description", description);
        return this;
    }

    /** Adds JSON lines to what the response with this status can be. */
    public Operation orLines(int status) {
        var content = (ObjectNode) responses.at("/%d/content".formatted(status));
        var lines = content.putObject("application/x-ndjson");
        lines.putObject("schema").put("type", "string");
        lines.put("example", "(a JSON object in each line)");
        return this;
    }

    /** Adds a file of any type to what the response with this status can be. */
    public Operation orFile(int status) {
        var content = (ObjectNode) responses.at("/%d/content".formatted(status));
        var file = content.putObject("*/*");
        file.putObject("schema").put("type", "string").put("format", "binary");
        file.put("example", "(the bytes of the file)");
        return this;
    }

    /** Adds a header to the response with this status. */
    public Operation returns(int status, String header, String component) {
        responses
                .withObject("/%d/headers/%s".formatted(status, header))
                .put("$ref", "#/components/headers/" + component);
        return this;
    }

    /** Adds refusals as RFC 9457. A status that already has an envelope then has both. */
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

    /** Adds a refusal as the envelope, with its own description. */
    public Operation refused(int status, String description) {
        answers(status, description, SchemaNames.schema("Refusal"), Components.envelope(status));
        return status == 429 || status >= 500 ? returns(status, "Retry-After", "RetryAfter") : this;
    }

    /** Adds refusals as the envelope. */
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
