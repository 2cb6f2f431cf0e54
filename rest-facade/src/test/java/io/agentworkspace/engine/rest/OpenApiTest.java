package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.mcp.Handshake;
import io.agentworkspace.engine.model.mcp.HandshakeReports;
import io.agentworkspace.engine.model.problem.DatabaseState;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

class OpenApiTest {
    private static TestServer server;
    private static JsonNode document;

    @BeforeAll
    static void start() throws Exception {
        server = new TestServer();
        document = server.send(server.anonymously("/api/openapi.json")).json();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static JsonNode operation(String method, String path) {
        return document.path("paths").path(path).path(method.toLowerCase(Locale.ROOT));
    }

    private static JsonNode schema(String title) {
        return document.findParents("title").stream()
                .filter(schema -> schema.path("title").asString("").equals(title))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void itIsTheContractsVersionAtThisAddress() {
        assertThat(document.get("openapi").asString()).isEqualTo("3.1.0");
        assertThat(document.at("/info/version").asString()).isEqualTo("2026-05-25");
        assertThat(document.at("/servers/0/url").asString()).isEqualTo("http://engine.test");
    }

    @Test
    void everyToolOfTheCatalogueHasItsOperation() {
        for (var tool : server.runner.catalogue().tools()) {
            var operation = operation(tool.route().method(), tool.route().path());
            assertThat(operation.path("x-tool").asString()).isEqualTo(tool.name());
            assertThat(operation.path("description").asString()).startsWith(tool.description());
        }
    }

    @Test
    void itHoldsEveryRouteThatIsAnsweredAndNoOther() {
        var clock = Clock.fixed(TestServer.NOW, ZoneOffset.UTC);
        HandshakeReports none = (caller, _) -> new Handshake.Latest(null, caller.userName(), List.of());
        var facade = RestFacade.facade(
                server.runner,
                (_, _) -> List.of(),
                TestServer.PUBLISHED,
                () -> DatabaseState.REACHABLE,
                new TestSignIn(),
                new TestJoining(),
                none,
                new NoFiles(),
                new NoAccounts(),
                clock);
        var answered = new TreeSet<String>();
        for (var resource : facade.resources()) {
            for (var method : resource.getResourceMethods()) {
                answered.add(method.getHttpMethod() + " " + resource.getPath());
            }
        }
        answered.removeIf(route -> route.startsWith("OPTIONS ") || route.endsWith(CommandRoutes.ALIAS));
        // Other endpoints handle these, and the document describes them.
        answered.addAll(List.of(
                "POST /mcp",
                "GET /api/stream",
                "GET /.well-known/oauth-authorization-server",
                "GET /oauth/authorize",
                "POST /oauth/token",
                "POST /oauth/register",
                "POST /oauth/revoke",
                "POST /api/hooks/{client}",
                "GET /api/hooks/{client}/messages",
                "GET /api/demo",
                "POST /api/demo",
                "DELETE /api/demo"));
        for (var tool : server.runner.catalogue().tools()) {
            answered.add(tool.route().method() + " " + tool.route().path());
            tool.route().further().forEach(route -> answered.add(route.method() + " " + route.path()));
        }

        var described = new TreeSet<String>();
        for (var path : document.get("paths").properties()) {
            path.getValue()
                    .propertyNames()
                    .forEach(method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey()));
        }
        assertThat(described)
                .as("a route of RestFacade needs an Operation: see GatewayRoute")
                .isEqualTo(answered);
    }

    @Test
    void operationsAreCalledAsMethodsAre() {
        assertThat(operation("POST", "/demo/v1/Engine/tps/agent/create")
                        .get("operationId")
                        .asString())
                .isEqualTo("agentCreate");
        assertThat(operation("PATCH", "/api/keys/{id}").get("operationId").asString())
                .isEqualTo("keyUpdate");
        assertThat(document.findValues("title").stream().map(title -> title.asString("")))
                .contains("AgentCreateRequest", "AgentCreateVx", "AgentCreateResponse", "Header", "CommandName");
    }

    @Test
    void onlyTagsInUseAreListed() {
        assertThat(document.get("tags").valueStream().map(tag -> tag.get("name").asString()))
                .containsExactly("01 - User", "02 - Agent", "API Keys", "Gateway", "MCP");
    }

    @Test
    void commandRoutesDeclareTheContractsStatuses() {
        assertThat(operation("POST", "/demo/v1/Engine/tps/agent/create")
                        .get("responses")
                        .propertyNames())
                .containsExactly("200", "400", "401", "429", "500");
        assertThat(document.at("/components/responses/Command400/description").asString())
                .contains("malformed_json (1001)", "missing_field (1003)")
                .doesNotContain("method_not_allowed", "bad_request");
        assertThat(document.at("/components/responses/Command401/content").propertyNames())
                .containsExactly("application/json");
        assertThat(document.at("/components/responses/Problem404/content").propertyNames())
                .containsExactly("application/problem+json");
    }

    @Test
    void everyAnswerTellsWhatIsLeftAndRefusalsWhenToComeBack() {
        var answers = new ArrayList<JsonNode>();
        document.get("components").get("responses").forEach(answers::add);
        for (var path : document.get("paths")) {
            for (var operation : path) {
                operation.get("responses").forEach(answers::add);
            }
        }
        assertThat(answers.stream().filter(answer -> !answer.has("$ref")))
                .hasSizeGreaterThan(20)
                .allSatisfy(answer -> {
                    assertThat(answer.at("/headers/RateLimit/$ref").asString())
                            .isEqualTo("#/components/headers/RateLimit");
                    assertThat(answer.at("/headers/RateLimit-Policy/$ref").asString())
                            .isEqualTo("#/components/headers/RateLimitPolicy");
                });
        for (var name : List.of("Command429", "Problem429")) {
            var refusal = document.at("/components/responses/" + name);
            assertThat(refusal.get("description").asString()).contains("quota_exceeded (4002)", "rate_limited (4001)");
            assertThat(refusal.get("headers").has("Retry-After")).isTrue();
        }
    }

    @Test
    void requestsHaveExamplesAndFieldsStayOpen() {
        var body = operation("POST", "/demo/v1/Engine/tps/agent/create").at("/requestBody/content/application~1json");
        assertThat(body.at("/example/vx/name").asString()).isEqualTo("scout");
        assertThat(schema("AgentCreateRequest").toString()).doesNotContain("additionalProperties");
        assertThat(schema("CommandRequest").toString()).doesNotContain("additionalProperties");
    }

    @Test
    void commandsTakeTheirServiceAndAllTheirFields() {
        assertThat(schema("AgentCreateRequest").at("/properties/service/const").asString())
                .isEqualTo("AP_Create");
        assertThat(schema("CommandRequest").get("properties").propertyNames())
                .startsWith("service")
                .contains("target", "vx", "content")
                .endsWith("idempotency_key");
        assertThat(operation("POST", "/mcp")
                        .at("/requestBody/content/application~1json/schema/title")
                        .asString())
                .isEqualTo("RpcRequest");
    }

    @Test
    void whatStandsInThePathIsNotInTheBody() {
        var update = operation("PATCH", "/api/keys/{id}");
        assertThat(update.at("/parameters/0/in").asString()).isEqualTo("path");
        assertThat(schema("KeyUpdateRequest").get("properties").propertyNames())
                .contains("name")
                .doesNotContain("id");
        assertThat(schema("KeyUpdateRequest").path("required").toString()).doesNotContain("id");
        assertThat(operation("GET", "/api/keys")
                        .get("parameters")
                        .valueStream()
                        .map(p -> p.get("name").asString()))
                .containsExactly("enabled", "labels", "page.limit", "page.cursor");
    }

    @Test
    void everyReferenceLeadsSomewhereAndEveryIdIsUnique() {
        var references = new ArrayList<String>();
        collect(document, references);
        assertThat(references)
                .isNotEmpty()
                .allSatisfy(reference -> assertThat(
                                document.at(reference.substring(1)).isMissingNode())
                        .as(reference)
                        .isFalse());

        var ids = document.get("paths")
                .valueStream()
                .flatMap(JsonNode::valueStream)
                .map(operation -> operation.get("operationId").asString())
                .toList();
        assertThat(new HashSet<>(ids)).hasSameSizeAs(ids);
    }

    private static void collect(JsonNode node, List<String> references) {
        if (node.path("$ref").isString()) {
            references.add(node.get("$ref").asString());
        }
        node.values().forEach(inner -> collect(inner, references));
    }

    @Test
    void theYamlSaysTheSame() throws Exception {
        var got = server.send(server.anonymously("/api/openapi.yaml"));

        assertThat(got.header("Content-Type")).isEqualTo("application/yaml");
        assertThat(new YAMLMapper().readTree(got.response().body())).isEqualTo(document);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/openapi.json", "/api/openapi.yaml"})
    void whoHasItAlreadyIsNotSentItAgain(String path) throws Exception {
        var first = server.send(server.anonymously(path));
        var second = server.send(server.anonymously(path).header("If-None-Match", first.header("ETag")));
        var other = server.send(server.anonymously(path).header("If-None-Match", "\"other\""));

        assertThat(first.header("ETag")).matches("\"[0-9a-f]{32}\"");
        assertThat(second.status()).isEqualTo(304);
        assertThat(second.response().body()).isEmpty();
        assertThat(second.header("ETag")).isEqualTo(first.header("ETag"));
        assertThat(other.status()).isEqualTo(200);
    }
}
