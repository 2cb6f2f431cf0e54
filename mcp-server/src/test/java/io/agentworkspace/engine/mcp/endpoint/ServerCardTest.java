package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.agentworkspace.engine.kernel.wire.ProtocolRevision;
import io.agentworkspace.engine.mcp.content.EngineContent;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.web.server.SampleServer;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The public description of the server: its card, the catalogue that links to it, and the registry's server.json. */
class ServerCardTest {
    /** The registry's schema of 2025-12-11, limited to the fields that we use. No other field is allowed. */
    private static final String ENTRY = """
            {"type": "object", "additionalProperties": false,
             "required": ["$schema", "name", "title", "description", "version", "remotes"],
             "properties": {
               "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
               "name": {"type": "string", "pattern": "^[a-z][a-z0-9-]*([.][a-z0-9-]+)+/[a-z][a-z0-9._-]*$", "maxLength": 200},
               "title": {"type": "string", "minLength": 1, "maxLength": 100},
               "description": {"type": "string", "minLength": 1, "maxLength": 100},
               "version": {"type": "string", "pattern": "^[0-9]+[.][0-9]+[.][0-9]+(-[0-9A-Za-z.-]+)?$"},
               "remotes": {"type": "array", "minItems": 1, "maxItems": 1, "items": {
                 "type": "object", "additionalProperties": false, "required": ["type", "url", "headers", "variables"],
                 "properties": {
                   "type": {"const": "streamable-http"},
                   "url": {"type": "string", "pattern": "^https://[^ ]+$"},
                   "headers": {"type": "array", "items": {"allOf": [{"$ref": "#/$defs/input"}],
                     "required": ["name"], "properties": {"name": {"type": "string"}}, "unevaluatedProperties": false}},
                   "variables": {"type": "object", "additionalProperties": {
                     "$ref": "#/$defs/input", "unevaluatedProperties": false}}}}}},
             "$defs": {"input": {"type": "object", "properties": {
               "description": {"type": "string"}, "placeholder": {"type": "string"},
               "isRequired": {"type": "boolean"}, "isSecret": {"type": "boolean"}}}}}
            """;

    private static SampleServer server;

    @BeforeAll
    static void start() {
        server = new SampleServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static ObjectNode registered() throws IOException {
        var pom = Files.readString(Repository.file("pom.xml"));
        var version = Pattern.compile("<version>([^<]+)</version>").matcher(pom);
        assertThat(version.find()).isTrue();
        return ServerListing.registered(EngineContent.identity(version.group(1)));
    }

    @Test
    void theRegistrysFileSaysWhatTheServerSays() throws IOException {
        Golden.check(Repository.file("server.json"), Json.pretty(registered()) + "\n");
    }

    @Test
    void theRegistryTakesTheFile() throws IOException {
        var rules = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(RawMcpClient.json(ENTRY));
        assertThat(rules.validate(registered())).isEmpty();
        var remote = registered().at("/remotes/0");
        assertThat(remote.at("/headers/0/name").asString()).isEqualTo("X-Api-Key");
        assertThat(remote.at("/headers/0/isSecret").asBoolean()).isTrue();
        assertThat(remote.at("/headers/0/isRequired").asBoolean()).isTrue();
        var blanks = Pattern.compile("\\{(\\w+)}")
                .matcher(remote.get("url").asString())
                .results()
                .map(blank -> blank.group(1))
                .toList();
        assertThat(remote.get("variables").propertyNames()).containsExactlyElementsOf(blanks);
        assertThat(rules.validate(registered().put("version", "latest"))).isNotEmpty();
        assertThat(rules.validate(registered().without("remotes"))).isNotEmpty();
    }

    @Test
    void theCardSaysTheSameOfARunningServer() throws IOException {
        var card = RawMcpClient.json(server.get("/mcp/server-card"));
        var registered = registered();
        for (var field : List.of("name", "title", "description")) {
            assertThat(card.get(field)).as(field).isEqualTo(registered.get(field));
        }
        var remote = card.at("/remotes/0");
        assertThat(remote.get("headers")).isEqualTo(registered.at("/remotes/0/headers"));
        assertThat(remote.get("url").asString()).isEqualTo(server.url("/mcp").toString());
        assertThat(remote.get("supportedProtocolVersions").valueStream().map(JsonNode::asString))
                .containsExactlyElementsOf(ProtocolRevision.words());
        var discovered = new RawMcpClient(server.url("/mcp").toString(), server.key).modern("server/discover", "{}");
        assertThat(discovered.at("/result/supportedVersions")).isEqualTo(remote.get("supportedProtocolVersions"));
        var info = discovered.at("/result/_meta/io.modelcontextprotocol~1serverInfo");
        assertThat(List.of(info.get("name"), info.get("version")))
                .containsExactly(card.get("name"), card.get("version"));
    }

    @Test
    void theCatalogueLeadsToTheCard() {
        var entry =
                RawMcpClient.json(server.get("/.well-known/ai-catalog.json")).at("/entries/0");
        assertThat(entry.get("url").asString())
                .isEqualTo(server.url("/mcp/server-card").toString());
        assertThat(entry.get("identifier").asString()).isEqualTo("urn:air:127.0.0.1:mcp:engine");
        assertThat(server.get("/mcp/server-card").headers().firstValue("Content-Type"))
                .hasValue(entry.get("type").asString());
    }

    @Test
    void whoHasTheCardAlreadyIsNotSentItAgain() {
        for (var path : List.of("/mcp/server-card", "/.well-known/ai-catalog.json")) {
            var first = server.get(path);
            assertThat(first.headers().firstValue("Cache-Control")).hasValue("public, max-age=3600");
            assertThat(first.headers().firstValue("Access-Control-Allow-Origin"))
                    .hasValue("*");
            var tag = first.headers().firstValue("ETag").orElseThrow();
            var again = server.get(path, "If-None-Match", tag);
            assertThat(again.statusCode()).isEqualTo(304);
            assertThat(again.body()).isEmpty();
            assertThat(server.get(path, "If-None-Match", "\"other\"").statusCode())
                    .isEqualTo(200);
        }
    }
}
