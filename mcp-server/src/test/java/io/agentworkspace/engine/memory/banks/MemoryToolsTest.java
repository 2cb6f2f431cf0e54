package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.quoted;
import static io.agentworkspace.engine.memory.banks.BankFixture.read;
import static io.agentworkspace.engine.memory.banks.BankFixture.share;
import static io.agentworkspace.engine.memory.banks.BankFixture.store;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeAs;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeNamed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemoryToolsTest {
    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;
    private final TestCaller bob = fixture.bob;

    @BeforeEach
    void thereIsABank() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
    }

    private Reply put(String name, String text, String more) {
        return ann.call(
                "MB_Store", "{'target':{'bank':'b'},'vx':{'name':'%s'},'content':'%s'%s}".formatted(name, text, more));
    }

    @Test
    void aStoredMemoryIsAnsweredAndRead() {
        var stored = ann.call("MB_Store", """
                {'target':{'bank':'B','agent':'ada'},'content':'Tea at four.','vx':{'name':' Tea ','tags':['food','daily']}}
                """).ok();
        assertThat(stored.number("/revision")).isEqualTo(1);
        assertThat(stored.at("/changed").asBoolean()).isTrue();
        assertThat(stored.at("/quarantined").isMissingNode()).isTrue();
        assertThat(stored.text("/memory/name")).isEqualTo("Tea");
        assertThat(stored.text("/memory/text")).isEqualTo("Tea at four.");
        assertThat(stored.at("/memory/tags").valueStream().map(tag -> tag.asString()))
                .containsExactly("food", "daily");
        assertThat(stored.text("/memory/author")).isEqualTo("Ada");
        assertThat(stored.at("/memory/source"))
                .isEqualTo(Json.object().put("kind", "agent").put("name", "Ada"));
        assertThat(stored.text("/memory/bank")).isEqualTo("b");
        assertThat(stored.at("/memory/pinned").asBoolean(true)).isFalse();
        assertThat(stored.at("/memory/derived_from")).isEmpty();
        assertThat(stored.at("/memory").propertyNames())
                .containsExactly(
                        "id",
                        "bank",
                        "name",
                        "text",
                        "tags",
                        "author",
                        "source",
                        "revision",
                        "derived_from",
                        "pinned",
                        "created_at",
                        "updated_at");
        assertThat(stored.text("/memory/created_at")).isNotEmpty().isEqualTo(stored.text("/memory/updated_at"));
        assertThat(UUID.fromString(stored.text("/memory/id"))).isNotNull();
        var read = read(ann, "b").ok();
        assertThat(read.at("/content/0")).isEqualTo(stored.at("/memory"));
        assertThat(read.number("/profile/0/memories")).isEqualTo(1);
        assertThat(read.text("/profile/0/name")).isEqualTo("b");
    }

    @Test
    void theAuthorIsTheNamedAgentElseSelfElseTheUser() {
        agent(ann, "Bea");
        var named = ann.call("MB_Store", "{'target':{'bank':'b','agent':'Bea','context':'Ada'},'content':'x'}")
                .ok();
        var self = ann.call("MB_Store", "{'target':{'bank':'b','context':'Ada'},'content':'x'}")
                .ok();
        assertThat(named.text("/memory/author")).isEqualTo("Bea");
        assertThat(self.text("/memory/author")).isEqualTo("Ada");
        assertThat(store(ann, "b", "x").ok().text("/memory/author")).isEqualTo("ann");
        storeAs(ann, "b", "Bo", "x").refused(2003, "'Bo'");
        storeAs(ann, "b", "Nobody", "x").refused(3001, "no agent 'Nobody'");
    }

    @Test
    void theSameNameReplacesTextAndGivenTags() {
        var first = ann.call("MB_Store", "{'target':{'bank':'b'},'vx':{'name':'Plan','tags':['a']},'content':'one'}")
                .ok();
        var second = put("PLAN", "two", "").ok();
        assertThat(second.text("/memory/id")).isEqualTo(first.text("/memory/id"));
        assertThat(second.number("/revision")).isEqualTo(2);
        assertThat(second.text("/memory/name")).isEqualTo("Plan");
        assertThat(second.at("/memory/tags")).isEqualTo(first.at("/memory/tags"));
        assertThat(second.text("/memory/created_at")).isEqualTo(first.text("/memory/created_at"));
        var third = ann.call("MB_Store", "{'target':{'bank':'b'},'vx':{'name':'plan','tags':[]},'content':'two'}")
                .ok();
        assertThat(third.number("/memory/revision")).isEqualTo(3);
        assertThat(third.at("/memory/tags")).isEmpty();
        assertThat(read(ann, "b").ok().texts("/content", "text")).containsExactly("two");
    }

    @Test
    void ifRevisionMustMatchAndZeroMeansNew() {
        put("plan", "one", ",'if_revision':1").refused(3003, "now 0");
        put("plan", "one", ",'if_revision':0").ok();
        put("plan", "two", ",'if_revision':0").refused(3003, "now 1");
        put("plan", "two", ",'if_revision':1").ok();
        put("plan", "three", ",'if_revision':1").refused(3003, "now 2");
        assertThat(read(ann, "b").ok().texts("/content", "text")).containsExactly("two");
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'x','if_revision':0}")
                .refused(1004, "if_revision", "vx.name");
    }

    @Test
    void contentIsNeededAndHasALimit() {
        ann.call("MB_Store", bank("b")).refused(1003, "content is required");
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'  '}").refused(1003, "content is required");
        var stored = ann.call("MB_Store", "{'target':{'bank':'b'},'content':%s}".formatted(quoted(64_000)))
                .ok();
        assertThat(stored.text("/memory/text")).hasSize(500);
        assertThat(stored.number("/memory/length")).isEqualTo(64_000);
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':%s}".formatted(quoted(64_001)))
                .refused(1005, "content", "64,001", "64,000");
        var astral = Json.object().put("content", "😀".repeat(64_000));
        astral.putObject("target").put("bank", "b");
        ann.call("MB_Store", astral).ok();
        ann.call(
                        "MB_Store",
                        Json.object()
                                .put("content", "a\0b")
                                .set("target", Json.object().put("bank", "b")))
                .refused(1004, "content", "NUL");
        assertThat(read(ann, "b").ok().number("/profile/0/memories")).isEqualTo(2);
    }

    @Test
    void tagsHaveLimits() {
        tagged(IntStream.range(0, 20).mapToObj(i -> "t" + i).toList()).ok();
        tagged(IntStream.range(0, 21).mapToObj(i -> "t" + i).toList()).refused(1005, "vx.tags", "21", "20");
        tagged(List.of("x".repeat(64))).ok();
        tagged(List.of("fine", "x".repeat(65))).refused(1005, "vx.tags[1]", "65");
        tagged(List.of("fine", " ")).refused(1004, "vx.tags[1]");
        var once = tagged(List.of("a", " a ", "b")).ok();
        assertThat(once.at("/memory/tags").valueStream().map(tag -> tag.asString()))
                .containsExactly("a", "b");
    }

    private Reply tagged(List<String> tags) {
        return ann.call(
                "MB_Store", "{'target':{'bank':'b'},'content':'x','vx':{'tags':%s}}".formatted(Json.text(tags)));
    }

    @Test
    void aMemorySaysWhatItWasMadeFrom() {
        var one = store(ann, "b", "one").ok().text("/memory/id");
        var two = store(ann, "b", "two").ok().text("/memory/id");
        var made = derived(one, two, one).ok();
        assertThat(made.at("/memory/derived_from").valueStream().map(id -> id.asString()))
                .containsExactly(one, two);
        assertThat(read(ann, "b")
                        .ok()
                        .at("/content")
                        .valueStream()
                        .filter(memory -> !memory.path("derived_from").isEmpty()))
                .hasSize(1);
    }

    @Test
    void whatIsNotInTheBankCannotBeMadeUseOf() {
        bank(ann, "other");
        var elsewhere = store(ann, "other", "x").ok().text("/memory/id");
        var here = store(ann, "b", "x").ok().text("/memory/id");
        derived(here, elsewhere).refused(3001, "no memory '%s'".formatted(elsewhere));
        var unknown = UUID.randomUUID().toString();
        derived(unknown).refused(3001, unknown);
        derived("no-id").refused(3001, "no memory 'no-id'");
        derived(Collections.nCopies(20, here).toArray(String[]::new)).ok();
        derived(Collections.nCopies(21, here).toArray(String[]::new)).refused(1005, "derived_from", "20");
        assertThat(read(ann, "b").ok().number("/profile/0/memories")).isEqualTo(2);
    }

    private void copy(int times) {
        for (var tenant : fixture.tenants()) {
            TestDatabase.db().sql("""
                    INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at)
                    SELECT m.tenant_id, m.bank_id, gen_random_uuid(), m.text, '{}', m.author_id, m.contributors, '{}', now(), now()
                      FROM (SELECT * FROM memory o WHERE o.tenant_id = :tenant LIMIT 1) m, generate_series(1, :times)
                    """).set("tenant", tenant).set("times", times).run();
        }
    }

    @Test
    void moreThanAThousandMemoriesAreNotCounted() {
        var first = store(ann, "b", "x").ok().text("/memory/id");
        copy(998);
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'y','supersedes':'%s'}".formatted(first))
                .ok();
        // Not like the copies: whether they are found is a matter of when the engine has looked at them.
        var more = List.of("Low water is at six.", "The crane is booked.", "Ada has the keys.")
                .iterator();
        for (var counted : List.of(999L, 1_001L, 1_001L)) {
            assertThat(read(ann, "b").ok().number("/profile/0/memories")).isEqualTo(counted);
            assertThat(ann.call("MB_List").ok().number("/content/0/memories")).isEqualTo(counted);
            store(ann, "b", more.next()).ok();
        }
        ann.call("MB_Censor", share("b", "Bo")).ok();
        assertThat(read(ann, "b").ok().number("/profile/0/memories")).isEqualTo(1_001);
    }

    private Reply derived(String... ids) {
        return ann.call(
                "MB_Store", "{'target':{'bank':'b'},'content':'made','derived_from':%s}".formatted(Json.text(ids)));
    }

    @Test
    void onesOwnMemoryIsReplacedWithAppendOthersWithWrite() {
        storeNamed(ann, "b", "Ada", "hers", "one").ok();
        storeAs(bob, "b", "Bo", "x").refused(3001, "no bank 'b'");
        grant(ann, "b", "Bo", "read").ok();
        storeAs(bob, "b", "Bo", "x").refused(2003, "'append'", "'b'", "the agent 'Bo' holds 'read'", "'ann'");
        grant(ann, "b", "Bo", "append").ok();
        storeNamed(bob, "b", "Bo", "his", "one").ok();
        assertThat(storeNamed(bob, "b", "Bo", "his", "two").ok().number("/revision"))
                .isEqualTo(2);
        storeNamed(bob, "b", "Bo", "hers", "two").refused(2003, "'write'", "'append'");
        grant(ann, "b", "Bo", "write").ok();
        var replaced = storeNamed(bob, "b", "Bo", "hers", "two").ok();
        assertThat(replaced.text("/memory/author")).isEqualTo("Ada");
        assertThat(replaced.text("/memory/text")).isEqualTo("two");
    }

    @Test
    void readingIsNewestFirst() throws Exception {
        for (var text : List.of("one", "two", "three")) {
            store(ann, "b", text).ok();
            var then = Clock.systemUTC().millis();
            await().until(() -> Clock.systemUTC().millis() > then); // They are ordered by millisecond.
        }
        assertThat(read(ann, "b").ok().texts("/content", "text")).containsExactly("three", "two", "one");
    }

    @Test
    void oneMemoryIsReadByItsName() {
        put("Tea time", "four", "").ok();
        store(ann, "b", "other").ok();
        var read = named("TEA TIME").ok();
        assertThat(read.texts("/content", "text")).containsExactly("four");
        assertThat(read.text("/profile/0/name")).isEqualTo("b");
        named("Tee time").refused(3001, "no memory 'Tee time'", "did you mean 'Tea time'?");
    }

    private Reply named(String name) {
        return ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'%s'}}".formatted(name));
    }

    @Test
    void memoriesAreNarrowedByAllTagsAndByAuthor() {
        ann.call("MB_Store", "{'target':{'bank':'b'},'content':'one','vx':{'tags':['x','y']}}")
                .ok();
        ann.call("MB_Store", "{'target':{'bank':'b','agent':'Ada'},'content':'two','vx':{'tags':['y']}}")
                .ok();
        assertThat(narrowed("['x','y']").texts("/content", "text")).containsExactly("one");
        assertThat(narrowed("['y']").texts("/content", "text")).containsExactlyInAnyOrder("one", "two");
        assertThat(narrowed("['z']").at("/content")).isEmpty();
        assertThat(narrowed("['z']").at("/content").isArray()).isTrue();
        assertThat(ann.call("MB_Read", share("b", "ADA")).ok().texts("/content", "text"))
                .containsExactly("two");
    }

    @Test
    void theCaseOfTagsDoesNotCountAndIsKept() {
        var kept = List.of(
                "Zulu-1",
                "\u00c4rger",
                "Stra\u00dfe",
                "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2",
                "a.b (c) [d] *",
                "\u0130zmir",
                "\uff21\uff22",
                "two words");
        for (var tag : kept) {
            ann.call(
                            "MB_Store",
                            "{'target':{'bank':'b'},'content':'of %s','vx':{'tags':['%s','Shared']}}"
                                    .formatted(tag, tag))
                    .ok();
        }
        var spellings = List.of(
                "zULU-1",
                "\u00e4RGER",
                "STRASSE",
                "\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c3",
                "A.B (C) [D] *",
                "\u0130zmir",
                "\uff41\uff42",
                "TWO WORDS");
        for (var i = 0; i < kept.size(); i++) {
            for (var tag : List.of(spellings.get(i), kept.get(i))) {
                var found = narrowed("['%s','sHARED']".formatted(tag));
                assertThat(found.texts("/content", "text")).as(tag).containsExactly("of " + kept.get(i));
                assertThat(found.at("/content/0/tags/0").asString()).isEqualTo(kept.get(i));
                assertThat(ann.call(
                                        "MB_Search",
                                        "{'target':{'bank':'b'},'content':'of','min_score':0,'vx':{'tags':['%s']}}"
                                                .formatted(tag))
                                .ok()
                                .texts("/content", "text"))
                        .as(tag)
                        .containsExactly("of " + kept.get(i));
            }
        }
        assertThat(narrowed("['axb (c) [d] *']").at("/content")).isEmpty();
        assertThat(narrowed("['ulu-1']").at("/content")).isEmpty();
        assertThat(narrowed("['.*']").at("/content")).isEmpty();
    }

    private Reply narrowed(String tags) {
        return ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'tags':%s}}".formatted(tags))
                .ok();
    }

    @Test
    void pagesLoseAndRepeatNothingWhileMemoriesAreAdded() {
        var stored = new ArrayList<String>();
        for (var i = 0; i < 60; i++) {
            stored.add(store(ann, "b", "m" + i).ok().text("/memory/id"));
        }
        var seen = new ArrayList<String>();
        var page = read(ann, "b").ok();
        assertThat(page.at("/content")).hasSize(50);
        while (true) {
            seen.addAll(page.texts("/content", "id"));
            if (page.at("/next_cursor").isMissingNode()) {
                break;
            }
            store(ann, "b", "meanwhile").ok();
            page = ann.call(
                            "MB_Read",
                            "{'target':{'bank':'b'},'page':{'limit':4,'cursor':'%s'}}"
                                    .formatted(page.text("/next_cursor")))
                    .ok();
        }
        assertThat(seen).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(stored);
        ann.call("MB_Read", "{'target':{'bank':'b'},'page':{'cursor':'nonsense'}}")
                .refused(1004, "page.cursor");
        var beyond = Cursor.of("+1000000000-12-31T23:59:59Z", "00000000-0000-0000-0000-000000000000");
        ann.call("MB_Read", "{'target':{'bank':'b'},'page':{'cursor':'%s'}}".formatted(beyond))
                .refused(1004, "page.cursor");
    }

    @Test
    void whoMayNotReadIsToldWhatIsMissing() {
        agent(bob, "Bill", "public");
        grant(ann, "b", "Bo", "read").ok();
        assertThat(read(bob, "b").ok().at("/content").isArray()).isTrue();
        bob.call("MB_Read", BankFixture.in("Bill", "b"))
                .refused(2003, "'read'", "the agent 'Bill' holds 'none'", "MB_Permissions");
    }

    @Test
    void memoriesOutliveTheirAgent() {
        storeAs(ann, "b", "Ada", "kept").ok();
        ann.call("AP_Destroy", "{'target':{'agent':'Ada'}}").ok();
        var read = read(ann, "b").ok();
        assertThat(read.texts("/content", "author")).containsExactly("Ada");
        assertThat(ann.call("MB_Read", share("b", "Ada")).ok().texts("/content", "text"))
                .containsExactly("kept");
    }
}
