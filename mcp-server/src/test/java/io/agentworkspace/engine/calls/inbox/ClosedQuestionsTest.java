package io.agentworkspace.engine.calls.inbox;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.unread;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.signin.SignedIn;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ann's agent Ada asks Ann. However the question is closed, it needs nobody, also where its message is still unread. */
class ClosedQuestionsTest {
    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.MEMBER, List.of("*"));
    private final TestCaller console = SignedIn.at(TestServer.url(), key);
    private final TestCaller rest = TestCaller.of(ClientApi.REST, key);
    private final TestCaller mcp = TestCaller.of(ClientApi.MCP, key);

    ClosedQuestionsTest() {
        agents(rest, "Ada");
    }

    private String ask(String more) {
        var id = rest.call("AP_Ask", "{'target':{'context':'Ada'},'content':'Deploy?'%s}".formatted(more))
                .ok()
                .text("/question/id");
        assertThat(kinds()).containsExactly("question");
        return id;
    }

    private List<String> kinds() {
        var inbox = console.call("US_Inbox").ok();
        assertThat(mcp.call("US_Inbox").ok().texts("/content", "kind"))
                .as("the same for a program")
                .isEqualTo(inbox.texts("/content", "kind"));
        assertThat(inbox.envelope().path("counts").size())
                .isEqualTo(inbox.at("/content").isEmpty() ? 0 : 1);
        return inbox.texts("/content", "kind");
    }

    private void isClosedAndUnread() {
        assertThat(kinds()).isEmpty();
        assertThat(unread(console, "default"))
                .as("as a message it was not read")
                .isEqualTo(1);
    }

    private TestCaller by(String endpoint) {
        return switch (endpoint) {
            case "MCP" -> mcp;
            case "REST" -> rest;
            default -> console;
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"MCP", "REST", "console"})
    void anAnsweredQuestionIsGone(String endpoint) {
        var question = ask(",'choices':['yes','no']");
        by(endpoint)
                .call("AP_Answer", "{'question':'%s','choice':'yes'}".formatted(question))
                .ok();
        isClosedAndUnread();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MCP", "REST", "console"})
    void anAnswerInWordsIsTheSame(String endpoint) {
        var question = ask("");
        by(endpoint)
                .call("AP_Answer", "{'question':'%s','content':'On Monday.'}".formatted(question))
                .ok();
        isClosedAndUnread();
    }

    /** Only who asked can take a question back. */
    @ParameterizedTest
    @ValueSource(strings = {"MCP", "REST"})
    void aWithdrawnQuestionIsGone(String endpoint) {
        var question = ask("");
        by(endpoint)
                .call("AP_Answer", "{'question':'%s','withdraw':true,'target':{'context':'Ada'}}".formatted(question))
                .ok();
        isClosedAndUnread();
    }

    @Test
    void anExpiredQuestionIsGone() {
        ask(",'expires_seconds':600");
        TestDatabase.db()
                .sql("UPDATE question SET expires_at = now() WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
        isClosedAndUnread();
    }

    @Test
    void aQuestionOfADestroyedAgentIsGone() {
        var question = ask("");
        rest.call("AP_Destroy", "{'target':{'agent':'Ada'}}").ok();
        isClosedAndUnread();
        console.call("AP_Answer", "{'question':'%s','content':'x'}".formatted(question))
                .refused(3003, "withdrawn");
    }

    /** Whoever has read the message has not answered it. */
    @Test
    void aQuestionThatWasOnlyReadStillWaits() {
        ask("");
        console.call("AP_Read", "{'inbox':true}").ok();
        assertThat(unread(console, "default")).isZero();
        assertThat(kinds()).containsExactly("question");
    }
}
