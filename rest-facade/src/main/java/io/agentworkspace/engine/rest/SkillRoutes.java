package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.rest.openapi.Operation;
import io.agentworkspace.engine.rest.openapi.Tag;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Skills as files: the archive of each, and the public ones where agents look for them (Agent Skills Discovery
 * 0.2.0). Everything is read through SK_List and SK_Read, so that the digests match theirs.
 */
final class SkillRoutes {
    static final String ARCHIVE = "/api/skills/{name}/archive";
    static final String INDEX = "/.well-known/agent-skills/index.json";
    static final String PUBLISHED_ARCHIVE = "/.well-known/agent-skills/{name}.zip";
    static final String PUBLISHED_FILE = "/.well-known/agent-skills/{name}/{path: .+}";

    static final String ZIP = "application/zip";

    private static final String SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
    private static final String FOLDER = "/.well-known/agent-skills/";
    private static final String LIST = "SK_List";
    private static final String READ = "SK_Read";
    private static final String SHARED = "public, max-age=300";
    private static final String OWN = "no-cache";

    private final ToolRunner runner;

    SkillRoutes(ToolRunner runner) {
        this.runner = runner;
    }

    /** Returns the routes; none if the catalogue has no skills. */
    List<GatewayRoute> routes() {
        return runner.catalogue().find(READ).isEmpty()
                ? List.of()
                : List.of(
                        GatewayRoute.get(ARCHIVE, this::archive, SkillRoutes::operation),
                        GatewayRoute.undescribed(INDEX, _ -> index()),
                        GatewayRoute.undescribed(PUBLISHED_ARCHIVE, this::publishedArchive),
                        GatewayRoute.undescribed(PUBLISHED_FILE, this::publishedFile));
    }

    private Response archive(ContainerRequestContext context) {
        var exchange = RestExchange.current();
        exchange.runs(runner.catalogue().read(READ));
        var arguments = Json.object().put("name", parameter(context, "name")).put("archive", true);
        var answer = exchange.run(runner, READ, arguments, false, ResponseBudget.ofFile());
        if (answer.problem() != null) {
            throw answer.problem();
        }
        return archive(answer.envelope(), OWN);
    }

    /** Returns the index of built-in skills. It is the same for all callers, so caches may store it. */
    private Response index() {
        var index = Json.object().put("$schema", SCHEMA);
        var listed = index.putArray("skills");
        for (var skill : open(LIST, Json.object()).path("skills")) {
            var name = skill.path("name").asString();
            listed.addObject()
                    .put("name", name)
                    .put("type", "archive")
                    .put("description", skill.path("description").asString())
                    .put("url", FOLDER + name + ".zip")
                    .put("digest", skill.path("digest").asString())
                    .set("resources", resources(name));
        }
        var bytes = Json.bytes(index);
        return file(bytes, MediaType.APPLICATION_JSON, sha256(bytes), SHARED).build();
    }

    /**
     * Returns each file of a skill with the digest that MCP's skills/list shows, for clients that do not want all
     * files.
     */
    private JsonNode resources(String skill) {
        var resources = Json.object().putArray("resources");
        for (var file : open(READ, Json.object().put("name", skill)).path("files")) {
            resources
                    .addObject()
                    .put("url", FOLDER + skill + "/" + encoded(file.path("path").asString()))
                    .put("digest", file.path("digest").asString())
                    .put("size", file.path("size").asInt());
        }
        return resources;
    }

    private Response publishedArchive(ContainerRequestContext context) {
        var arguments = Json.object().put("name", parameter(context, "name")).put("archive", true);
        return archive(open(READ, arguments), SHARED);
    }

    private Response publishedFile(ContainerRequestContext context) {
        var arguments = Json.object().put("name", parameter(context, "name")).put("path", parameter(context, "path"));
        var file = open(READ, arguments).path("file");
        var bytes = file.has("text")
                ? file.path("text").asString().getBytes(StandardCharsets.UTF_8)
                : Base64.getDecoder().decode(file.path("base64").asString());
        return file(
                        bytes,
                        file.path("media_type").asString(),
                        file.path("digest").asString(),
                        SHARED)
                .build();
    }

    /** Returns a tool's response for callers without a credential. */
    private ObjectNode open(String tool, ObjectNode arguments) {
        var answer =
                runner.open(tool, arguments, RestExchange.current().requestId()).orElseThrow(NotFoundException::new);
        if (answer.problem() != null) {
            throw answer.problem();
        }
        return answer.envelope();
    }

    private static String parameter(ContainerRequestContext context, String parameter) {
        return context.getUriInfo().getPathParameters().getFirst(parameter);
    }

    private static Response archive(ObjectNode envelope, String caching) {
        var name = envelope.at("/skill/name").asString();
        var bytes = Base64.getDecoder().decode(envelope.path("archive").asString());
        return file(bytes, ZIP, envelope.at("/skill/digest").asString(), caching)
                .header(HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"%s.zip\"".formatted(name))
                .build();
    }

    /** @param digest of these bytes: a client that already has them does not receive them again */
    private static Response.ResponseBuilder file(byte[] bytes, String mediaType, String digest, String caching) {
        var tag = '"' + digest + '"';
        var text = mediaType.startsWith("text/") ? mediaType + ";charset=utf-8" : mediaType;
        var response = RestExchange.current().has(tag)
                ? Response.notModified()
                : Response.ok(bytes, text).header(HttpHeaders.CONTENT_LENGTH, bytes.length);
        return response.header(HttpHeaders.ETAG, tag).header(HttpHeaders.CACHE_CONTROL, caching);
    }

    /** Percent-encodes everything but RFC 3986's unreserved characters and the slashes between the parts. */
    private static String encoded(String path) {
        var url = new StringBuilder();
        for (var b : path.getBytes(StandardCharsets.UTF_8)) {
            var c = (char) (b & 0xFF);
            if (c < 0x80 && (Character.isLetterOrDigit(c) || "-._~/".indexOf(c) >= 0)) {
                url.append(c);
            } else {
                url.append("%%%02X".formatted((int) c));
            }
        }
        return url.toString();
    }

    private static String sha256(byte[] bytes) {
        return "sha256:" + Sha256.hex(bytes);
    }

    private static Operation operation() {
        return new Operation(
                        "skillArchive",
                        Tag.SKILLS,
                        "Download a skill",
                        "The skill as a zip, the same bytes as long as the skill does not change: their SHA-256 is the skill's digest. Without"
                                + " a credential those that the service ships.")
                .open()
                .parameter(
                        "path", "name", true, "The skill's name.", Json.object().put("type", "string"))
                .suchAs("first-steps")
                .answers(
                        200,
                        "The zip.",
                        ZIP,
                        Json.object().put("type", "string").put("format", "binary"),
                        Json.valueTree("(the bytes of the zip)"))
                .answersNothing(304, "You have it already: its ETag was in If-None-Match.")
                .problems(401, 403, 404, 422, 429, 500, 503);
    }
}
