package io.agentworkspace.engine.workspace.chat;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChatToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");

    ChatToolsTest() {
        for (var agent : new String[] {"Ada", "Bob"}) {
            ann.call("AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(agent))
                    .ok();
            logOn(agent);
        }
    }

    /** Logs the agent on in a context with its own name. */
    private void logOn(String agent) {
        ann.call("AP_LogOn", "{'target':{'agent':'%1$s','context':'%1$s'}}".formatted(agent))
                .ok();
    }

    private Reply say(String as, String to, String content) {
        return ann.call(
                "AP_Chat", "{'target':{'agent':'%s','context':'%s'},'content':'%s'}".formatted(to, as, content));
    }

    @Test
    void aMessageWaitsForItsAddressee() {
        var said = say("default", "Ada", "Good morning").ok();
        assertThat(said.text("/content/0/from")).isEqualTo("ann");
        assertThat(said.text("/content/0/from_kind")).isEqualTo("user");
        assertThat(said.text("/content/0/to")).isEqualTo("Ada");
        assertThat(said.number("/content/0/seq")).isEqualTo(1);
        var listed = ann.call("AP_List", "{'target':{'agent':'ada'}}").ok();
        assertThat(listed.number("/content/0/unread")).isEqualTo(1);
        var loggedOn = ann.call("AP_LogOn", "{'target':{'agent':'Ada','context':'Ada'}}")
                .ok();
        assertThat(listed.text("/content/0/last_message_at")).isEqualTo(loggedOn.text("/content/0/created_at"));
        assertThat(loggedOn.texts("/content", "content")).containsExactly("Good morning");
        assertThat(loggedOn.number("/header/unread")).isEqualTo(1);
        assertThat(loggedOn.at("/changed").asBoolean()).isFalse();
    }

    /** What a call marked as read is in its repeated response, too: its first one may have been lost. */
    @Test
    void aRepeatedCallReturnsWhatHadComeIn() {
        say("Ada", "Bob", "one").ok();
        var answer = "{'target':{'agent':'Ada','context':'Bob'},'content':'two','idempotency_key':'once'}";
        var first = ann.call("AP_Chat", answer).ok();
        assertThat(first.texts("/content", "content")).containsExactly("two", "one");
        assertThat(first.number("/header/unread")).isZero();
        say("Ada", "Bob", "three").ok();
        assertThat(ann.call("AP_Chat", answer).ok().texts("/content", "content"))
                .containsExactly("two", "one");
        var next = say("Bob", "Ada", "four").ok();
        assertThat(next.texts("/content", "content")).containsExactly("four", "three");
        assertThat(next.number("/header/unread")).isZero();
        assertThat(say("Bob", "Ada", "five").ok().texts("/content", "content")).containsExactly("five");
    }

    @Test
    void readingAsTheAgentMarksReadAndReadingAsTheUserDoesNot() {
        say("default", "Ada", "one").ok();
        ann.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        assertThat(ann.call("AP_List").ok().number("/content/0/unread")).isEqualTo(1);
        var read = ann.call("AP_Read", "{'target':{'context':'Ada'}}").ok();
        assertThat(read.texts("/content", "content")).containsExactly("one");
        assertThat(read.number("/header/unread")).isZero();
        assertThat(ann.call("AP_List").ok().number("/content/0/unread")).isZero();
    }

    @Test
    void aPersonsMessagesAreCountedWithoutSpeaking() {
        ann.call("AP_Chat", "{'target':{'context':'Ada'},'to_user':true,'content':'Please look.'}")
                .ok();
        ann.call("AP_Chat", "{'target':{'context':'Ada'},'to_user':true,'content':'Soon.'}")
                .ok();
        assertThat(ann.call("US_Read").ok().number("/header/unread")).isEqualTo(2);
        assertThat(ann.call("US_Read", "{'target':{'context':'Ada'}}").ok().number("/header/unread"))
                .isZero();
        var logged = ann.call("AP_LogOff", "{'target':{'context':'Ada'}}").ok();
        assertThat(logged.number("/header/unread")).isEqualTo(2);
        assertThat(ann.call("AP_LogOn", "{'target':{'agent':'Ada','context':'Ada'}}")
                        .ok()
                        .number("/header/unread"))
                .isZero();
        ann.call("AP_Select", "{'target':{'agent':'Ada'}}").ok();
        assertThat(ann.call("AP_Read").ok().texts("/profile", "name")).containsExactly("Ada");
        assertThat(ann.call("US_Read").ok().number("/header/unread")).isEqualTo(2);
        var read = ann.call("AP_Read", "{'inbox':true}").ok();
        assertThat(read.texts("/content", "content")).containsExactly("Please look.", "Soon.");
        assertThat(read.at("/profile").size()).isZero();
        assertThat(read.number("/header/unread")).as("a program only looks").isEqualTo(2);
        ann.call("AP_Read", "{'inbox':true,'target':{'agent':'Ada'}}").refused(1004, "inbox", "target.agent");
        assertThat(ann.call("AP_Read", "{'inbox':true,'target':{'context':'Ada'}}")
                        .ok()
                        .texts("/profile", "name"))
                .containsExactly("Ada");
    }

    @Test
    void whoSelectedNobodyReadsItsOwnMessages() {
        ann.call("AP_Chat", "{'target':{'context':'Ada'},'to_user':true,'content':'one'}")
                .ok();
        var read = ann.call("AP_Read").ok();
        assertThat(read.texts("/content", "content")).containsExactly("one");
    }

    @Test
    void aUserWhoSendsReadsNothingWithAndWithoutAWait() {
        for (var agent : List.of("Ada", "Bob")) {
            ann.call("AP_Chat", "{'target':{'context':'%s'},'to_user':true,'content':'one'}".formatted(agent))
                    .ok();
        }
        for (var more : List.of("", ",'wait_seconds':0", ",'idempotency_key':'k'")) {
            var said = ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'two'%s}".formatted(more))
                    .ok();
            assertThat(said.texts("/content", "content")).containsExactly("two");
            assertThat(said.number("/header/unread")).isEqualTo(2);
        }
        assertThat(ann.call("US_Inbox", "{}").ok().texts("/content", "from")).containsExactly("Bob", "Ada");
        assertThat(ann.call("AP_Read", "{'target':{'agent':'Bob'}}").ok().text("/content/0/read_at"))
                .isEmpty();
    }

    @Test
    void anAgentGetsAtMostFiveMessagesOfTheConversationAndTheCountOfTheRest() {
        for (var i = 0; i < 7; i++) {
            say("Bob", "Ada", "m" + i).ok();
        }
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'from the user'}")
                .ok();
        var first = say("Ada", "Bob", "a").ok();
        assertThat(first.texts("/content", "content")).containsExactly("a", "m0", "m1", "m2", "m3", "m4");
        assertThat(first.number("/header/unread")).isEqualTo(3);
        var second = ann.call(
                        "AP_Chat",
                        "{'target':{'agent':'Bob','context':'Ada'},'content':'b','page':{'limit':50},'idempotency_key':'k'}")
                .ok();
        assertThat(second.texts("/content", "content")).containsExactly("b", "m5", "m6");
        assertThat(second.number("/header/unread")).isEqualTo(1);
    }

    @Test
    void aMessageIsUnreadUntilItsWholeTextWasReturned() {
        var text = "long ".repeat(240);
        for (var content : List.of("short", text, "after")) {
            say("Bob", "Ada", content).ok();
        }
        for (var again = 0; again < 2; again++) {
            var said = say("Ada", "Bob", "hello").ok();
            assertThat(said.texts("/content", "content").getLast()).isEqualTo("after");
            assertThat(said.number("/header/unread")).isEqualTo(2);
            assertThat(said.text("/next")).contains("AP_Read with inbox: true");
        }
        var read =
                ann.call("AP_Read", "{'inbox':true,'target':{'context':'Ada'}}").ok();
        assertThat(read.texts("/content", "content")).contains(text);
        assertThat(read.number("/header/unread")).isZero();
        var said = say("Ada", "Bob", "thanks").ok();
        assertThat(said.at("/content").size()).isEqualTo(1);
        assertThat(said.at("/next").isMissingNode()).isTrue();
    }

    @Test
    void logOnNamesTheCallThatShowsACutTextOfAZone() {
        DomainSetup.hosted(ann, "Den", "private", "Ada");
        DomainSetup.say(ann, "default", "Den", "main", "long ".repeat(240)).ok();
        var logged = ann.call("AP_LogOn", "{'target':{'agent':'Ada','context':'Ada'}}")
                .ok();
        assertThat(logged.text("/next")).contains("ZN_Read with target.domain 'Den' and target.zone 'main'");
        assertThat(ann.call("ZN_Read", "{'target':{'context':'Ada','domain':'Den'}}")
                        .ok()
                        .number("/header/unread"))
                .isZero();
    }

    @Test
    void chatReturnsWhatHasComeInSinceTheLastCall() {
        say("Bob", "Ada", "first").ok();
        say("Bob", "Ada", "second").ok();
        var answer = say("Ada", "Bob", "thanks").ok();
        assertThat(answer.texts("/content", "content")).containsExactly("thanks", "first", "second");
        assertThat(answer.number("/header/unread")).isZero();
        assertThat(say("Ada", "Bob", "again").ok().texts("/content", "content")).containsExactly("again");
    }

    @Test
    void anAgentAnswersTheUserWhereTheMessageStands() {
        var question = say("default", "Ada", "ready?").ok().text("/content/0/id");
        var answer =
                ann.call("AP_Chat", "{'target':{'context':'Ada'},'content':'yes','reply_to':'%s'}".formatted(question));
        assertThat(answer.ok().text("/content/0/to")).isEqualTo("ann");
        assertThat(answer.text("/content/0/reply_to")).isEqualTo(question);
        var next = say("default", "Ada", "good").ok();
        assertThat(next.texts("/content", "content")).containsExactly("good");
        assertThat(ann.call("AP_Wait", "{'wait_seconds':0}").ok().texts("/content", "content"))
                .containsExactly("yes");
    }

    @Test
    void anAgentSpeaksToItsUser() {
        var said = ann.call("AP_Chat", "{'target':{'context':'Ada'},'to_user':true,'content':'done'}")
                .ok();
        assertThat(said.text("/content/0/to")).isEqualTo("ann");
        assertThat(said.text("/content/0/to_kind")).isEqualTo("user");
        ann.call("AP_Chat", "{'target':{'user':'ann','context':'Ada'},'content':'done'}")
                .refused(1006, "AP_Select");
        ann.call("AP_Chat", "{'to_user':true,'content':'done'}").refused(1006, "AP_LogOn");
        ann.call("AP_Chat", "{'target':{'agent':'Bob','context':'Ada'},'to_user':true,'content':'done'}")
                .refused(1004, "to_user");
    }

    @Test
    void anAgentSpeaksToThePeopleOfItsDomainsAndToAdmins() {
        tenant.person("root", Role.ADMIN);
        var carla = tenant.member("carla");
        var dora = tenant.member("dora");
        var strange = tenant.member("carl");
        DomainSetup.agent(carla, "Cleo", "private");
        DomainSetup.domain(dora, "Den", "public");
        DomainSetup.domain(strange, "Lair", "public");
        ann.call("DM_Invite", "{'target':{'domain':'Den','agent':'Ada'}}").ok();
        assertThat(toUser("dora").ok().text("/content/0/to")).isEqualTo("dora");
        toUser("carla").refused(3001, "no user 'carla'");
        carla.call("DM_Invite", "{'target':{'domain':'Den','agent':'Cleo'}}").ok();
        var said = toUser("@Carla").ok();
        assertThat(said.text("/content/0/to")).isEqualTo("carla");
        assertThat(said.text("/content/0/to_kind")).isEqualTo("user");
        assertThat(said.text("/receipt/to")).isEqualTo("carla");
        assertThat(toUser("root").ok().text("/content/0/to")).isEqualTo("root");
        assertThat(toUser("ANN").ok().text("/content/0/to")).isEqualTo("ann");
        var heard = carla.call("AP_Wait", "{'wait_seconds':0}").ok();
        assertThat(heard.texts("/content", "content")).containsExactly("to @Carla");
        carla.call("AP_Chat", "{'content':'thanks','reply_to':'%s'}".formatted(heard.text("/content/0/id")))
                .ok();
        assertThat(ann.call("AP_Wait", "{'target':{'context':'Ada'},'wait_seconds':0}")
                        .ok()
                        .texts("/content", "content"))
                .containsExactly("thanks");
        toUser("carl").refused(3001, "no user 'carl'", "did you mean 'carla'?");
    }

    @Test
    void whomAnAgentWasBannedFromLooksAbsent() {
        var dora = tenant.member("dora");
        DomainSetup.domain(dora, "Den", "public");
        ann.call("DM_Invite", "{'target':{'domain':'Den','agent':'Ada'}}").ok();
        toUser("dora").ok();
        dora.call("DM_Ban", "{'target':{'domain':'Den','agent':'Ada'}}").ok();
        toUser("dora").refused(3001, "no user 'dora'");
        ann.call("AP_Chat", "{'target':{'context':'Ada'},'to_user':'no@body','content':'x'}")
                .refused(3001, "US_List");
        ann.call("AP_Chat", "{'to_user':'ann','content':'done'}").refused(1006, "AP_LogOn");
        ann.call("AP_Chat", "{'target':{'context':'Ada','agent':'Bob'},'to_user':false,'content':'x'}")
                .ok();
    }

    private Reply toUser(String name) {
        return ann.call("AP_Chat", "{'target':{'context':'Ada'},'to_user':'%1$s','content':'to %1$s'}".formatted(name));
    }

    @Test
    void targetUserIsNoAddressee() {
        tenant.member("dora");
        var root = tenant.person("root", Role.ADMIN);
        for (var caller : List.of(ann, root)) {
            for (var named : List.of("dora", "nobody", "@dora")) {
                caller.call("AP_Chat", "{'target':{'user':'%s','agent':'Ada'},'content':'x'}".formatted(named))
                        .refused(1004, "target.user", "to_user");
            }
        }
    }

    @Test
    void theSelectedAgentIsAddressedWhenNoneIsNamed() {
        ann.call("AP_Chat", "{'content':'hm'}").refused(1006, "AP_Select", "ZN_Enter");
        ann.call("AP_Select", "{'target':{'agent':'bob'}}").ok();
        assertThat(ann.call("AP_Select").ok().text("/selected")).isEqualTo("Bob");
        assertThat(ann.call("AP_Chat", "{'content':'hm'}").ok().text("/content/0/to"))
                .isEqualTo("Bob");
    }

    @Test
    void answersOfAgentsToAgentsEndAfterTwentyFourHops() {
        for (var hop = 0; hop <= 24; hop++) {
            var said = say(hop % 2 == 0 ? "Ada" : "Bob", hop % 2 == 0 ? "Bob" : "Ada", "hop " + hop)
                    .ok();
            assertThat(said.at("/content/0/chain").size()).isEqualTo(hop);
        }
        say("Bob", "Ada", "one too many").refused(3003, "loop guard", "hop 25", "guard", "AP_Modify", "owner");
        assertThat(ann.call("AP_Read", "{'target':{'agent':'Ada'}}")
                        .ok()
                        .at("/content")
                        .size())
                .isEqualTo(25);
    }

    @Test
    void twoAgentsExchangeThirtyMessagesAMinute() {
        for (var i = 0; i < 30; i++) {
            say("Ada", "Bob", "note " + i).ok();
        }
        say("Ada", "Bob", "note 31").refused(3003, "loop guard", "last minute");
        say("default", "Bob", "a person may still speak").ok();
    }

    @Test
    void nothingIsSaidWithoutContentOrToAMissingAgent() {
        ann.call("AP_Chat", "{'target':{'agent':'Ada'}}").refused(1003, "content is required");
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'  '}").refused(1003, "content is required");
        say("default", "Nobody", "x").refused(3001, "'Nobody'");
        say("Ada", "Ada", "to myself").refused(1004, "another agent");
        ann.call("AP_Chat", "{'target':{'agent':'Ada'},'content':'x','reply_to':'7'}")
                .refused(1004, "reply_to");
    }

    @Test
    void contentMayHaveSixtyFourThousandCharactersAndNoMore() {
        say("default", "Ada", "é".repeat(64_000)).ok();
        say("default", "Ada", "é".repeat(64_001)).refused(1005, "64,000");
    }

    @Test
    void aDestroyedAgentsMessagesStayUnderItsName() {
        say("Bob", "Ada", "remember me").ok();
        ann.call("AP_Destroy", "{'target':{'agent':'Bob'}}").ok();
        var read = ann.call("AP_Read", "{'target':{'agent':'Ada'}}").ok();
        assertThat(read.texts("/content", "from")).containsExactly("Bob");
        ann.call("AP_Read", "{'target':{'agent':'Bob'}}").refused(3001);
    }

    @Test
    void latestMessagesComeInPagesThatLoseNone() {
        for (var i = 1; i <= 7; i++) {
            say("default", "Ada", "m" + i).ok();
        }
        var page = ann.call("AP_Read", "{'target':{'agent':'Ada'},'page':{'limit':3}}")
                .ok();
        assertThat(page.texts("/content", "content")).containsExactly("m5", "m6", "m7");
        page = ann.call(
                        "AP_Read",
                        "{'target':{'agent':'Ada'},'page':{'limit':3,'cursor':'%s'}}"
                                .formatted(page.text("/next_cursor")))
                .ok();
        assertThat(page.texts("/content", "content")).containsExactly("m2", "m3", "m4");
        page = ann.call(
                        "AP_Read",
                        "{'target':{'agent':'Ada'},'page':{'limit':3,'cursor':'%s'}}"
                                .formatted(page.text("/next_cursor")))
                .ok();
        assertThat(page.texts("/content", "content")).containsExactly("m1");
        assertThat(page.at("/next_cursor").isMissingNode()).isTrue();
        ann.call("AP_Read", "{'target':{'agent':'Ada'},'page':{'cursor':'nonsense'}}")
                .refused(1004, "page.cursor");
    }

    @Test
    void readingMarksOnlyWhatItShows() {
        for (var i = 1; i <= 5; i++) {
            say("default", "Ada", "m" + i).ok();
        }
        var latest = ann.call("AP_Read", "{'target':{'context':'Ada'},'page':{'limit':2}}")
                .ok();
        assertThat(latest.texts("/content", "content")).containsExactly("m4", "m5");
        assertThat(latest.number("/header/unread")).isEqualTo(5);
        var older = ann.call(
                        "AP_Read",
                        "{'target':{'context':'Ada'},'page':{'limit':3,'cursor':'%s'}}"
                                .formatted(latest.text("/next_cursor")))
                .ok();
        assertThat(older.texts("/content", "content")).containsExactly("m1", "m2", "m3");
        assertThat(older.number("/header/unread")).isEqualTo(2);
        assertThat(ann.call("AP_Read", "{'target':{'context':'Ada'},'page':{'limit':2}}")
                        .ok()
                        .number("/header/unread"))
                .isZero();
    }
}
