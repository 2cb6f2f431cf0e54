package io.agentworkspace.engine.memory.documents;

import static io.agentworkspace.engine.memory.documents.DocumentFixture.submitted;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Events;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.HangLimit;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Documents as resources of MCP. */
@Tag("slow")
class DocumentResourcesTest {
    private static final String GUIDE = "engine://documents/Gr%C3%B6%C3%9Fe%20%2B%201.md";

    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.person(ClientApi.MCP, "ann", Role.MEMBER);
    private final RawMcpClient reader = peer("rita", List.of("document:read"));

    private RawMcpClient peer(String name, List<String> capabilities) {
        return new RawMcpClient(TestServer.url() + "/mcp", tenant.key(ClientApi.MCP, name, Role.MEMBER, capabilities));
    }

    private static List<String> listed(RawMcpClient peer) {
        return peer.modern("resources/list", "{}")
                .at("/result/resources")
                .valueStream()
                .map(resource -> resource.path("uri").asString())
                .filter(uri -> uri.startsWith("engine://"))
                .toList();
    }

    private static JsonNode read(RawMcpClient peer, String uri) {
        return peer.modern("resources/read", "{'uri': '%s'}".formatted(uri));
    }

    private static JsonNode content(JsonNode answer) {
        return Json.read(answer.at("/result/contents/0/text").asString("").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void eachNameIsAResourceForThoseWhoMayReadDocuments() {
        submitted(ann, "Größe + 1.md", "# Sizes\n\nThe first edition of it.");
        submitted(ann, "größe + 1.md", "# Sizes\n\nThe second edition of it.");
        submitted(ann, "copy.txt", "# Sizes\n\nThe second edition of it.");
        assertThat(listed(reader)).containsExactly("engine://documents/copy.txt", GUIDE.replace("Gr", "gr"));
        var guide = content(read(reader, GUIDE));
        assertThat(guide.at("/document/version").asInt()).isEqualTo(2);
        assertThat(guide.path("text").asString()).isEqualTo("# Sizes\n\nThe second edition of it.");
        var rejected = content(read(reader, "engine://documents/copy.txt"));
        assertThat(rejected.at("/document/state").asString()).isEqualTo("rejected");
        assertThat(rejected.has("text")).isFalse();
        for (var other : List.of(
                peer("nell", List.of("bank:read")),
                new RawMcpClient(
                        TestServer.url() + "/mcp",
                        new TestTenant().key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*"))))) {
            assertThat(listed(other)).noneMatch(uri -> uri.startsWith("engine://documents"));
            assertThat(read(other, GUIDE).at("/error/code").asInt()).isEqualTo(-32602);
        }
    }

    @Test
    void whatIsNoDocumentIsNotFound() {
        for (var uri : List.of(
                "engine://documents/",
                "engine://documents/none.md",
                "engine://documents/a/b",
                "engine://documents/%zz",
                "engine://documents/" + "x".repeat(300))) {
            assertThat(read(reader, uri).at("/error/code").asInt()).as(uri).isEqualTo(-32602);
        }
    }

    @Test
    void namesAreCompleted() {
        submitted(ann, "guide.md", "A guide with some words.");
        submitted(ann, "Guide.md", "A guide with other words.");
        submitted(ann, "notes.md", "Notes with some words.");
        var templates = reader.modern("resources/templates/list", "{}").at("/result/resourceTemplates");
        assertThat(templates.valueStream().map(each -> each.path("uriTemplate").asString()))
                .contains("engine://documents/{document}");
        var completed = reader.modern(
                "completion/complete",
                "{'ref': {'type': 'ref/resource', 'uri': 'engine://documents/{document}'},"
                        + " 'argument': {'name': 'document', 'value': 'gu'}}");
        assertThat(completed.at("/result/completion/values").valueStream().map(JsonNode::asString))
                .containsExactly("Guide.md");
    }

    @Test
    void subscribersHearOfNewVersions() {
        submitted(ann, "plan.md", "The plan as it was.");
        var uri = "engine://documents/plan.md";
        var filter = "{'notifications': {'resourceSubscriptions': ['%s']}}".formatted(uri);
        try (var events = reader.events("subscriptions/listen", filter)) {
            assertThat(events.poll(HangLimit.TIME)
                            .at("/params/notifications/resourceSubscriptions/0")
                            .asString())
                    .isEqualTo(uri);
            submitted(ann, "plan.md", "The plan as it is now.");
            assertThat(nextUri(events)).isEqualTo(uri);
        }
    }

    private static String nextUri(Events events) {
        return events.poll(HangLimit.TIME).at("/params/uri").asString("");
    }
}
