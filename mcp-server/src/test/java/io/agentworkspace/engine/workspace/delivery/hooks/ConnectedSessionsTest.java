package io.agentworkspace.engine.workspace.delivery.hooks;

import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.call;
import static io.agentworkspace.engine.workspace.delivery.hooks.HookFixture.tool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.TestServer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Only a session whose client is connected is woken, and a sub-agent hears nothing instead of its parent. */
class ConnectedSessionsTest {
    private static final String RESTART = "started while the engine was down";

    private final HookFixture it = new HookFixture();

    @BeforeEach
    void letBertWriteOften() {
        for (var agent : List.of("Ada", "Bert")) {
            call(
                    it.owner,
                    "AP_Modify",
                    "{'target':{'agent':'%s'},'guard':{'hops':64,'per_minute':600}}".formatted(agent));
        }
    }

    private String wakes() {
        return call(it.bert, "AP_Chat", "{'target':{'agent':'Ada'},'content':'x'}")
                .text("/receipt/wakes");
    }

    @Test
    void aSessionThatStartedBeforeTheEngineIsNotWokenAndItsNoticeSaysWhatToDo() {
        try (var lines = it.follow(TestServer.url(), "early&connected=no")) {
            assertThat(lines.status()).isEqualTo(200);
            assertThat(wakes()).isEqualTo("none");
            assertThat(it.announcement("early", "Stop", "")).isEmpty();
            assertThat(it.announcement("early", "UserPromptSubmit", ",'prompt':'x'"))
                    .contains("1 new message waits for the agent Ada: 1 from Bert. You cannot read it")
                    .contains(RESTART)
                    .contains("console")
                    .doesNotContain("AP_Wait");
            assertThat(wakes()).as("while its turn runs").isEqualTo("none");
            // Another session of the same key is woken.
            try (var other = it.follow(TestServer.url(), "late")) {
                assertThat(other.next()).endsWith("2 new messages from Bert; read them with AP_Wait");
                assertThat(wakes()).isEqualTo("stream");
            }
            // Its user has connected it again: it has used a tool.
            it.announcement("early", "PostToolUse", ",'tool_name':'mcp__agent-workspace__AP_List'");
            await().until(() -> it.streams() == 1 && wakes().equals("stream"));
            assertThat(lines.next()).contains("new messages from Bert; read them with AP_Wait");
        }
    }

    @Test
    void aHookThatCameOverMcpProvesTheConnection() {
        try (var lines = it.follow(TestServer.url(), "proven&connected=no")) {
            assertThat(wakes()).isEqualTo("none");
            tool(it.ada, "codex", "{'client':'codex','event':'SessionStart','session':'proven'}");
            await().until(() -> wakes().equals("stream"));
            assertThat(lines.next()).contains("read");
        }
    }

    @Test
    void aClientThatStartsAgainIsConnected() {
        try (var _ = it.follow(TestServer.url(), "again&connected=no")) {
            it.announcement("again", "SessionStart", ",'source':'clear'");
            it.say("x");
            assertThat(it.announcement("again", "UserPromptSubmit", ",'prompt':'x'"))
                    .contains(RESTART);
            it.announcement("again", "SessionStart", ",'source':'resume'");
            it.say("x");
            assertThat(it.announcement("again", "UserPromptSubmit", ",'prompt':'x'"))
                    .contains("Read it with AP_Wait");
        }
    }

    @Test
    void theParameterTakesNoOtherValue() {
        try (var lines = it.follow(TestServer.url(), "s&connected=yes")) {
            assertThat(lines.status()).isEqualTo(422);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'agent_id':'a1'",
                "'agent_id':'a1','agent_type':'Explore'",
                "'agentId':'a1'",
                "'agent_id':7",
                "'parent_tool_use_id':'t1'",
                "'is_sidechain':true"
            })
    void aSubAgentTakesNothingFromItsParent(String mark) {
        for (var client : new String[] {"claude-code", "codex"}) {
            var session = client + mark.hashCode();
            it.hook(client, event("UserPromptSubmit", session, "'prompt':'x'"));
            it.say("one");
            for (var name : new String[] {
                "UserPromptSubmit", "PostToolUse", "Stop", "SessionStart", "SessionEnd", "SubagentStop"
            }) {
                assertThat(it.hook(client, event(name, session, mark))).as(name).isEmpty();
            }
            assertThat(wakes()).as("the turn of the parent still runs").isEqualTo("hook");
            assertThat(it.hook(client, event("PostToolUse", session, "'tool_name':'Bash'"))
                            .toString())
                    .contains("2 new messages wait for the agent Ada: 2 from Bert");
            call(it.ada, "AP_Read", "{}");
            it.hook(client, event("SessionEnd", session, "'reason':'other'"));
        }
    }

    /** The main agent can have a type, too. */
    @Test
    void aSessionWithATypeIsNoSubAgent() {
        it.say("one");
        assertThat(it.announcement(
                        "typed", "UserPromptSubmit", ",'prompt':'x','agent_type':'reviewer','agent_id':null"))
                .contains("1 new message waits");
    }

    private static String event(String name, String session, String more) {
        return "{'hook_event_name':'%s','session_id':'%s',%s}".formatted(name, session, more);
    }
}
