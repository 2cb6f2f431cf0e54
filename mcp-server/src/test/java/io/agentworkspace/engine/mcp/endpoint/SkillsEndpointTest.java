package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** Skills at the production endpoint, as clients of each era see them. */
class SkillsEndpointTest {
    private static final RawMcpClient PEER = new RawMcpClient(
            TestServer.url() + "/mcp", new TestTenant().key(ClientApi.MCP, "ada", Role.VIEWER, List.of("agent:read")));
    private static final String MAIN = "{'uri': 'skill://first-steps/SKILL.md'}";

    @ParameterizedTest
    @MethodSource("eras")
    void theExtensionListsGetsAndWalks(BiFunction<String, String, JsonNode> era) {
        var skills = era.apply("skills/list", "{}").at("/result/skills");
        assertThat(skills.size()).isEqualTo(5);
        assertThat(era.apply("skills/get", MAIN).at("/result/skill")).isEqualTo(skills.get(0));
        var children = era.apply("resources/directory/read", "{'uri': 'skill://first-steps'}")
                .at("/result/resources");
        assertThat(children.at("/0/uri").asString()).isEqualTo("skill://first-steps/SKILL.md");
        assertThat(children.at("/1/mimeType").asString()).isEqualTo("inode/directory");
        var listed = era.apply("resources/list", "{}").at("/result/resources");
        assertThat(listed.get(0)).isEqualTo(children.get(0));
        assertThat(era.apply("resources/read", MAIN)
                        .at("/result/contents/0/text")
                        .asString())
                .startsWith("---\nname: first-steps\n");
    }

    @ParameterizedTest
    @MethodSource("eras")
    void whatIsNoSkillAndNoFolderIsAWrongParameterInEveryEra(BiFunction<String, String, JsonNode> era) {
        var unknown = era.apply("skills/get", "{'uri': 'skill://first-step/SKILL.md'}")
                .get("error");
        assertThat(unknown.get("code").asInt()).isEqualTo(-32602);
        assertThat(unknown.get("message").asString()).contains("did you mean 'skill://first-steps/SKILL.md'?");
        for (var params : List.of(MAIN, "{'uri': 'skill://first-steps/'}", "{'uri': 'skill://none'}", "{}")) {
            assertThat(era.apply("resources/directory/read", params)
                            .at("/error/code")
                            .asInt())
                    .as(params)
                    .isEqualTo(-32602);
        }
        assertThat(era.apply("skills/list", "{'cursor': 'mine'}")
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32602);
    }

    @ParameterizedTest
    @MethodSource("eras")
    void everySkillIsAPrompt(BiFunction<String, String, JsonNode> era) {
        assertThat(era.apply("prompts/list", "{}").at("/result/prompts").size()).isEqualTo(5);
        var prompt = era.apply("prompts/get", "{'name': 'first-steps', 'arguments': {'task': 'Greet Ben.'}}");
        assertThat(prompt.at("/result/messages/0/content/text").asString())
                .contains("# First steps")
                .endsWith("The task: Greet Ben.");
    }

    @ParameterizedTest
    @MethodSource("eras")
    void namesAndPathsAreCompleted(BiFunction<String, String, JsonNode> era) {
        assertThat(completed(era, "'argument': {'name': 'name', 'value': 'st'}"))
                .isEqualTo("[\"stay-within-limits\"]");
        assertThat(completed(era, """
                        'argument': {'name': 'path', 'value': 'ref'}, 'context': {'arguments': {'name': 'first-steps'}}"""))
                .isEqualTo("[\"references/contexts.md\",\"references/domains.md\",\"references/errors.md\"]");
        var task = era.apply("completion/complete", """
                {'ref': {'type': 'ref/prompt', 'name': 'first-steps'}, 'argument': {'name': 'task', 'value': 'x'}}""");
        assertThat(task.at("/result/completion/values").size()).isZero();
    }

    private static String completed(BiFunction<String, String, JsonNode> era, String rest) {
        var params = "{'ref': {'type': 'ref/resource', 'uri': 'skill://{name}/{+path}'}, %s}".formatted(rest);
        return era.apply("completion/complete", params)
                .at("/result/completion/values")
                .toString();
    }

    @Test
    void theExtensionIsDeclaredAndItsResultsSayHowLongTheyKeep() {
        var declared = PEER.modern("server/discover", "{}")
                .at("/result/capabilities/extensions/io.modelcontextprotocol~1skills");
        assertThat(declared.toString()).isEqualTo("{\"directoryRead\":true}");
        for (var method : List.of("skills/list", "skills/get", "resources/read")) {
            var result = PEER.modern(method, method.equals("skills/list") ? "{}" : MAIN)
                    .get("result");
            assertThat(result.get("ttlMs").asLong()).as(method).isPositive();
            assertThat(result.get("cacheScope").asString()).as(method).isEqualTo("private");
        }
    }

    private static Stream<BiFunction<String, String, JsonNode>> eras() {
        return Stream.of(PEER::modern, PEER.session("2025-11-25", "{}")::call);
    }
}
