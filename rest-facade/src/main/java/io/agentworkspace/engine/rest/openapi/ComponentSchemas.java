package io.agentworkspace.engine.rest.openapi;

import io.agentworkspace.engine.model.agent.Question;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Route;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The schemas that the OpenAPI document's operations refer to. */
public final class ComponentSchemas {
    private static final List<String> OF_A_FAMILY = List.of("family", "capability", "effect", "outputSchema");

    private final NamedSchemas named = new NamedSchemas();

    public ComponentSchemas() {
        envelopes();
        named.add("Problem", of(ProblemFields.class));
        named.add("Tool", tool());
        named.add("Tools", tools());
        rpc();
    }

    public ObjectNode json() {
        return named.json();
    }

    /** Adds the schemas of the operation's records. */
    public void add(Operation operation) {
        operation.schemas().forEach((name, schema) -> named.add(name, schema.get()));
    }

    /**
     * Returns a reference to the request schema of the generic route: one of these commands, with all fields that any
     * of them has.
     */
    public ObjectNode command(List<Tool<?, ?>> commands) {
        var schema = open(CommandFields.of(commands).typed());
        schema.putArray("required").add("service");
        var service = (ObjectNode) schema.at("/properties/service");
        service.remove("maxLength");
        var names = service.put("title", "CommandName").putArray("enum");
        commands.forEach(tool -> names.add(tool.name()));
        return named.add("CommandRequest", schema);
    }

    /** Returns a reference to the schema of the request body on one of the tool's routes, without the fields that are in the path. */
    public ObjectNode request(Tool<?, ?> tool, Route route) {
        var schema = open(tool.inputSchema().typed());
        var properties = (ObjectNode) schema.get("properties");
        for (var field : Field.of(schema)) {
            if (route.hasParameter(field.path())) {
                leaveOut(schema, field);
            }
        }
        if (Route.isCommand(route.path())) {
            properties
                    .putObject("service")
                    .put("type", "string")
                    .put("description", "Not needed: the path fixes it. If it is sent, it must be this.")
                    .put("const", tool.name());
        }
        schema.put("description", "What %s takes.".formatted(tool.name()));
        return named.add(
                SchemaNames.typeName(tool) + SchemaNames.further(tool, route) + "Request",
                SchemaNames.typeName(tool),
                schema);
    }

    /** Returns a reference to the schema of the tool's response. */
    public ObjectNode response(Tool<?, ?> tool) {
        var own = Schema.of(tool.output()).typed();
        var schema = Json.object()
                .put("type", "object")
                .put("description", "What %s answers when it is done.".formatted(tool.name()));
        var properties = schema.putObject("properties");
        properties.set("header", SchemaNames.schema("Header"));
        properties.set("status", SchemaNames.schema("Status"));
        properties.setAll((ObjectNode) own.get("properties"));
        schema.putArray("required")
                .add("header")
                .add("status")
                .addAll(own.path("required").values());
        return named.add(SchemaNames.typeName(tool) + "Response", SchemaNames.typeName(tool), schema);
    }

    /** Returns a reference to the schema of an event as it is sent. */
    public ObjectNode event(String name, EventType type) {
        var schema = Json.object().put("type", "object").put("description", type.description());
        var properties = schema.putObject("properties");
        described(properties, "id", "string", "Names the event; the same on every attempt.")
                .put("format", "uuid");
        described(properties, "type", "string", "The event's type.").put("const", type.word());
        described(properties, "created_at", "string", "When it happened.").put("format", "date-time");
        var data = named.add(name + "Data", type.schema().put("description", "What happened."));
        properties.set("data", data);
        schema.putArray("required").add("id").add("type").add("created_at").add("data");
        return named.add(name + "Event", schema);
    }

    /** Returns the schema of a parameter. */
    public ObjectNode parameter(String name, ObjectNode schema) {
        return named.settled(name, schema);
    }

    private void envelopes() {
        var response = Envelope.schema().put("description", "The envelope of any tool, whichever fields it has.");
        var refusal = response.deepCopy().put("description", "The envelope of what was refused: status says why.");
        var memory = of(Memory.class).put("description", "Where if_revision was stale: the memory as it is now.");
        var beside = (ObjectNode) refusal.get("properties");
        beside.set("memory", memory);
        described(beside, "text", "string", "Of MB_Files: the note, for the model.");
        described(beside, "retry_at", "string", "Of the loop guard: when to send it again.")
                .put("format", "date-time");
        described(beside, "holder", "string", "Who holds the task, or the paths.");
        described(beside, "lease_until", "string", "Until when the task is held.")
                .put("format", "date-time");
        described(beside, "paths", "array", "The paths that the holder has reserved.")
                .putObject("items")
                .put("type", "string");
        described(beside, "reason", "string", "Why they are reserved.");
        described(beside, "until", "string", "Until when they are reserved.").put("format", "date-time");
        described(beside, "steps", "array", "Of run_plan: each step, with its state (done, failed, not_run).")
                .putObject("items")
                .put("type", "object");
        described(beside, "returned", "array", "Of run_plan: what was to be returned of the steps that ran.")
                .putObject("items")
                .put("type", "object");
        beside.set("question", of(Question.class).put("description", "Where a question is not open: as it is now."));
        named.add("Refusal", "", refusal);
        var properties = (ObjectNode) response.get("properties");
        for (var name : List.of("profile", "content")) {
            properties
                    .putObject(name)
                    .put("type", "array")
                    .put("description", "On read and list commands.")
                    .putObject("items")
                    .put("type", "object");
        }
        named.add("CommandResponse", response);
    }

