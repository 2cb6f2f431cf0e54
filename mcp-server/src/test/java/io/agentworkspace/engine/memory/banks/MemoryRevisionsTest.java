package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.read;
import static io.agentworkspace.engine.memory.banks.BankFixture.share;
import static io.agentworkspace.engine.memory.banks.BankFixture.store;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeAs;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeNamed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The history of a memory: earlier revisions, replacements, and its end. */
class MemoryRevisionsTest {
    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;
    private final TestCaller bob = fixture.bob;

    @BeforeEach
    void thereIsABank() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
        grant(ann, "b", "Bo", "write").ok();
    }

    private Reply put(String name, String text, String more) {
        return ann.call(
                "MB_Store", "{'target':{'bank':'b'},'vx':{'name':'%s'},'content':'%s'%s}".formatted(name, text, more));
    }

    private Reply correct(String text, String id) {
        return ann.call(
                "MB_Store",
                "{'target':{'bank':'b'},'content':'%s','supersedes':'%s','reason':'it was wrong'}".formatted(text, id));
    }

    private List<String> texts() {
        return read(ann, "b").ok().texts("/content", "text");
    }

    private List<String> found(String query) {
        return ann.call("MB_Search", "{'target':{'bank':'b'},'content':'%s'}".formatted(query))
                .ok()
                .texts("/content", "text");
    }

    private Reply load() {
        return ann.call("MB_Load", "{'target':{'agent':'Ada'},'vx':{'name':'b'}}")
                .ok();
    }

    private Reply ofId(String id) {
        return ann.call("MB_Read", "{'target':{'bank':'b'},'id':'%s'}".formatted(id));
    }

    private Reply at(Instant time, String more) {
        return ann.call("MB_Read", "{'target':{'bank':'b'},'as_of':'%s'%s}".formatted(time, more));
    }

    /** Returns the present time, and waits so that the next memory is stored later. */
    private static Instant now() {
        var now = Clock.systemUTC().instant().truncatedTo(ChronoUnit.MILLIS);
        await().until(() -> Clock.systemUTC().instant().isAfter(now.plusMillis(1)));
        return now;
    }

    @Test
    void aStaleRevisionIsToldWhatIsThereNow() {
        put("plan", "one", "").ok();
        var two = put("plan", "two", "").ok();
        var refused = put("plan", "three", ",'if_revision':1").refused(3003, "if_revision is 1", "now 2");
        assertThat(refused.at("/memory")).isEqualTo(two.at("/memory"));
        var absent = put("other", "x", ",'if_revision':1").refused(3003, "now 0");
        assertThat(absent.at("/memory").isMissingNode()).isTrue();
    }

    @Test
    void appendingAddsALineAndLosesNothing() {
        put("log", "one", ",'mode':'append'").ok();
        var two = put("log", "two", ",'mode':'append'").ok();
        assertThat(two.text("/memory/text")).isEqualTo("one\ntwo");
        assertThat(two.number("/revision")).isEqualTo(2);
        put("log", "three\\n", ",'mode':'append'").ok();
        assertThat(put("log", "four", ",'mode':'append'").ok().text("/memory/text"))
                .isEqualTo("one\ntwo\nthree\nfour");
        assertThat(put("log", "new", ",'mode':'replace'").ok().text("/memory/text"))
                .isEqualTo("new");
        put("log", "x".repeat(63_997), ",'mode':'append'").refused(1005, "64,001", "64,000");
        put("log", "x".repeat(63_996), ",'mode':'append'").ok();
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'x','mode':'append'}")
                .refused(1004, "vx.name");
        put("log", "x", ",'mode':'prepend'").refused(1004, "mode");
    }

    @Test
    void whatIsAppendedIsDerivedFromBothSources() {
        var one = store(ann, "b", "one").ok().text("/memory/id");
        var two = store(ann, "b", "two").ok().text("/memory/id");
        put("log", "x", ",'derived_from':['%s']".formatted(one)).ok();
        var both = put("log", "y", ",'mode':'append','derived_from':['%s','%s']".formatted(one, two))
                .ok();
        assertThat(both.at("/memory/derived_from").valueStream().map(id -> id.asString()))
                .containsExactly(one, two);
        assertThat(put("log", "z", "").ok().at("/memory/derived_from")).hasSize(2);
        assertThat(put("log", "z", ",'derived_from':[]").ok().at("/memory/derived_from"))
                .isEmpty();
    }

    @Test
    void aRevisionComesFromWhoStoredIt() {
        storeNamed(ann, "b", "Ada", "plan", "one").ok();
        var replaced = storeNamed(bob, "b", "Bo", "plan", "two").ok();
        assertThat(replaced.text("/memory/author")).isEqualTo("Ada");
        assertThat(replaced.at("/memory/source"))
                .isEqualTo(Json.object().put("kind", "agent").put("name", "Bo"));
        assertThat(store(ann, "b", "mine").ok().at("/memory/source"))
                .isEqualTo(Json.object().put("kind", "user").put("name", "ann"));
        assertThat(storeNamed(ann, "b", "Ada", "plan", "three").ok().text("/memory/source/name"))
                .isEqualTo("Ada");
    }

    @Test
    void aPastMomentIsShownAsItWas() {
        var before = now();
        var id = ann.call("MB_Store", "{'target':{'bank':'b'},'vx':{'name':'plan','tags':['a']},'content':'one'}")
                .ok()
                .text("/memory/id");
        var first = now();
        ann.call("MB_Store", "{'target':{'bank':'b'},'vx':{'name':'plan','tags':['b']},'content':'two'}")
                .ok();
        var second = now();
        store(ann, "b", "later").ok();
        var then = at(first, ",'vx':{'name':'PLAN'}").ok();
        assertThat(then.text("/content/0/text")).isEqualTo("one");
        assertThat(then.text("/content/0/id")).isEqualTo(id);
        assertThat(then.number("/content/0/revision")).isEqualTo(1);
        assertThat(then.at("/content/0/tags").valueStream().map(tag -> tag.asString()))
                .containsExactly("a");
        assertThat(then.text("/content/0/updated_at")).isEqualTo(then.text("/content/0/created_at"));
        assertThat(at(second, ",'id':'%s'".formatted(id)).ok().text("/content/0/text"))
                .isEqualTo("two");
        assertThat(at(first, "").ok().texts("/content", "text")).containsExactly("one");
        assertThat(at(first, ",'vx':{'tags':['b']}").ok().at("/content")).isEmpty();
        assertThat(at(before, "").ok().at("/content")).isEmpty();
        at(before, ",'vx':{'name':'plan'}").refused(3001, "no memory 'plan'");
        at(before, ",'id':'%s'".formatted(id)).refused(3001, id);
        assertThat(at(now(), "").ok().at("/content"))
                .isEqualTo(read(ann, "b").ok().at("/content"));
    }

    @Test
    void whatIsCensoredOrDeletedByNowIsNotShownInThePastEither() {
        storeAs(bob, "b", "Bo", "his").ok();
        storeNamed(ann, "b", "Ada", "plan", "good").ok();
        var then = now();
        storeNamed(bob, "b", "Bo", "plan", "bad").ok();
        ann.call("MB_Censor", share("b", "Bo")).ok();
        assertThat(texts()).isEmpty();
        assertThat(at(then, "").ok().texts("/content", "text")).containsExactly("good");
        ann.call("MB_Uncensor", share("b", "Bo")).ok();
        ann.call("MB_Delete", share("b", "Ada")).ok();
        assertThat(at(then, "").ok().texts("/content", "text")).containsExactly("his");
    }

    @Test
    void aMemoryIsReadByItsId() {
        var id = store(ann, "b", "one").ok().text("/memory/id");
        bank(ann, "other");
        assertThat(ofId(id).ok().texts("/content", "text")).containsExactly("one");
        ann.call("MB_Read", "{'target':{'bank':'other'},'id':'%s'}".formatted(id))
                .refused(3001, "no memory '%s'".formatted(id));
        ofId("nonsense").refused(3001, "no memory 'nonsense'");
        ann.call("MB_Read", "{'target':{'bank':'b'},'id':'%s','vx':{'name':'x'}}".formatted(id))
                .refused(1004, "vx.name");
    }

    @Test
    void aCorrectionTakesThePlaceOfWhatWasWrong() {
        var wrong = put("tea", "at five", "").ok().text("/memory/id");
        var right = correct("at four", wrong).ok();
        assertThat(right.text("/memory/supersedes")).isEqualTo(wrong);
        assertThat(right.text("/memory/reason")).isEqualTo("it was wrong");
        assertThat(ofId(right.text("/memory/id")).ok().text("/content/0/reason"))
                .isEqualTo("it was wrong");
        assertThat(read(ann, "b").ok().texts("/content", "reason")).containsExactly("it was wrong");
        assertThat(load().texts("/content", "reason")).containsExactly("it was wrong");
        assertThat(texts()).containsExactly("at four");
        assertThat(load().texts("/content", "text")).containsExactly("at four");
        assertThat(read(ann, "b").ok().number("/profile/0/memories")).isEqualTo(1);
        assertThat(ofId(wrong).ok().text("/content/0/superseded_by")).isEqualTo(right.text("/memory/id"));
        assertThat(ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'tea'}}")
                        .ok()
                        .texts("/content", "text"))
                .containsExactly("at five");
        correct("at three", wrong).refused(3003, right.text("/memory/id"));
        correct("x", UUID.randomUUID().toString()).refused(3001, "no memory");
        correct("x", "nonsense").refused(3001, "no memory 'nonsense'");
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'x','reason':'y'}")
                .refused(1004, "supersedes");
        assertThat(texts()).containsExactly("at four");
    }

    @Test
    void aNewRevisionOfWhatWasSupersededIsCurrentAgain() {
        var id = put("tea", "at five", "").ok().text("/memory/id");
        correct("at four", id).ok();
        assertThat(put("tea", "at six", "").ok().at("/memory/superseded_by").isMissingNode())
                .isTrue();
        assertThat(texts()).containsExactlyInAnyOrder("at six", "at four");
        put("tea", "x", ",'supersedes':'%s'".formatted(id)).refused(1004, "supersedes");
    }

    @Test
    void somebodyElsesMemoryIsSupersededWithWrite() {
        var id = storeAs(ann, "b", "Ada", "hers").ok().text("/memory/id");
        grant(ann, "b", "Bo", "append").ok();
        var his = "{'target':{'bank':'b','agent':'Bo'},'content':'his','supersedes':'%s'}".formatted(id);
        bob.call("MB_Store", his).refused(2003, "'write'");
        assertThat(texts()).containsExactly("hers");
        grant(ann, "b", "Bo", "write").ok();
        bob.call("MB_Store", his).ok();
        assertThat(texts()).containsExactly("his");
    }

    @Test
    void whatIsHiddenSupersedesNothing() {
        var id = storeAs(ann, "b", "Ada", "true").ok().text("/memory/id");
        bob.call("MB_Store", "{'target':{'bank':'b','agent':'Bo'},'content':'false','supersedes':'%s'}".formatted(id))
                .ok();
        ann.call("MB_Censor", share("b", "Bo")).ok();
        assertThat(texts()).containsExactly("true");
        assertThat(ofId(id).ok().at("/content/0/superseded_by").isMissingNode()).isTrue();
        ann.call("MB_Uncensor", share("b", "Bo")).ok();
        assertThat(texts()).containsExactly("false");
        ann.call("MB_Destroy", share("b", "Bo")).ok();
        assertThat(texts()).containsExactly("true");
    }

    private void letExpire(String text) {
        fixture.tenants()
                .forEach(tenant -> TestDatabase.db()
                        .sql(
                                "UPDATE memory SET expires_at = now() - INTERVAL '1 minute' WHERE tenant_id = :t AND text = :text")
                        .set("t", tenant)
                        .set("text", text)
                        .run());
    }

    @Test
    void anExpiredMemoryIsShownByNameOnlyUntilItIsStoredAnew() {
        var soon = now().plusSeconds(600);
        assertThat(Instant.parse(put("tea", "one", ",'expires_at':'%s'".formatted(soon))
                        .ok()
                        .text("/memory/expires_at")))
                .isEqualTo(soon);
        assertThat(texts()).containsExactly("one");
        assertThat(found("one")).containsExactly("one");
        letExpire("one");
        assertThat(texts()).isEmpty();
        assertThat(found("one")).isEmpty();
        assertThat(load().at("/content")).isEmpty();
        assertThat(read(ann, "b").ok().number("/profile/0/memories")).isZero();
        assertThat(ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'tea'}}")
                        .ok()
                        .texts("/content", "text"))
                .containsExactly("one");
        assertThat(put("tea", "two", "").ok().at("/memory/expires_at").isMissingNode())
                .isTrue();
        assertThat(texts()).containsExactly("two");
        assertThat(found("two")).containsExactly("two");
        put("tea", "x", ",'expires_at':'2020-01-01T00:00:00Z'").refused(1004, "expires_at", "future");
        put("tea", "x", ",'expires_at':'tomorrow'").refused(1004, "expires_at");
    }

    @Test
    void anEndThatIsNotOverStaysUntilAnotherIsGiven() {
        var soon = now().plusSeconds(600);
        put("tea", "one", ",'expires_at':'%s','pinned':true".formatted(soon)).ok();
        var kept = put("tea", "two", "").ok();
        assertThat(Instant.parse(kept.text("/memory/expires_at"))).isEqualTo(soon);
        assertThat(kept.at("/memory/pinned").asBoolean()).isTrue();
        assertThat(put("tea", "three", ",'pinned':false")
                        .ok()
                        .at("/memory/pinned")
                        .asBoolean(true))
                .isFalse();
    }

    @Test
    void pinnedMemoriesAreLoadedFirstAndTheRestAsFarAsItFits() {
        put("rules", "r".repeat(8_000), ",'pinned':true").ok();
        for (var i = 0; i < 3; i++) {
            store(ann, "b", i + "x".repeat(3_999)).ok();
        }
        var loaded = load();
        assertThat(loaded.texts("/content", "text").stream().map(text -> text.substring(0, 1)))
                .hasSize(3)
                .startsWith("r");
        assertThat(loaded.number("/tokens")).isEqualTo(4_000);
    }

    @Test
    void namesMayBePaths() {
        assertThat(put("plans/2026/May.md", "x", "").ok().text("/memory/name")).isEqualTo("plans/2026/May.md");
        assertThat(put("PLANS/2026/may.MD", "y", "").ok().number("/revision")).isEqualTo(2);
        put("n".repeat(255), "x", "").ok();
        for (var name : List.of("/a", "a/", "a//b", "../a", "a/./b", "a/ b", "n".repeat(256), "a|b")) {
            put(name, "x", "").refused(1004, "vx.name must be 1–255 characters");
        }
    }

    private Reply restore(TestCaller who, String more) {
        return who.call("MB_Restore", "{'target':{'bank':'b'},'vx':{'name':'plan'}%s}".formatted(more));
    }

    private void delete(String path) {
        ann.call("MB_Files", "{'target':{'bank':'b'},'command':'delete','path':'/memories/%s'}".formatted(path))
                .ok();
    }

    @Test
    void aDeletedMemoryComesBackByItsName() {
        var id = put("plan", "one", "").ok().text("/memory/id");
        delete("plan");
        assertThat(texts()).isEmpty();
        var back = restore(ann, "").ok();
        assertThat(back.at("/changed").asBoolean()).isTrue();
        assertThat(back.text("/memory/id")).isEqualTo(id);
        assertThat(texts()).containsExactly("one");
        assertThat(restore(ann, "").ok().at("/changed").asBoolean(true)).isFalse();
        delete("plan");
        put("plan", "two", "").ok();
        restore(ann, "").refused(3003, "'plan'", "rename or delete");
        ann.call("MB_Restore", "{'target':{'bank':'b'},'vx':{'name':'none'}}").refused(3001, "no memory 'none'");
        ann.call("MB_Restore", "{'target':{'bank':'b','agent':'Ada'},'vx':{'name':'plan'}}")
                .refused(1004, "target.agent");
    }

    @Test
    void anEarlierRevisionComesBackAsANewOne() {
        ann.call("MB_Store", "{'target':{'bank':'b'},'vx':{'name':'plan','tags':['a']},'content':'one'}")
                .ok();
        ann.call("MB_Store", "{'target':{'bank':'b'},'vx':{'name':'plan','tags':['b']},'content':'two'}")
                .ok();
        var back = restore(ann, ",'revision':1").ok();
        assertThat(back.text("/memory/text")).isEqualTo("one");
        assertThat(back.number("/memory/revision")).isEqualTo(3);
        assertThat(back.text("/memory/tags/0")).isEqualTo("a");
        assertThat(restore(ann, ",'revision':3").ok().at("/changed").asBoolean(true))
                .isFalse();
        restore(ann, ",'revision':9").refused(3001, "no revision '9 of plan'");
        ann.call("MB_Restore", "{'target':{'bank':'b'},'revision':1}").refused(1004, "revision", "vx.name");
        grant(ann, "b", "Bo", "append").ok();
        restore(bob, ",'revision':1").refused(2003, "'write'");
    }

    @Test
    void whatACensoredAgentChangedIsUndoneByTheRevisionBefore() {
        storeNamed(ann, "b", "Ada", "plan", "good").ok();
        storeNamed(bob, "b", "Bo", "plan", "bad").ok();
        ann.call("MB_Censor", share("b", "Bo")).ok();
        assertThat(texts()).isEmpty();
        bob.call("MB_Restore", "{'target':{'bank':'b','context':'Bo'},'vx':{'name':'plan'},'revision':1}")
                .refused(2003, "quarantine");
        restore(ann, ",'revision':2").refused(3001, "no revision");
        restore(ann, ",'revision':1").ok();
        assertThat(texts()).containsExactly("good");
        ann.call("MB_Uncensor", share("b", "Bo")).ok();
        assertThat(texts()).containsExactly("good");
    }
}
