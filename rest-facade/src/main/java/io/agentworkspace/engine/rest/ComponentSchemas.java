package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.Catalogue;
import io.agentworkspace.engine.model.ClientConfiguration;
import io.agentworkspace.engine.model.Doc;
import io.agentworkspace.engine.model.Envelope;
import io.agentworkspace.engine.model.Field;
import io.agentworkspace.engine.model.Handshake;
import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Reasons;
import io.agentworkspace.engine.model.Schema;
import io.agentworkspace.engine.model.Tool;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The schemas that the OpenAPI document's operations refer to. */
final class ComponentSchemas {
    private ComponentSchemas() {}

    static ObjectNode of(Catalogue catalogue) {
        var schemas = Json.object();
        schemas.set("CommandRequest", open(CommandRequest.SCHEMA.json()));
        schemas.set("CommandResponse", commandResponse());
        var envelope = Envelope.schema();
        schemas.set("Header", envelope.at("/properties/header"));
        schemas.set("Status", envelope.at("/properties/status"));
        schemas.set("Problem", of(ProblemFields.class));
        schemas.set("Health", of(HealthFields.class));
        schemas.set("Reasons", of(Reasons.class));
        schemas.set("Session", of(SessionFields.class));
        schemas.set("AccessToken", of(TokenFields.class));
        schemas.set("Tool", tool());
        schemas.set("ClientConfiguration", Schema.of(ClientConfiguration.class).json());
        schemas.set("Handshakes", Schema.of(Handshake.Latest.class).json());
        catalogue.tools().forEach(tool -> add(schemas, tool));
        return schemas;
    }

    private record ProblemFields(
            @Doc("Names the kind of problem.") String type,
            @Doc("The kind of problem, in words.") String title,
            @Doc("The HTTP status.") int status,
            @Doc("What was wrong, and what would be right.") String detail,
            @Doc("The symbolic name.") String error,
            @Doc("Names this request in logs.") String requestId) {}

    private record HealthFields(
            @Doc(
                    value = "How it is.",
                    oneOf = {"ok", "degraded"})
            String status,

            @Doc("The version of the contract.") String contractVersion,
            @Doc("The product's version.") String version,
            @Doc("The server's time.") Instant time,

            @Doc(
                    value = "Whether the database answers.",
                    oneOf = {"reachable", "unreachable"})
            String database) {}

    private record SessionFields(
            @Doc("Whether the cookie signs anybody in; without, the rest is missing.")
            boolean signedIn,

            @Doc("The user's name.") @Nullable String user,
            @Doc("The tenant's name.") @Nullable String tenant,

            @Doc(
                    value = "The user's role.",
                    oneOf = {"viewer", "member", "admin", "owner"})
            @Nullable
            String role,

            @Doc("What changing requests send in X-CSRF-Token.") @Nullable
            String csrfToken,

            @Doc("When the session ends if it is not used.") @Nullable
            Instant expiresAt) {}

    private record TokenFields(
            @Doc("The token, a JWT.") String accessToken,

            @Doc(value = "How to send it.", oneOf = "Bearer")
            String tokenType,

            @Doc("In so many seconds it expires.") int expiresIn) {}

    private static ObjectNode of(Class<? extends Record> type) {
        return open(Schema.ofInput(type, false).json());
    }

    /** REST ignores fields that it does not know. */
    private static ObjectNode open(ObjectNode schema) {
        schema.remove("additionalProperties");
        schema.path("properties").values().forEach(inner -> {
            if (inner.path("additionalProperties").isBoolean()) {
                open((ObjectNode) inner);
            }
        });
        return schema;
    }

    private static ObjectNode commandResponse() {
        var schema = withReferences(Envelope.schema());
        var properties = (ObjectNode) schema.get("properties");
        for (var name : new String[] {"profile", "content"}) {
            properties.putObject(name).put("type", "array").put("description", "On read and list commands.");
        }
        return schema.put("additionalProperties", true);
    }

    private static ObjectNode withReferences(ObjectNode envelope) {
        var properties = (ObjectNode) envelope.get("properties");
        properties.set("header", OpenApi.schema("Header"));
        properties.set("status", OpenApi.schema("Status"));
        return envelope;
    }

    private static void add(ObjectNode schemas, Tool<?, ?> tool) {
        if (tool.route().hasBody()) {
            schemas.set(OpenApi.requestName(tool), request(tool));
        }
        schemas.set(
                OpenApi.responseName(tool), withReferences(tool.outputSchema().deepCopy()));
    }

    /** What goes into the body: not what stands in the path; and a command may say its name again. */
    private static ObjectNode request(Tool<?, ?> tool) {
        var schema = open(tool.inputSchema().json());
        var properties = (ObjectNode) schema.get("properties");
        if (tool.isCommand()) {
            properties
                    .putObject("service")
                    .put("type", "string")
                    .put("const", tool.name())
                    .put("description", "The path says it already.");
        }
        for (var field : Field.of(schema)) {
            if (tool.route().hasParameter(field.path())) {
                properties.remove(field.name());
                without(schema.path("required"), field.name());
            }
        }
        return schema;
    }

    private static void without(JsonNode required, String name) {
        for (var i = required.size() - 1; i >= 0; i--) {
            if (required.get(i).asString().equals(name)) {
                required.asArray().remove(i);
            }
        }
    }

    private static ObjectNode tool() {
        var schema = Json.object().put("type", "object");
        var properties = schema.putObject("properties");
        for (var name : new String[] {"name", "title", "description", "family", "capability", "effect"}) {
            properties.putObject(name).put("type", "string");
        }
        for (var name : new String[] {"route", "inputSchema", "outputSchema", "annotations"}) {
            properties.putObject(name).put("type", "object");
        }
        properties.propertyNames().forEach(schema.withArray("required")::add);
        return schema;
    }
}
