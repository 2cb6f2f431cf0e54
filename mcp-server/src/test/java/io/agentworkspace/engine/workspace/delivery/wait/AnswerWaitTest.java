package io.agentworkspace.engine.workspace.delivery.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.signin.SignedIn;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which message AP_Chat with wait_seconds takes for the answer, and how it is read. */
class AnswerWaitTest {
    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
    private final TestCaller carl = TestCaller.of(ClientApi.REST, key);

    @BeforeEach
    void create() {
        for (var agent : List.of("Cleo", "Dan", "Eli")) {
            carl.call("AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(agent))
                    .ok();
            carl.call("AP_LogOn", "{'target':{'agent':'%1$s','context':'%1$s'}}".formatted(agent))
                    .ok();
        }
    }

    private static Reply say(TestCaller caller, String as, String to, String content) {
        return caller.call(
                        "AP_Chat", "{'target':{'agent':'%s','context':'%s'},'content':'%s'}".formatted(to, as, content))
                .ok();
    }

    private static CompletableFuture<Reply> begin(TestCaller caller, String tool, String arguments) {
        return CompletableFuture.supplyAsync(
                () -> caller.call(tool, arguments), Executors.newVirtualThreadPerTaskExecutor());
    }

    private void awaitWaiting(long count) {
        await().until(() -> TestDatabase.db()
                        .sql("SELECT count(*) AS n FROM wake WHERE tenant_id = :tenant AND kind = 'wait'")
                        .set("tenant", tenant.id(ClientApi.REST))
                        .one(row -> row.number("n"))
                        .orElseThrow()
                == count);
    }

    private CompletableFuture<Reply> ask(String question) {
        return begin(
                carl,
                "AP_Chat",
                "{'target':{'context':'Cleo','domain':'Den'},'content':'%s','wait_seconds':300}".formatted(question));
    }

    private Reply sayInDen(TestCaller caller, String context, String text, String more) {
        return caller.call("AP_Chat", "{'target':{'domain':'Den'%s},'content':'%s'%s}".formatted(context, text, more))
                .ok();
    }

    /** In a zone, others talk to each other; their messages come along, before the answer. */
    @Test
    void aQuestionInAZoneWaitsForItsAnswerOrAPerson() {
        DomainSetup.domain(carl, "Den", "private");
        for (var agent : List.of("Cleo", "Dan", "Eli")) {
            DomainSetup.invite(carl, "Den", agent).ok();
        }
        var question = ask("a question");
        awaitWaiting(1);
        var own = ",'reply_to':'%s'".formatted(idOf("a question"));
        assertThat(sayInDen(carl, ",'context':'Eli'", "to all", "").number("/receipt/wakes"))
                .isZero();
        assertThat(sayInDen(carl, ",'context':'Dan'", "the answer", own).number("/receipt/wakes"))
                .isEqualTo(1);
        assertThat(question.join().ok().texts("/content", "content"))
                .containsExactly("a question", "to all", "the answer");
        var next = ask("another question");
        awaitWaiting(1);
        sayInDen(carl, ",'context':'Eli'", "to all again", "");
        sayInDen(SignedIn.at(TestServer.url(), key), ",'context':'default'", "from a person", "");
        assertThat(next.join().ok().texts("/content", "content"))
                .containsExactly("another question", "to all again", "from a person");
        var late = carl.call(
                        "AP_Chat", "{'target':{'context':'Dan','domain':'Den'},'content':'nobody?','wait_seconds':0}")
                .ok();
        assertThat(late.text("/next")).contains("No answer came");
        sayInDen(carl, ",'context':'Eli'", "to nobody", "");
        assertThat(carl.call("AP_List", "{'target':{'context':'Cleo'}}").ok().number("/header/unread"))
                .isEqualTo(2);
    }

    private String idOf(String text) {
        return TestDatabase.db()
                .sql("SELECT id::text AS id FROM message WHERE tenant_id = :tenant AND content = :text")
                .set("tenant", tenant.id(ClientApi.REST))
                .set("text", text)
                .one(row -> row.text("id"))
                .orElseThrow();
    }

    /** What AP_Chat returns cut stays unread, so what follows it does, too; the call says how to read it. */
    @Test
    void anAnswerThatStaysUnreadSaysHowItIsRead() {
        say(carl, "Dan", "Cleo", "x".repeat(2_000));
        var question = begin(
                carl,
                "AP_Chat",
                "{'target':{'agent':'Dan','context':'Cleo'},'content':'a question','wait_seconds':300}");
        awaitWaiting(1);
        var answer = ",'reply_to':'%s'".formatted(idOf("a question"));
        carl.call("AP_Chat", "{'target':{'context':'Dan'},'content':'the answer'%s}".formatted(answer))
                .ok();
        var heard = question.join().ok();
        assertThat(heard.texts("/content", "content")).last().isEqualTo("the answer");
        assertThat(heard.number("/header/unread")).isEqualTo(2);
        assertThat(heard.text("/next")).contains("The answer stays unread", "AP_Wait with wait_seconds 0");
        var read = carl.call("AP_Wait", "{'target':{'context':'Cleo'},'wait_seconds':0}")
                .ok();
        assertThat(read.texts("/content", "content")).hasSize(2).last().isEqualTo("the answer");
        assertThat(read.number("/header/unread")).isZero();
    }

    /** However much is said before it, the answer is shown. */
    @Test
    void anAnswerIsShownAfterMoreThanOneResponseHolds() {
        carl.call("DM_Create", "{'vx':{'name':'Den','description':'d'},'guard':{'hops':64,'per_minute':600}}")
                .ok();
        for (var agent : List.of("Cleo", "Dan")) {
            DomainSetup.invite(carl, "Den", agent).ok();
        }
        var question =
                "{'target':{'context':'Cleo','domain':'Den'},'content':'a question','idempotency_key':'k','wait_seconds':0}";
        carl.call("AP_Chat", question).ok();
        for (var i = 0; i < 60; i++) { // More than a call returns, in number and in size.
            sayInDen(carl, ",'context':'Dan'", i + "x".repeat(20_000), "");
        }
        sayInDen(carl, ",'context':'Dan'", "the answer", ",'reply_to':'%s'".formatted(idOf("a question")));
        var heard = carl.call("AP_Chat", question).ok();
        assertThat(heard.texts("/content", "content")).last().isEqualTo("the answer");
        assertThat(heard.text("/next")).contains("The answer stays unread");
    }
}
