package io.agentworkspace.engine.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import tools.jackson.databind.JsonNode;

/** The served document is complete: every operation has all that readers and client generators need. */
@DisabledIfSystemProperty(
        named = "golden",
        matches = "update",
        disabledReason = "what is served has the examples from before")
class OpenApiExamplesTest {
    private static final Contract CONTRACT = Contract.at(TestServer.url());

    /** For developers who add an operation and fail these tests. */
    static final String NEEDS = """
            An operation of the OpenAPI document needs: an operationId like agentCreate; one of the tags; a summary and a \
            description that is a sentence and no copy of it; an example of its body and of each answer that has one, valid by \
            their schemas; a description of each parameter, and an example of each that is needed; an object of its own name \
            for each schema (NamedSchemas); at least one refusal in 4xx and 500, with Problem or Refusal. A tool gets all of \
            that from its records, and the answer from ExamplesTest; a route of RestFacade says it itself, as in JoinRoutes, \
            and gets the answer from RouteAnswersTest: run these with -Dgolden=update.""";

    @Test
    void everyOperationSaysWhatItDoes() {
        assertThat(CONTRACT.operations()).hasSizeGreaterThan(80).allSatisfy(operation -> {
            var id = operation.path("operationId").asString("");
            var summary = operation.path("summary").asString("");
            var description = operation.path("description").asString("");
            assertThat(id).as(NEEDS).matches("[a-z][a-z]*([A-Z][a-z]*)*");
            assertThat(operation.path("tags").size()).as("%s: %s", id, NEEDS).isEqualTo(1);
            assertThat(summary).as("%s: %s", id, NEEDS).isNotBlank();
            assertThat(description).as("%s: %s", id, NEEDS).contains(" ").isNotEqualTo(summary);
            for (var parameter : operation.path("parameters")) {
                assertThat(parameter.has("$ref")
                                || (parameter.has("description")
                                        && (parameter.has("example")
                                                || !parameter.path("required").asBoolean())))
                        .as("%s of %s: %s", parameter, id, NEEDS)
                        .isTrue();
            }
        });
    }

    @Test
    void everyOperationTellsHowItMayBeRefused() {
        assertThat(CONTRACT.operations()).allSatisfy(operation -> {
            var id = operation.path("operationId").asString("");
            var responses = operation.path("responses");
            assertThat(responses.propertyNames())
                    .as("%s: %s", id, NEEDS)
                    .contains("500")
                    .anyMatch(status -> status.startsWith("4"));
            for (var response : responses.properties()) {
                var whole = resolved(response.getValue());
                assertThat(whole.path("headers").has("X-Request-Id"))
                        .as("%s: %s", id, NEEDS)
                        .isTrue();
                if (response.getKey().compareTo("400") >= 0) {
                    assertThat(whole.path("content")
                                    .valueStream()
                                    .map(content -> content.at("/schema/title").asString()))
                            .as("%s %s: %s", id, response.getKey(), NEEDS)
                            .isNotEmpty()
                            .isSubsetOf(
                                    "OAuthError", // Of the authorization server.
                                    "Health", // Of an engine that is not ready.
                                    "Problem",
                                    "Refusal",
                                    "RpcError");
                }
            }
        });
    }

    @Test
    void everyBodyHasAnExampleThatIsValidByItsSchema() {
        var faults = new ArrayList<String>();
        var examples = contents();
        for (var content : examples) {
            var name = content.at("/schema/title").asString("");
            if (!content.has("example")) {
                faults.add("no example of " + content);
            } else if (!name.isEmpty()) {
                CONTRACT.faultsBySchema(name, content.get("example")).forEach(fault -> faults.add(name + " " + fault));
            }
        }
        assertThat(examples).hasSizeGreaterThan(200);
        assertThat(faults).as(NEEDS).isEmpty();
    }

    @Test
    void everyEventThatIsSentIsDescribed() {
        var webhooks = CONTRACT.document().path("webhooks");
        assertThat(webhooks.propertyNames()).containsExactlyElementsOf(EventType.words());
        for (var type : EventType.values()) {
            var content = webhooks.path(type.word()).at("/post/requestBody/content/application~1json");
            assertThat(content.at("/example/type").asString()).isEqualTo(type.word());
            assertThat(CONTRACT.faultsBySchema(content.at("/schema/title").asString(), content.get("example")))
                    .as(type.word())
                    .isEmpty();
        }
    }

    @Test
    void aRouteThatReturnsAFileSaysSo() {
        assertThat(CONTRACT.operations()
                        .filter(operation ->
                                operation.at("/responses/200/content").has("*/*"))
                        .map(operation -> operation.path("operationId").asString()))
                .contains("documentRead");
    }

    /** The generic route's request has every field of every command. */
    @Test
    void theGenericRequestHasAllFieldsOfAllCommands() {
        var generic = CONTRACT.schemas().get("CommandRequest").get("properties").propertyNames();
        for (var operation : CONTRACT.operations().toList()) {
            var schema = operation.at("/requestBody/content/application~1json/schema");
            if (operation
                    .path("responses")
                    .path("400")
                    .path("$ref")
                    .asString("")
                    .endsWith("/Command400")) {
                assertThat(generic)
                        .as(schema.path("title").asString(""))
                        .containsAll(schema.path("properties").propertyNames());
            }
        }
    }

    @Test
    void everyObjectHasANameOfItsOwn() {
        var anonymous = new ArrayList<String>();
        for (var schema : CONTRACT.schemas().entrySet()) {
            for (var property : schema.getValue().path("properties").properties()) {
                if (isAnonymous(property.getValue())
                        || isAnonymous(property.getValue().path("items"))) {
                    anonymous.add(schema.getKey() + "." + property.getKey());
                }
            }
        }
        assertThat(anonymous).as(NEEDS).isEmpty();
    }

    private static boolean isAnonymous(JsonNode schema) {
        return schema.has("properties") && !schema.has("title");
    }

    /** Returns all contents of requests and responses. */
    private static List<JsonNode> contents() {
        var found = new ArrayList<JsonNode>();
        CONTRACT.operations().forEach(operation -> {
            operation.at("/requestBody/content").forEach(found::add);
            operation
                    .path("responses")
                    .forEach(response -> resolved(response).path("content").forEach(found::add));
        });
        return found;
    }

    private static JsonNode resolved(JsonNode response) {
        var reference = response.path("$ref").asString("");
        return reference.isEmpty() ? response : CONTRACT.document().at(reference.substring(1));
    }
}