    private static ObjectNode of(Class<? extends Record> type) {
        return Schema.of(type).typed();
    }

    /** Allows unknown fields, since REST ignores them. */
    static ObjectNode open(ObjectNode schema) {
        if (schema.path("additionalProperties").isBoolean()) {
            schema.remove("additionalProperties");
        }
        schema.values().forEach(inner -> {
            if (inner instanceof ObjectNode object) {
                open(object);
            }
        });
        return schema;
    }

    private static void leaveOut(ObjectNode schema, Field field) {
        if (field.parents().isEmpty()) {
            ((ObjectNode) schema.get("properties")).remove(field.name());
            without(schema, field.name());
            return;
        }
        var parent = field.parents().getFirst();
        var object = (ObjectNode) schema.path("properties").get(parent);
        ((ObjectNode) object.get("properties")).remove(field.name());
        without(object, field.name());
        if (!object.has("required")) {
            without(schema, parent);
        }
    }

    private static void without(ObjectNode schema, String name) {
        var required = schema.path("required");
        for (var i = required.size() - 1; i >= 0; i--) {
            if (required.get(i).asString().equals(name)) {
                required.asArray().remove(i);
            }
        }
        if (required.isEmpty()) {
            schema.remove("required");
        }
    }

    private static ObjectNode tool() {
        var schema = Json.object().put("type", "object").put("description", "A tool as the catalogue shows it.");
        var properties = schema.putObject("properties");
        described(properties, "name", "string", "Its name, over MCP and as service of a command.");
        described(properties, "title", "string", "What to call it.");
        described(properties, "description", "string", "What it does, what it needs, what it answers.");
        described(properties, "family", "string", "What it is about: agent, domain, bank, …");
        described(properties, "capability", "string", "What a credential needs to run it.");
        described(properties, "effect", "string", "reads, marks, moves, creates, changes or destroys.");
        var route = described(properties, "route", "object", "Its own REST route.");
        described(route.putObject("properties"), "method", "string", "The HTTP method.");
        described(
                (ObjectNode) route.get("properties"), "path", "string", "The path, with {…} where an argument stands.");
        route.putArray("required").add("method").add("path");
        described(properties, "inputSchema", "object", "JSON Schema of its arguments.");
        described(properties, "outputSchema", "object", "JSON Schema of its envelope.");
        described(properties, "annotations", "object", "MCP's hints: readOnlyHint, destructiveHint, idempotentHint, …");
        // The general tools, such as run_tool, belong to no family, and return what the tool returns that they run.
        List.copyOf(properties.propertyNames()).stream()
                .filter(name -> !OF_A_FAMILY.contains(name))
                .forEach(schema.withArray("required")::add);
        described(properties, "only_reads", "boolean", "true if you may run it, but only to read.");
        return schema;
    }

    /** Adds the part of JSON-RPC 2.0 that all messages share. */
    private void rpc() {
        var request = Json.object().put("type", "object").put("description", "A JSON-RPC 2.0 request or notification.");
        var requestFields = request.putObject("properties");
        described(requestFields, "jsonrpc", "string", "Always 2.0.").put("const", "2.0");
        described(
                requestFields,
                "id",
                "string",
                "Names the request in its response; absent on notifications. Integers are taken too.");
        described(requestFields, "method", "string", "What to do, e.g. tools/list.");
        described(requestFields, "params", "object", "What the method takes.");
        request.putArray("required").add("jsonrpc").add("method");
        named.add("RpcRequest", request);
        var response = Json.object().put("type", "object").put("description", "A JSON-RPC 2.0 response.");
        var fields = response.putObject("properties");
        described(fields, "jsonrpc", "string", "Always 2.0.");
        described(fields, "id", "string", "The request's.");
        described(fields, "result", "object", "What the method answers.");
        response.putArray("required").add("jsonrpc");
        var error = response.deepCopy().put("description", "A JSON-RPC 2.0 error.");
        named.add("RpcResponse", response);
        var failed = (ObjectNode) error.get("properties");
        failed.remove("result");
        var what = described(failed, "error", "object", "What was wrong.");
        var parts = what.putObject("properties");
        described(parts, "code", "integer", "JSON-RPC's code.");
        described(parts, "message", "string", "What was wrong, and what would be right.");
        described(parts, "data", "object", "error, internal_code, note and request_id, as everywhere.");
        what.putArray("required").add("code").add("message");
        named.add("RpcError", error);
    }

    private static ObjectNode tools() {
        var schema = Json.object().put("type", "object").put("description", "The catalogue of tools.");
        described(schema.putObject("properties"), "tools", "array", "The tools, in order.")
                .set("items", SchemaNames.schema("Tool"));
        schema.putArray("required").add("tools");
        return schema;
    }

    private static ObjectNode described(ObjectNode properties, String name, String type, String description) {
        JsonNode field = properties.putObject(name).put("type", type).put("description", description);
        return (ObjectNode) field;
    }

    record ProblemFields(
            @Doc("Names the kind of problem.") String type,
            @Doc("The kind of problem, in words.") String title,
            @Doc("The HTTP status.") int status,
            @Doc("What was wrong, and what would be right.") String detail,
            @Doc("The symbolic name.") String error,
            @Doc("Names this request in logs.") String requestId,

            @Doc("Of MB_Files: the detail, for the model.") @Nullable
            String text) {}
}
