package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.text.VisibleText;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** MB_Search through both endpoints. */
class SearchToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller ann = tenant.member("ann");
    private final TestCaller bob = tenant.member("bob");

    @BeforeEach
    void thereIsABank() {
        ann.call("AP_Create", "{'vx':{'name':'Ada','description':'d'}}").ok();
        ann.call("MB_Create", "{'vx':{'name':'b'}}").ok();
    }

    private Reply store(String text, String more) {
        return ann.call("MB_Store", "{'target':{'bank':'b'},'content':%s%s}".formatted(json(text), more))
                .ok();
    }

    private void storeAll(String... texts) {
        for (var text : texts) {
            store(text, "");
        }
    }

    private static String json(String text) {
        return Json.text(text).replace("'", "\\u0027");
    }

    private Reply search(String query) {
        return search(query, "");
    }

    private Reply search(String query, String more) {
        return ann.call("MB_Search", "{'target':{'bank':'b'},'content':%s%s}".formatted(json(query), more))
                .ok();
    }

    private static List<String> texts(Reply reply) {
        return reply.at("/content")
                .valueStream()
                .map(hit -> hit.path("text").asString(""))
                .toList();
    }

    @Test
    void theMostTellingWordsDecideAndEveryHitSaysWhy() {
        storeAll("The deploy of the shop runs on Friday.", "The shop sells tea.", "The cat sleeps in the shop.");
        var found = search("When does the deploy of the shop run?");
        assertThat(texts(found).getFirst()).isEqualTo("The deploy of the shop runs on Friday.");
        assertThat(found.at("/content/0/why/text_rank").asInt()).isEqualTo(1);
        assertThat(found.at("/content/0/why/terms").toString()).contains("deploy", "shop", "run");
        assertThat(found.at("/content/0/why/highlights/0").toString()).isEqualTo("[4,10]");
        assertThat(found.at("/content").size()).isEqualTo(1);
        assertThat(found.at("/content/0/score").asDouble()).isBetween(0.9, 1.0);
        assertThat(found.at("/abstain").asBoolean()).isFalse();
        assertThat(found.at("/best_score")).isEqualTo(found.at("/content/0/score"));
        assertThat(found.at("/searched").toString()).isEqualTo("{\"banks\":1,\"memories\":3}");
        assertThat(found.text("/content/0/bank")).isEqualTo("b");
        assertThat(found.text("/content/0/author")).isEqualTo("ann");
    }

    @Test
    void signsTellNamesApart() {
        storeAll(
                "We write the engine in C++ here.",
                "We write the client in C# here.",
                "We write drivers in C here.",
                "We write tools in C++20 here.");
        for (var query : List.of("C++", "c++", "C#", "c", "\"C++\"", "C", "C++20", "\uFF23\uFF0B\uFF0B", "C\uFF03")) {
            var found = texts(search(query, ",'mode':'text'"));
            var sign = VisibleText.of(query.replace("\"", "")).toUpperCase(java.util.Locale.ROOT);
            assertThat(found).as(query).hasSize(1).allMatch(text -> text.contains(" in " + sign + " here"));
        }
        for (var sign : List.of("+", "#", "?", "!!", "-", "&", "++")) {
            for (var mode : List.of("text", "hybrid", "vector")) {
                assertThat(search(sign, ",'min_score':0,'mode':'%s'".formatted(mode))
                                .at("/content")
                                .size())
                        .as("%s %s", sign, mode)
                        .isZero();
            }
        }
    }

    @Test
    void aNoteOfOneWordIsNoAnswerToAnotherWord() {
        storeAll("x", "ok", "test", "hello");
        for (var query : List.of("zqxv", "qqq", "asdf zqxv", "hm")) {
            assertThat(search(query).at("/content").size()).as(query).isZero();
        }
        assertThat(texts(search("ok"))).containsExactly("ok");
    }

    @Test
    void whatNothingAnswersIsSaidSo() {
        storeAll("The deploy runs on Friday.", "Tea is at four.");
        var found = search("How tall is the tower in Paris on Friday mornings?");
        assertThat(found.at("/abstain").asBoolean()).isTrue();
        assertThat(search("zzz").at("/content").size()).isZero();
        assertThat(search("zzz").at("/abstain").asBoolean()).isTrue();
    }

    @Test
    void operatorsRestrict() {
        store("red green blue", ",'vx':{'name':'colours one','tags':['a','b']}");
        store("green red blue", ",'vx':{'name':'paint','tags':['a']}");
        store("greenish yellow", "");
        assertThat(texts(search("\"red green\""))).containsExactly("red green blue");
        assertThat(texts(search("blue -\"red green\""))).containsExactly("green red blue");
        assertThat(texts(search("green -paint"))).containsExactly("red green blue");
        assertThat(texts(search("gree*"))).hasSize(3);
        assertThat(texts(search("name:paint"))).containsExactly("green red blue");
        assertThat(texts(search("blue name:\"colours one\""))).containsExactly("red green blue");
        assertThat(texts(search("blue tag:b"))).containsExactly("red green blue");
        assertThat(texts(search("blue tag:B"))).containsExactly("red green blue");
        assertThat(texts(search("blue", ",'vx':{'tags':['a','b']}"))).containsExactly("red green blue");
        assertThat(texts(search("yelow"))).containsExactly("greenish yellow");
        assertThat(texts(search("blue", ",'page':{'limit':1}"))).hasSize(1);
        assertThat(texts(search("blue", ",'since':'2999-01-01T00:00:00Z'"))).isEmpty();
        assertThat(texts(search("blue", ",'until':'2999-01-01T00:00:00Z'"))).hasSize(2);
        ann.call("MB_Store", "{'target':{'bank':'b','agent':'Ada'},'content':'blue moon'}")
                .ok();
        assertThat(texts(ann.call("MB_Search", "{'target':{'bank':'b','agent':'Ada'},'content':'blue'}")
                        .ok()))
                .containsExactly("blue moon");
    }

    @Test
    void wordsAreFoundInOtherFormsOfManyLanguages() {
        storeAll(
                "Die Häuser der Straße wurden verkauft, und das ist gut.",
                "Поезда опаздывают из-за снега на линии.",
                "東京の天気は明日晴れです。",
                "รถไฟฟ้ามาถึงสถานีกรุงเทพเวลาเก้าโมง",
                "Les élèves étaient dans les écoles de la ville.",
                "call getUserName before save_all");
        assertThat(texts(search("haus strasse")).getFirst()).startsWith("Die Häuser");
        assertThat(texts(search("поезд")).getFirst()).startsWith("Поезда");
        assertThat(texts(search("東京の天気")).getFirst()).startsWith("東京");
        assertThat(texts(search("สถานีกรุงเทพ")).getFirst()).startsWith("รถไฟ");
        assertThat(texts(search("ecole eleve")).getFirst()).startsWith("Les élèves");
        assertThat(texts(search("user name")).getFirst()).startsWith("call");
    }

    @Test
    void onlyTheBestPartOfALongTextIsShown() {
        store("word ".repeat(3_000) + "the password is in the vault " + "other ".repeat(3_000), "");
        var found = search("password vault", ",'max_tokens':100");
        assertThat(found.at("/content/0/text").isMissingNode()).isTrue();
        assertThat(found.text("/content/0/snippet"))
                .contains("password is in the vault")
                .hasSizeLessThan(500);
        var start = found.at("/content/0/why/highlights/0/0").asInt();
        assertThat(found.text("/content/0/snippet").substring(start)).startsWith("password");
    }

    @Test
    void changesAreFoundAtOnceAndWhatIsHiddenIsNot() {
        store("alpha one", ",'vx':{'name':'x'}");
        assertThat(texts(search("alpha"))).containsExactly("alpha one");
        store("beta one", ",'vx':{'name':'x'}");
        assertThat(texts(search("alpha"))).isEmpty();
        assertThat(texts(search("beta"))).containsExactly("beta one");
        ann.call("MB_Store", "{'target':{'bank':'b','agent':'Ada'},'content':'beta two'}")
                .ok();
        assertThat(texts(search("beta"))).hasSize(2);
        ann.call("MB_Censor", "{'target':{'bank':'b','agent':'Ada'}}").ok();
        assertThat(texts(search("beta"))).containsExactly("beta one");
        ann.call("MB_Uncensor", "{'target':{'bank':'b','agent':'Ada'}}").ok();
        assertThat(texts(search("beta"))).hasSize(2);
        ann.call("MB_Delete", "{'target':{'bank':'b','agent':'Ada'}}").ok();
        assertThat(texts(search("beta"))).containsExactly("beta one");
        ann.call("MB_Restore", "{'target':{'bank':'b','agent':'Ada'}}").ok();
        assertThat(texts(search("beta"))).hasSize(2);
        ann.call("MB_Destroy", "{'target':{'bank':'b','agent':'Ada'}}").ok();
        assertThat(texts(search("beta"))).containsExactly("beta one");
        assertThat(search("beta").at("/searched/memories").asInt()).isEqualTo(1);
        ann.call("MB_Censor", "{'target':{'bank':'b'}}").ok();
        assertThat(texts(search("beta"))).isEmpty();
    }

    /** Numbers of changes from another server say nothing about what an index has. */
    @Test
    void anIndexIsReadAgainInAnotherEpoch() {
        store("delta one", "");
        assertThat(texts(search("delta"))).containsExactly("delta one");
        inEachTenant("""
                INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at,
                                    change)
                SELECT tenant_id, bank_id, gen_random_uuid(), 'delta two', '{}', author_id, contributors, '{}', now(), now(), '4'
                  FROM memory
                 WHERE tenant_id = :tenant;
                DELETE FROM memory_vector WHERE tenant_id = :tenant -- Their changes would lead to it, too.
                """);
        assertThat(texts(search("delta"))).containsExactly("delta one");
        // As of a tenant that is known on a server: a new one gets the epoch 0.
        inEachTenant("UPDATE event_feed SET epoch = epoch + 1, home = 'elsewhere' WHERE tenant_id = :tenant");
        assertThat(texts(search("delta"))).containsExactlyInAnyOrder("delta one", "delta two");
    }

    private void inEachTenant(String statement) {
        for (var api : ClientApi.values()) {
            TestDatabase.db()
                    .sql(statement)
                    .counting(EnumSet.allOf(Scope.class))
                    .set("tenant", tenant.id(api))
                    .run();
        }
    }

    @Test
    void withoutABankAllThatTheCallerMayReadAreSearched() {
        store("gamma of ann", "");
        bob.call("MB_Create", "{'vx':{'name':'open','access':'public'}}").ok();
        bob.call("MB_Create", "{'vx':{'name':'closed'}}").ok();
        for (var bank : List.of("open", "closed")) {
            bob.call("MB_Store", "{'target':{'bank':'%s'},'content':'gamma %s'}".formatted(bank, bank))
                    .ok();
        }
        var found = ann.call("MB_Search", "{'content':'gamma'}").ok();
        assertThat(texts(found)).containsExactlyInAnyOrder("gamma of ann", "gamma open");
        assertThat(found.at("/searched/banks").asInt()).isEqualTo(2);
        ann.call("MB_Search", "{'target':{'bank':'closed'},'content':'gamma'}").refused(3001, "no bank 'closed'");
        ann.call("MB_Search", "{'target':{'bank':'b'},'content':' '}").refused(1003, "content");
    }

    @Test
    void whatIsSupersededOrExpiredIsLeftOut() {
        var old = store("the tide table says six", "").text("/memory/id");
        var correction = ",'supersedes':'%s','reason':'misread'".formatted(old);
        ann.call(
                        "MB_Store",
                        "{'target':{'bank':'b','agent':'Ada'},'content':'the tide table says seven'%s}"
                                .formatted(correction))
                .ok();
        assertThat(texts(search("tide table"))).containsExactly("the tide table says seven");
        ann.call("MB_Censor", "{'target':{'bank':'b','agent':'Ada'}}").ok();
        assertThat(texts(search("tide table"))).containsExactly("the tide table says six");
    }

    /** Runs at one endpoint only, since the times of the two tenants differ. */
    @Test
    void thePastCanBeSearched() {
        var key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
        call(TestServer.url(), key, "MB_Create", "{'vx':{'name':'c'}}");
        var stored = "{'target':{'bank':'c'},'vx':{'name':'pump'},'content':'the pump is %s'}";
        var first = call(TestServer.url(), key, "MB_Store", stored.formatted("red"));
        call(TestServer.url(), key, "MB_Store", stored.formatted("green"));
        call(TestServer.url(), key, "MB_Store", "{'target':{'bank':'c'},'content':'the pump hums'}");
        var then = ",'as_of':'%s'".formatted(first.text("/memory/updated_at"));
        var query = "{'target':{'bank':'c'},'content':'%s'%s}";
        assertThat(texts(call(TestServer.url(), key, "MB_Search", query.formatted("pump", ""))))
                .containsExactlyInAnyOrder("the pump is green", "the pump hums");
        var past = call(TestServer.url(), key, "MB_Search", query.formatted("pump red", then));
        assertThat(texts(past)).containsExactly("the pump is red");
        assertThat(past.at("/content/0/revision").asInt()).isEqualTo(1);
        assertThat(texts(call(TestServer.url(), key, "MB_Search", query.formatted("green hums", then))))
                .isEmpty();
    }

    @Test
    void noQueryFails() {
        storeAll("The deploy runs on Friday.", "SELECT * FROM x; DROP TABLE memory; --");
        var queries = Stream.of(
                "\"",
                "\"\"",
                "-",
                "- -",
                "-\"",
                "*",
                "a*",
                "***",
                "name:",
                "tag:",
                "name:\"",
                "tag:\"\"",
                "-name:x",
                "NOT AND OR",
                "(((",
                "[a TO b]",
                "{x}",
                "~1 ^2",
                "\\",
                "/.*/",
                "(a+)+$",
                "'; DROP TABLE memory; --",
                "' OR 1=1 --",
                "%_%",
                "🙂🙃 👩‍👩‍👧",
                "مرحبا بالعالم",
                "\u202Eabc\u202C",
                "שלום עולם",
                "Ωμέγα",
                "हिन्दी",
                "한국어",
                "ქართული",
                "አማርኛ",
                "e\u0301\u0301\u0301",
                "\u0000".replace("\u0000", " x"),
                "x".repeat(2_000),
                "ab ".repeat(666),
                "漢".repeat(2_000),
                "\"".repeat(2_000),
                "-a ".repeat(600),
                "a* ".repeat(600),
                "zz* ".repeat(500),
                "qwertyuiop ".repeat(180));
        queries.forEach(
                query -> assertThat(search(query).at("/abstain").isBoolean()).isTrue());
        ann.call("MB_Search", "{'target':{'bank':'b'},'content':'%s'}".formatted("x".repeat(2_001)))
                .refused(1005, "content");
        assertThat(texts(search("DROP TABLE"))).hasSize(1);
    }

    @Test
    void whatOneReplicaStoresAnotherFindsAtOnce() {
        var key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
        call(TestServer.url(), key, "MB_Create", "{'vx':{'name':'c'}}");
        try (var replica = TestServer.replica()) {
            for (var i = 0; i < 20; i++) {
                call(
                        TestServer.url(),
                        key,
                        "MB_Store",
                        "{'target':{'bank':'c'},'content':'delta word%d'}".formatted(i));
                for (var url : List.of(replica.url(), TestServer.url())) {
                    var found = call(url, key, "MB_Search", "{'target':{'bank':'c'},'content':'word%d'}".formatted(i));
                    assertThat(texts(found)).startsWith("delta word%d".formatted(i));
                }
            }
        }
    }

    /** Half of the memories have transaction numbers that are not yet assigned, as after a restore. */
    @Test
    void aNewIndexHasEachMemoryOnce() {
        store("zeta itself", "");
        for (var api : ClientApi.values()) {
            fill(tenant.id(api), "-n % 300");
        }
        for (var number : List.of(1, 1_999, 2_491, 109)) {
            var found = search("number" + number, ",'mode':'text'");
            assertThat(texts(found)).contains("zeta number" + number);
            assertThat(found.at("/searched/memories").asInt()).isEqualTo(2_001);
        }
        assertThat(texts(search("number2490", ",'mode':'text'"))).doesNotContain("zeta number2490");
        for (var api : ClientApi.values()) {
            assertThat(countFutureChanges(tenant.id(api))).isZero();
        }
    }

    /** After a portion of new changes comes one with restored changes. */
    @Test
    void anIndexTakesUpNewAndRestoredChangesTogether() {
        store("zeta itself", "");
        assertThat(texts(search("zeta"))).containsExactly("zeta itself");
        for (var api : ClientApi.values()) {
            fill(tenant.id(api), "0");
        }
        assertThat(search("number1999", ",'mode':'text'")
                        .at("/searched/memories")
                        .asInt())
                .isEqualTo(2_001);
        for (var api : ClientApi.values()) {
            assertThat(countFutureChanges(tenant.id(api))).isZero();
        }
    }

    /** The index is built before the transaction that stores the second memory ends. */
    @Test
    void aStoreThatEndsAfterTheIndexWasBuiltIsFound() {
        store("eta first", "");
        var db = TestDatabase.db();
        db.transaction(() -> {
            for (var api : ClientApi.values()) {
                db.sql("""
                        INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at, updated_at)
                        SELECT tenant_id, bank_id, gen_random_uuid(), 'eta second', '{}', author_id, contributors, '{}', now(), now()
                          FROM memory
                         WHERE tenant_id = :tenant
                        """)
                        .quiet()
                        .counting(EnumSet.allOf(Scope.class))
                        .set("tenant", tenant.id(api))
                        .run();
                // Its vectors would be another change, which leads to it, too.
                db.sql("""
                        DELETE FROM memory_vector v
                         USING memory m
                         WHERE m.tenant_id = :tenant AND m.text = 'eta second' AND v.tenant_id = m.tenant_id AND v.memory_id = m.id
                        """).set("tenant", tenant.id(api)).run();
            }
            store("eta third", "");
            return assertThat(texts(search("eta"))).containsExactlyInAnyOrder("eta first", "eta third");
        });
        assertThat(texts(search("eta"))).contains("eta first", "eta second", "eta third");
    }

    /**
     * Stores 2,500 memories with vectors, a fifth of them deleted. Every other change has a number that this database server has not
     * assigned yet.
     *
     * @param number SQL for the number of each other change, in relation to that of the present transaction
     */
    private static void fill(long tenant, String number) {
        var db = TestDatabase.db();
        var change =
                "CAST(CAST(CAST(CAST(pg_current_xact_id() AS text) AS bigint) + CASE WHEN n % 2 = 1 THEN 1000000 ELSE {number} END AS text) AS xid8)"
                        .replace("{number}", number);
        db.transaction(
                () -> db.sql("""
                INSERT INTO memory (tenant_id, bank_id, id, text, tags, author_id, contributors, derived_from, created_at,
                                    updated_at, deleted_at, change)
                SELECT m.tenant_id, m.bank_id, gen_random_uuid(), 'zeta number' || n, '{}', m.author_id, m.contributors, '{}',
                       now(), now(), CASE WHEN n % 5 = 0 THEN now() END,
                """ + change + " FROM memory m, generate_series(1, 2500) n WHERE m.tenant_id = :tenant")
                                .quiet()
                                .counting(EnumSet.allOf(Scope.class))
                                .set("tenant", tenant)
                                .run()
                        + db.sql("UPDATE memory_vector v SET change = " + change + """
                , model = 'all-minilm-l6-v2-q/1', vectors = decode('01803a83126f' || repeat('7f', 384), 'hex')
                  FROM (SELECT row_number() OVER (ORDER BY memory_id) AS n, memory_id FROM memory_vector WHERE tenant_id = :tenant) g
                 WHERE v.tenant_id = :tenant AND v.memory_id = g.memory_id
                """)
                                .set("tenant", tenant)
                                .run());
    }

    private static long countFutureChanges(long tenant) {
        return TestDatabase.db()
                .sql("""
                SELECT count(*) AS number
                  FROM (SELECT change FROM memory WHERE tenant_id = :tenant
                        UNION ALL SELECT change FROM memory_vector WHERE tenant_id = :tenant) c
                 WHERE c.change >= pg_snapshot_xmax(pg_current_snapshot())
                """)
                .set("tenant", tenant)
                .one(row -> row.number("number"))
                .orElseThrow();
    }

    /** A saved index is reused and brought up to date; a damaged copy is rebuilt. */
    @Tag("slow")
    @Test
    void anIndexContinuesAfterARestart(@TempDir Path directory) throws IOException {
        var key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
        call(TestServer.url(), key, "MB_Create", "{'vx':{'name':'c'}}");
        var query = "{'target':{'bank':'c'},'content':'epsilon'}";
        for (var run = 1; run <= 3; run++) {
            call(TestServer.url(), key, "MB_Store", "{'target':{'bank':'c'},'content':'epsilon %d'}".formatted(run));
            try (var app = TestServer.start(Map.of("ENGINE_DATA_DIR", directory.toString()))) {
                assertThat(texts(call(app.baseUrl(), key, "MB_Search", query))).hasSize(run);
            }
            if (run == 2) {
                damage(directory);
            }
        }
    }

    private static void damage(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.filter(each -> each.getFileName().toString().startsWith("_"))
                    .toList()) {
                Files.delete(file);
            }
        }
    }

    private static Reply call(String url, String key, String service, String arguments) {
        TestCaller person = (name, input) -> ClientApi.REST.call(url, key, name, input);
        return person.call(service, arguments).ok();
    }
}
