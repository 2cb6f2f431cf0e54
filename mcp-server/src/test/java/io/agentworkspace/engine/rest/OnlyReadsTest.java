package io.agentworkspace.engine.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.testing.ToolCases;
import io.agentworkspace.engine.testing.ToolCases.ToolCase;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * GET /api/mcp/tools lists a tool exactly if the caller may make any call of it, and with {@code only_reads} exactly if it may
 * not make every call.
 */
class OnlyReadsTest {
    @ParameterizedTest
    @CsvSource({"VIEWER, *, true", "MEMBER, bank:read document:read, true", "MEMBER, *, false", "OWNER, *, false"})
    void theListAgreesWithWhatIsRefused(Role role, String capabilities, boolean has) {
        var key = new TestTenant().key(ClientApi.REST, "someone", role, List.of(capabilities.split(" ")));
        var only = new TreeSet<String>();
        var whole = new TreeSet<String>();
        for (var tool : ToolCases.all()) {
            var refused = tool.access().stream()
                    .filter(line -> !line.group().startsWith("user.")) // That is another right: to act for somebody.
                    .map(line -> isRefused(key, tool, line.call()))
                    .collect(Collectors.toSet());
            if (refused.contains(false)) {
                (refused.contains(true) ? only : whole).add(tool.tool());
            }
        }
        assertThat(listed(key, true)).isEqualTo(only);
        assertThat(listed(key, false)).isEqualTo(whole);
        assertThat(whole).isNotEmpty();
        assertThat(only.isEmpty()).isEqualTo(!has);
    }

    private static TreeSet<String> listed(String key, boolean onlyReads) {
        var response = ClientApi.send(HttpRequest.newBuilder(URI.create(TestServer.url() + "/api/mcp/tools"))
                .header("X-Api-Key", key)
                .build());
        return Json.readObject(response.body())
                .path("tools")
                .valueStream()
                .filter(tool -> tool.has("family")) // The tools that find, describe and run others have none.
                .filter(tool -> tool.path("only_reads").asBoolean(false) == onlyReads)
                .map(tool -> tool.path("name").asString())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns whether the role or the capabilities forbid the call. Nothing has the names in it, so an allowed call fails, or creates something. */
    private static boolean isRefused(String key, ToolCase tool, String call) {
        var arguments = call.replace("#", UUID.randomUUID().toString())
                .replaceAll("\\$\\w?", "nothing")
                .replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8);
        var response = ClientApi.post(
                "%s/api/mcp/tools/%s/invoke".formatted(TestServer.url(), tool.tool()), key, arguments, Map.of());
        var status = Json.readObject(response.body()).path("status");
        return status.path("error").asString("").equals("not_permitted")
                && status.path("note").asString("").matches("(?s).*(your role is|your key lacks the capability).*");
    }
}
