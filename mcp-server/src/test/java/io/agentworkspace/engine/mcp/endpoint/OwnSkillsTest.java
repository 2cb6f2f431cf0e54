package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.SkillZip;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A tenant's own skills at the MCP endpoint: listed with the shipped ones, for callers who may read skills. */
class OwnSkillsTest {
    private static final String MAIN = "{'uri': 'skill://tides/SKILL.md'}";

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.MCP, "root", Role.ADMIN, List.of("*"));
    private final RawMcpClient root = new RawMcpClient(TestServer.url() + "/mcp", key);

    private void add(String body) {
        var zip = SkillZip.of("tides", body)
                .with("references/größe (neu).md", "Groß.")
                .with("logo.bin", new byte[] {0, 1});
        ClientApi.MCP
                .call(
                        TestServer.url(),
                        key,
                        "SK_Add",
                        RawMcpClient.json("{'archive': '%s', 'replace': true}".formatted(zip.base64())))
                .ok();
    }

    private static List<String> texts(JsonNode list, String field) {
        return list.valueStream().map(one -> one.path(field).asString()).toList();
    }

    @Test
    void itIsListedReadWalkedAndCompleted() {
        add("# Tides\n\nAsk.");
        var entries = root.modern("skills/list", "{}").at("/result/skills");
        assertThat(entries.size()).isEqualTo(6);
        var entry = entries.get(5);
        assertThat(texts(entry.path("resources"), "uri"))
                .containsExactly(
                        "skill://tides/SKILL.md",
                        "skill://tides/logo.bin",
                        "skill://tides/references/gr%C3%B6%C3%9Fe%20%28neu%29.md");
        assertThat(root.modern("skills/get", MAIN).at("/result/skill")).isEqualTo(entry);
        assertThat(texts(
                        root.modern("resources/directory/read", "{'uri': 'skill://tides'}")
                                .at("/result/resources"),
                        "name"))
                .containsExactly("tides", "logo.bin", "references");
        assertThat(texts(root.modern("resources/list", "{}").at("/result/resources"), "uri"))
                .contains("skill://tides/SKILL.md", "skill://tides/logo.bin");
        assertThat(read("skill://tides/references/gr%C3%B6%C3%9Fe%20%28neu%29.md", "text"))
                .isEqualTo("Groß.");
        assertThat(read("skill://tides/logo.bin", "blob")).isEqualTo("AAE=");
        var prompts = root.modern("prompts/list", "{}").at("/result/prompts");
        assertThat(prompts.at("/5/title").asString()).isEqualTo("Tides");
        var prompt = root.modern("prompts/get", "{'name': 'tides', 'arguments': {'task': 'Now.'}}");
        assertThat(prompt.at("/result/messages/0/content/text").asString())
                .contains("Ask.", "- logo.bin: skill://tides/logo.bin")
                .endsWith("The task: Now.");
        assertThat(completed("'argument': {'name': 'name', 'value': 't'}"))
                .isEqualTo("[\"team-with-shared-memory\",\"tides\"]");
        assertThat(completed("'argument': {'name': 'path', 'value': 'l'}, 'context': {'arguments': {'name': 'tides'}}"))
                .isEqualTo("[\"logo.bin\"]");
    }

    private String read(String uri, String field) {
        return root.modern("resources/read", "{'uri': '%s'}".formatted(uri))
                .at("/result/contents/0/" + field)
                .asString();
    }

    private String completed(String rest) {
        var params = "{'ref': {'type': 'ref/resource', 'uri': 'skill://{name}/{+path}'}, %s}".formatted(rest);
        return root.modern("completion/complete", params)
                .at("/result/completion/values")
                .toString();
    }

    @Test
    void whatIsNotThereIsNotFound() {
        add("Ask.");
        for (var uri : List.of(
                "skill://tides",
                "skill://tides/",
                "skill://tides/none.md",
                "skill://tides/%53KILL.md",
                "skill://tides/%00",
                "skill://other/SKILL.md")) {
            assertThat(root.modern("resources/read", "{'uri': '%s'}".formatted(uri))
                            .at("/error/code")
                            .asInt())
                    .as(uri)
                    .isEqualTo(-32602);
        }
        assertThat(root.modern("skills/get", "{'uri': 'skill://tide/SKILL.md'}")
                        .at("/error/message")
                        .asString())
                .contains("did you mean 'skill://tides/SKILL.md'?");
    }

    @Test
    void whoMayNotReadSkillsAndOtherTenantsSeeTheShippedOnesOnly() {
        add("Ask.");
        for (var stranger : List.of(
                tenant.key(ClientApi.MCP, "ann", Role.MEMBER, List.of("agent:read")),
                new TestTenant().key(ClientApi.MCP, "bob", Role.OWNER, List.of("*")))) {
            var peer = new RawMcpClient(TestServer.url() + "/mcp", stranger);
            assertThat(peer.modern("skills/list", "{}").at("/result/skills").size())
                    .isEqualTo(5);
            assertThat(peer.modern("resources/read", MAIN).has("error")).isTrue();
            assertThat(peer.modern("skills/get", MAIN).has("error")).isTrue();
            assertThat(peer.modern("prompts/get", "{'name': 'tides'}").has("error"))
                    .isTrue();
        }
    }

    @Test
    void changesAreToldOnEveryReplica() {
        add("One.");
        try (var other = Replica.start(Map.of());
                var events = new RawMcpClient(other.url() + "/mcp", key)
                        .events(
                                "subscriptions/listen",
                                "{'notifications': {'resourcesListChanged': true, 'promptsListChanged': true,"
                                        + " 'resourceSubscriptions': ['skill://tides/SKILL.md']}}")) {
            var acknowledged = events.next();
            assertThat(acknowledged
                            .at("/params/notifications/resourceSubscriptions/0")
                            .asString())
                    .isEqualTo("skill://tides/SKILL.md");
            add("Two.");
            var messages = List.of(events.next(), events.next(), events.next());
            assertThat(messages.stream().map(message -> message.path("method").asString()))
                    .containsExactlyInAnyOrder(
                            "notifications/resources/updated",
                            "notifications/resources/list_changed",
                            "notifications/prompts/list_changed");
        }
    }

    @Test
    void anAgentsResourceChangesWithItsSkills() {
        ClientApi.MCP
                .call(
                        TestServer.url(),
                        key,
                        "AP_Create",
                        RawMcpClient.json("{'vx': {'name': 'Ada', 'description': 'd'}}"))
                .ok();
        try (var events = root.events(
                "subscriptions/listen", "{'notifications': {'resourceSubscriptions': ['engine://agents/Ada']}}")) {
            events.next();
            ClientApi.MCP
                    .call(
                            TestServer.url(),
                            key,
                            "SK_Install",
                            RawMcpClient.json("{'name': 'first-steps', 'agent': 'Ada'}"))
                    .ok();
            assertThat(events.next("notifications/resources/updated")
                            .at("/params/uri")
                            .asString())
                    .isEqualTo("engine://agents/Ada");
        }
    }
}
