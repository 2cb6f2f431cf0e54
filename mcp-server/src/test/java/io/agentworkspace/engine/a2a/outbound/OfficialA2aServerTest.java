package io.agentworkspace.engine.a2a.outbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent that lives at a server of the official A2A library for JavaScript, over both transports. */
@Tag("slow")
class OfficialA2aServerTest {
    @ParameterizedTest
    @ValueSource(strings = {"JSONRPC", "HTTP+JSON"})
    void itTakesMessagesAndAnswers(String transport) {
        Node.require();
        var ann = new TestTenant().person(ClientApi.REST, "ann", Role.ADMIN);
        var server = Node.start("a2a-server.mjs", Map.of("TRANSPORT", transport));
        try {
            ann.call(
                            "AP_Create",
                            "{'vx':{'name':'Grace','description':'Elsewhere.'},'remote':{'url':'http://127.0.0.1:%d'}}"
                                    .formatted(server.port()))
                    .ok();
            for (var said : List.of("now", "later", "ask", "At Dover")) {
                var answer = ann.call(
                                "AP_Chat",
                                "{'target':{'agent':'Grace'},'content':'%s','wait_seconds':120}".formatted(said))
                        .ok();
                assertThat(answer.text("/content/1/content"))
                        .isEqualTo(said.equals("ask") ? "At which place?" : "Heard: " + said);
            }
        } finally {
            server.process().destroy();
        }
    }
}
