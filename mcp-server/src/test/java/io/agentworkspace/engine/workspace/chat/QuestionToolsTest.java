package io.agentworkspace.engine.workspace.chat;

import static io.agentworkspace.engine.testing.DomainSetup.agents;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Ann's agents Ada and Ala ask, Bob's agent Ben and Ann herself answer. */
class QuestionToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    QuestionToolsTest() {
        agents(ann, "Ada", "Ala");
        agents(bob, "Ben");
        bob.call("AP_Modify", "{'target':{'agent':'Ben'},'vx':{'access':'public'}}")
                .ok();
    }

    private static Reply ask(TestCaller caller, String as, String more) {
        return caller.call("AP_Ask", "{'target':{'context':'%s'%s}".formatted(as, more))
                .ok();
    }

    private static Reply answer(TestCaller caller, String as, String question, String more) {
        return caller.call("AP_Answer", "{'question':'%s','target':{'context':'%s'},%s}".formatted(question, as, more));
    }

    @Test
    void anAgentAsksItsOwnerAndGetsTheFirstAnswer() {
        var question = ask(ann, "Ada", "},'content':'Deploy?','choices':['yes',' no ']");
        assertThat(question.text("/content/0/to")).isEqualTo("ann");
        assertThat(question.text("/question/state")).isEqualTo("open");
        var id = question.text("/question/id");
        assertThat(id).isEqualTo(question.text("/content/0/id"));
        var waiting = ann.call("AP_Wait", "{'wait_seconds':0}").ok();
        assertThat(waiting.text("/content/0/question/id")).isEqualTo(id);
        assertThat(waiting.text("/content/0/question/choices/1")).isEqualTo("no");
        answer(ann, "default", id, "'choice':'perhaps'").refused(1004, "yes, no");
        answer(ann, "Ada", id, "'choice':'yes'").refused(3003, "yourself");
        answer(bob, "Ben", id, "'choice':'yes'").refused(3001);
        var answered = answer(ann, "default", id, "'choice':'NO','content':'Not on Fridays.'")
                .ok();
        assertThat(answered.text("/question/answer")).isEqualTo("no");
        assertThat(answered.text("/question/answered_by")).isEqualTo("ann");
        assertThat(answered.text("/message/reply_to")).isEqualTo(id);
        answer(ann, "default", id, "'choice':'yes'").refused(3003, "'ann' has already answered: no");
        var heard = ann.call("AP_Wait", "{'wait_seconds':0,'reply_to':'%s','target':{'context':'Ada'}}".formatted(id))
                .ok();
        assertThat(heard.text("/content/0/content")).isEqualTo("no\n\nNot on Fridays.");
    }

    /** They return only the question and the answer, so nothing else may count as read. */
    @Test
    void aQuestionAndItsAnswerLeaveMessagesUnread() {
        for (var text : List.of("Psst.", "Are you there?")) {
            ann.call("AP_Chat", "{'target':{'agent':'Ben','context':'Ada'},'content':'%s'}".formatted(text))
                    .ok();
        }
        var question = ask(ann, "Ada", ",'agent':'Ben'},'content':'Well?'").text("/question/id");
        answer(bob, "Ben", question, "'content':'Yes.'").ok();
        ask(bob, "Ben", "},'content':'Now?'");
        assertThat(bob.call("AP_Wait", "{'wait_seconds':0,'target':{'context':'Ben'}}")
                        .ok()
                        .texts("/content", "content"))
                .contains("Psst.", "Are you there?");
    }

    @Test
    void aQuestionIsWithdrawnOrExpires() {
        var first = ask(ann, "Ada", ",'agent':'Ben'},'content':'Who?'").text("/question/id");
        answer(bob, "Ben", first, "'withdraw':true").refused(3003, "only who asked");
        assertThat(answer(ann, "Ada", first, "'withdraw':true").ok().text("/question/state"))
                .isEqualTo("withdrawn");
        answer(bob, "Ben", first, "'content':'I'").refused(3003, "withdrawn");
        var second = ask(ann, "Ada", ",'agent':'Ben'},'content':'Where?','expires_seconds':600")
                .text("/question/id");
        answer(bob, "Ben", second, "'choice':'x'").refused(1004, "no choices");
        answer(bob, "Ben", second, "'content':' '").refused(1003, "content");
        for (var nothing : List.of("'choice':''", "'choice':null,'content':'\u200b'", "'withdraw':false")) {
            answer(bob, "Ben", second, nothing).refused(1003, "choice is required, or content");
        }
        answer(ann, "Ada", second, "'withdraw':true,'choice':'x'").refused(1004, "choice cannot be sent with withdraw");
        answer(ann, "Ada", second, "'withdraw':true,'content':'x'").refused(1004, "content cannot be sent");
        for (var api : ClientApi.values()) {
            TestDatabase.db()
                    .sql("UPDATE question SET expires_at = now() WHERE tenant_id = :tenant")
                    .set("tenant", tenant.id(api))
                    .run();
        }
        answer(bob, "Ben", second, "'content':'Here'").refused(3003, "expired");
        for (var choices : List.of("'one'", "'Yes','yes'", "'a','a '")) {
            ann.call(
                            "AP_Ask",
                            "{'target':{'agent':'Ben','context':'Ada'},'content':'x','choices':[%s]}"
                                    .formatted(choices))
                    .refused(1004, "choices");
        }
        var longest = "c".repeat(200);
        var third = ask(ann, "Ada", ",'agent':'Ben'},'content':'What?','choices':['%s','b']".formatted(longest))
                .text("/question/id");
        answer(bob, "Ben", third, "'choice':'%s'".formatted(longest)).ok();
    }

    @Test
    void choicesThatLookLikeOthersAreRefused() {
        for (var choice : List.of("\u202Esey", "y\u200Bes", "ye\u2060s", "\uFF59\uFF45\uFF53")) {
            ann.call(
                            "AP_Ask",
                            "{'target':{'agent':'Ben','context':'Ada'},'content':'x','choices':['%s','no']}"
                                    .formatted(choice))
                    .refused(1004, "choices");
        }
    }

    @Test
    void ofConcurrentAnswersOneWins() {
        var carl = tenant.person(ClientApi.REST, "carl", Role.ADMIN);
        agents(carl, "C0", "C1");
        var id = ask(carl, "C0", ",'agent':'C1'},'content':'Which?'").text("/question/id");
        var answers = Concurrently.of(
                6, i -> answer(carl, "C1", id, "'content':'n%d'".formatted(i)).code());
        assertThat(answers).containsOnlyOnce(0).containsOnly(0, 3003);
    }

    private static CompletableFuture<Reply> later(Supplier<Reply> call) {
        return CompletableFuture.supplyAsync(call, Executors.newVirtualThreadPerTaskExecutor());
    }

    /** Returns the id of the question that C0 has asked C1, as soon as it is there. */
    private static String awaitQuestion(TestCaller carl) {
        return Awaitility.await()
                .until(
                        () -> carl.call("AP_Read", "{'target':{'agent':'C1','context':'C1'}}")
                                .ok()
                                .text("/content/0/question/id"),
                        id -> !id.isEmpty());
    }

    @Test
    void askingWaitsForTheAnswer() {
        var carl = tenant.person(ClientApi.REST, "carl", Role.ADMIN);
        agents(carl, "C0", "C1");
        var asking = later(() -> ask(carl, "C0", ",'agent':'C1'},'content':'Which?','wait_seconds':60"));
        var question = awaitQuestion(carl);
        answer(carl, "C1", question, "'content':'The blue one.'").ok();
        var got = asking.join();
        assertThat(got.text("/content/1/content")).isEqualTo("The blue one.");
        assertThat(got.text("/question/state")).isEqualTo("answered");
        assertThat(got.text("/question/answer")).isEqualTo("The blue one.");
    }

    /** Whoever waits for an answer that can no longer come hears so before the time is over: through either endpoint, with either tool. */
    @Test
    void withdrawingEndsTheWait() {
        for (var api : ClientApi.values()) {
            var carl = tenant.person(api, "carl", Role.ADMIN);
            agents(carl, "C0", "C1");
            var asking = later(() -> ask(carl, "C0", ",'agent':'C1'},'content':'Which?','wait_seconds':240"));
            var question = awaitQuestion(carl);
            var waiting = later(() -> carl.call(
                            "AP_Wait",
                            "{'wait_seconds':240,'reply_to':'%s','target':{'context':'C0'}}".formatted(question))
                    .ok());
            answer(carl, "C0", question, "'withdraw':true").ok();
            assertThat(asking.join().text("/question/state")).isEqualTo("withdrawn");
            for (var ended : List.of(asking, waiting)) {
                assertThat(ended.join().text("/next")).startsWith("The question is withdrawn");
                assertThat(ended.join().number("/waited_ms")).isLessThan(240_000);
            }
            assertThat(carl.call(
                                    "AP_Wait",
                                    "{'wait_seconds':0,'reply_to':'%s','target':{'context':'C0'}}".formatted(question))
                            .ok()
                            .text("/next"))
                    .startsWith("The question is withdrawn");
        }
    }

    /** It waits no longer than the question lasts, and does not call it open. */
    @Test
    void askingEndsWithTheQuestion() {
        var expired = ask(ann, "Ada", ",'agent':'Ben'},'content':'Which?','wait_seconds':300,'expires_seconds':1");
        assertThat(expired.text("/question/state")).isEqualTo("expired");
        assertThat(expired.text("/next")).contains("expired");
    }
}
