package io.agentworkspace.engine.kernel.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is kept of a context counts only as long as it is stored, whoever changes it and where. */
class ContextsTest {
    private final String key = new TestTenant().key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*"));

    private Reply call(String url, String service, String arguments) {
        var fields = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.MCP.call(url, key, service, fields).ok();
    }

    private Reply call(String service, String arguments) {
        return call(TestServer.url(), service, arguments);
    }

    /** Reads and writes twice, so that the context is kept. */
    private void prepare() {
        for (var name : List.of("Ada", "Bob")) {
            call("AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(name));
        }
        for (var i = 0; i < 2; i++) {
            assertThat(call("AP_Read", "{'target':{'agent':'Bob'}}")
                            .at("/header/context")
                            .has("agent"))
                    .isFalse();
            call("MB_Create", "{'vx':{'name':'bank %d'}}".formatted(i));
        }
    }

    @Test
    void whatAnotherReplicaSelectsIsSelectedHere() throws Exception {
        prepare();
        try (var other = TestServer.replica()) {
            call(other.url(), "AP_Select", "{'target':{'agent':'Ada'}}");
        }
        assertThat(call("AP_Read", "{'target':{'agent':'Bob'}}").text("/header/context/agent"))
                .isEqualTo("Ada");
        assertThat(call("MB_Create", "{'vx':{'name':'another'}}").text("/header/context/agent"))
                .isEqualTo("Ada");
    }

    @Test
    void aDomainThatIsEnteredElsewhereIsSelectedHere() throws Exception {
        prepare();
        try (var other = TestServer.replica()) {
            call(other.url(), "DM_Create", "{'target':{'agent':'Ada'},'vx':{'name':'Yard','description':'d'}}");
            call(other.url(), "ZN_Enter", "{'target':{'domain':'Yard'}}");
        }
        assertThat(call("AP_Read", "{'target':{'agent':'Bob'}}").text("/header/context/domain"))
                .isEqualTo("Yard");
    }

    @Test
    void unreadMessagesAreCountedWhoeverSpeaks() {
        prepare();
        call("AP_LogOn", "{'target':{'agent':'Ada'}}");
        call("AP_Chat", "{'target':{'agent':'Bob'},'content':'hello'}");
        call("AP_LogOff", "{}");
        call("AP_LogOn", "{'target':{'agent':'Bob'}}");
        assertThat(call("AP_Read", "{'target':{'agent':'Ada'}}")
                        .at("/header/unread")
                        .asInt())
                .isEqualTo(1);
        assertThat(call("MB_Create", "{'vx':{'name':'last'}}")
                        .at("/header/unread")
                        .asInt())
                .isEqualTo(1);
    }
}
