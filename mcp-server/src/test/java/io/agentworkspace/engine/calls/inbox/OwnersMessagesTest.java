package io.agentworkspace.engine.calls.inbox;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static io.agentworkspace.engine.testing.DomainSetup.domain;
import static io.agentworkspace.engine.testing.DomainSetup.enter;
import static io.agentworkspace.engine.testing.DomainSetup.invite;
import static io.agentworkspace.engine.testing.DomainSetup.say;
import static io.agentworkspace.engine.testing.DomainSetup.unread;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.identity.signin.SignedIn;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Ann has a program with a key that is bound to no agent. What it reads still waits for Ann. */
class OwnersMessagesTest {
    private final TestTenant tenant = new TestTenant();

    /** The same user: as a person at the console, and as a program. */
    private record User(TestCaller person, TestCaller program) {
        /** Returns the texts of the messages that need this person. */
        List<String> needs() {
            return person.call("US_Inbox").ok().texts("/content", "text");
        }
    }

    private User ann(ClientApi api) {
        var key = tenant.key(api, "ann", Role.MEMBER, List.of("*"));
        var ann = new User(
                SignedIn.at(TestServer.url(), key),
                (service, arguments) -> api.call(TestServer.url(), key, service, arguments));
        agents(ann.program(), "Ada", "Ben");
        domain(ann.program(), "Den", "private");
        invite(ann.program(), "Den", "Ada").ok();
        enter(ann.person(), "default", "Den", "main").ok();
        for (var text : List.of("one", "two")) {
            tell(ann, text);
        }
        say(ann.program(), "Ada", "Den", "main", "in the zone").ok();
        return ann;
    }

    private static String tell(User ann, String text) {
        return ann.program()
                .call("AP_Chat", "{'target':{'context':'Ada'},'to_user':true,'content':'%s'}".formatted(text))
                .ok()
                .text("/content/0/id");
    }

    @ParameterizedTest
    @EnumSource
    void whatAProgramReadsStillWaitsForItsOwner(ClientApi api) {
        var ann = ann(api);
        var question = ann.program()
                .call("AP_Chat", "{'target':{'agent':'Ada'},'content':'Which?'}")
                .ok()
                .text("/content/0/id");
        var answer = ann.program()
                .call(
                        "AP_Chat",
                        "{'target':{'context':'Ada'},'content':'The red one.','reply_to':'%s'}".formatted(question))
                .ok()
                .text("/content/0/id");
        for (var call : List.of(
                "AP_Read {}",
                "AP_Read {'inbox':true}",
                "AP_Read {'page':{'limit':1}}",
                "AP_Read {'thread':'%s'}".formatted(answer),
                "AP_Read {'inbox':true,'thread':'%s'}".formatted(answer),
                "AP_Wait {'wait_seconds':0}",
                "AP_Wait {'wait_seconds':0,'target':{'agent':'Ada'}}",
                "AP_Wait {'wait_seconds':0,'reply_to':'%s'}".formatted(question),
                "AP_Wait {'wait_seconds':0,'target':{'domain':'Den'}}",
                "ZN_Read {'target':{'domain':'Den'}}",
                "AP_Chat {'target':{'agent':'Ada'},'content':'And?','wait_seconds':0}",
                "AP_Chat {'target':{'agent':'Ada'},'content':'And?','idempotency_key':'once'}",
                "AP_Search {'content':'red'}")) {
            var parts = call.split(" ", 2);
            var reply = ann.program().call(parts[0], parts[1]).ok();
            assertThat(reply.at("/content")).as(call).isNotEmpty();
            if (parts[0].equals("AP_Wait")) {
                assertThat(reply.text("/next")).contains("stay unread", "'ann'", "AP_LogOn");
            }
            assertThat(ann.needs()).as(call).containsExactly("The red one.", "two", "one");
            assertThat(unread(ann.person(), "default")).as(call).isEqualTo(4);
        }
        assertThat(ann.program()
                        .call("AP_Read", "{'target':{'agent':'Ada'}}")
                        .ok()
                        .at("/content")
                        .valueStream())
                .isNotEmpty()
                .noneMatch(message -> message.path("to").asString("").equals("ann") && message.has("read_at"));
    }

    @ParameterizedTest
    @EnumSource
    void theOwnerTakesThemByReading(ClientApi api) {
        var ann = ann(api);
        ann.person().call("ZN_Read", "{'target':{'domain':'Den'}}").ok();
        assertThat(unread(ann.person(), "default")).isEqualTo(2);
        ann.person().call("AP_Read", "{'inbox':true}").ok();
        assertThat(ann.needs()).isEmpty();
        tell(ann, "three");
        assertThat(ann.person()
                        .call("AP_Wait", "{'wait_seconds':0}")
                        .ok()
                        .envelope()
                        .has("next"))
                .isFalse();
        assertThat(ann.needs()).isEmpty();
    }

    /** An agent's messages are its own, whichever key acts as it. */
    @ParameterizedTest
    @EnumSource
    void aProgramThatIsLoggedOnTakesWhatWaitsForTheAgent(ClientApi api) {
        var ann = ann(api);
        ann.program()
                .call("AP_Chat", "{'target':{'agent':'Ben','context':'Ada'},'content':'hi'}")
                .ok();
        assertThat(unread(ann.program(), "Ben")).isEqualTo(1);
        ann.program().call("AP_Read", "{'target':{'agent':'Ben'}}").ok();
        assertThat(unread(ann.program(), "Ben")).isEqualTo(1);
        ann.program()
                .call("AP_Wait", "{'target':{'context':'Ben'},'wait_seconds':0}")
                .ok();
        assertThat(unread(ann.program(), "Ben")).isZero();
        assertThat(ann.needs()).containsExactly("two", "one");
    }

    /** A program may answer for its owner; only the owner marks a message as read. */
    @ParameterizedTest
    @EnumSource
    void anAnswerByAProgramTakesTheMessage(ClientApi api) {
        var ann = ann(api);
        assertThat(actions(ann.program())).containsExactly("reply");
        assertThat(actions(ann.person())).containsExactly("reply", "mark as read");
        deal(ann.person(), "mark as read", "");
        assertThat(ann.needs()).containsExactly("one");
        deal(ann.program(), "reply", "Thanks.");
        assertThat(ann.needs()).isEmpty();
    }

    private static Stream<JsonNode> offered(TestCaller caller) {
        return caller.call("US_Inbox").ok().at("/content/0/actions").valueStream();
    }

    private static List<String> actions(TestCaller caller) {
        return offered(caller).map(action -> action.path("name").asString()).toList();
    }

    private static void deal(TestCaller caller, String name, String content) {
        var action = offered(caller)
                .filter(one -> one.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
        var arguments = (ObjectNode) action.path("arguments").deepCopy();
        if (!content.isEmpty()) {
            arguments.put("content", content);
        }
        caller.call(action.path("tool").asString(), arguments).ok();
    }
}
