package io.agentworkspace.engine.mcp.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * The command line of the Inspector, with a process and a session for each step. It cannot listen or complete, but it
 * checks the tools' schemas and the skills' digests closely.
 *
 * @param mode the era that it uses
 */
record InspectorClient(String mode) implements OfficialClient {
    private static final String PACKAGE = "@modelcontextprotocol/inspector";
    private static final int DONE = 0;
    private static final int TOOL_FAILED = 5;

    @Override
    public String name() {
        return PACKAGE;
    }

    @Override
    public String version() {
        return Node.version(PACKAGE);
    }

    @Override
    public List<String> steps() {
        var steps = new ArrayList<>(STEPS);
        steps.removeAll(List.of("told", "complete"));
        steps.add("skills");
        return steps;
    }

    @Override
    public SessionTranscript talk(String url, String key, String agent) {
        return SessionTranscript.of(steps -> {
            var cli = new Cli(url, key, mode);
            var initialized = cli.result("initialize");
            steps.put(
                    "connect",
                    Json.object()
                            .put("version", initialized.path("protocolVersion").asString(""))
                            .put("server", initialized.at("/serverInfo/name").asString("")));
            steps.put("tools", all(cli.result("tools/list", "--strict").path("tools"), "name"));
            steps.put("read", cli.tool(DONE, "US_Read", "{}"));
            steps.put(
                    "write",
                    cli.tool(DONE, "AP_Create", "{'vx': {'name': '%s', 'description': 'A test agent.'}}", agent));
            steps.put("refused", cli.tool(TOOL_FAILED, "AP_Read", "{'target': {'agent': 'nobody there'}}"));
            steps.put("resources", all(cli.result("resources/list").path("resources"), "uri"));
            steps.put("skill", cli.result("resources/read", "--uri", "skill://first-steps/SKILL.md"));
            steps.put("agent", cli.result("resources/read", "--uri", "engine://agents/" + agent));
            steps.put(
                    "prompt",
                    cli.result("prompts/get", "--prompt-name", "first-steps", "--prompt-args", "task=Make an agent."));
            steps.put("skills", cli.verifiedSkills());
        });
    }

    private static JsonNode all(JsonNode items, String field) {
        var texts = JsonNodeFactory.instance.arrayNode();
        items.forEach(item -> texts.add(item.get(field)));
        return texts;
    }

    private record Cli(String url, String key, String era) {
        JsonNode result(String method, String... more) {
            return read(run(DONE, method, more)).get("result");
        }

        JsonNode tool(int code, String tool, String arguments, Object... filled) {
            var json = arguments.formatted(filled).replace('\'', '"');
            return read(run(code, "tools/call", "--tool-name", tool, "--tool-args-json", json))
                    .get("result");
        }

        /** Returns a report for each skill. */
        JsonNode verifiedSkills() {
            var reports = JsonNodeFactory.instance.arrayNode();
            run(DONE, "skills/list", "--verify").lines().map(Cli::read).forEach(reports::add);
            return reports;
        }

        private static JsonNode read(String text) {
            return Json.read(text.getBytes(StandardCharsets.UTF_8));
        }

        private String run(int code, String method, String... more) {
            var program = Node.module(PACKAGE).resolve("clients/launcher/build/index.js");
            var command =
                    new ArrayList<>(List.of(program.toString(), "--cli", "--server-url", url, "--transport", "http"));
            command.addAll(List.of("--header", "X-API-Key: " + key, "--protocol-era", era));
            command.addAll(List.of("--format", "json", "--method", method));
            command.addAll(List.of(more));
            var ended = Node.run(Map.of(), command);
            assertThat(ended.code()).as(method + ": " + ended.errors()).isEqualTo(code);
            return ended.output();
        }
    }
}
