package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.agent;
import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.grant;
import static io.agentworkspace.engine.memory.banks.BankFixture.share;
import static io.agentworkspace.engine.memory.banks.BankFixture.store;
import static io.agentworkspace.engine.memory.banks.BankFixture.storeNamed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.workspace.delivery.live.Feed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * An agent stores false memories, and others derive more from them. One command hides exactly these; another shows them again.
 */
class PoisoningTest {
    private final BankFixture fixture = new BankFixture();
    private final TestCaller ann = fixture.ann;
    private final TestCaller bob = fixture.bob;
    private final String admin = fixture.tenant.key(ClientApi.MCP, "root", Role.ADMIN, List.of("*"));

    private final TestCaller boss = fixture.tenant.person(ClientApi.MCP, "boss", Role.ADMIN);
    private final String listener = fixture.tenant.key(ClientApi.REST, "listener", Role.ADMIN, List.of("*"));
    private int marks;

    @Test
    void oneCensorHidesTheFalseAndTheDerivedAndNothingElse() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
        grant(ann, "b", "Bo", "write").ok();
        var beginning = beginning();
        var right = storeNamed(ann, "b", "Ada", "true-0", "true 0").ok().text("/memory/id");
        storeNamed(ann, "b", "Ada", "true-1", "true 1").ok();
        derive("true 2", right);
        var before = everyView();
        var streamedBefore = streamed(beginning);
        assertThat(streamedBefore).containsExactly("true 0", "true 1", "true 2");
        assertThat(before).allSatisfy((_, texts) -> assertThat(texts).hasSize(3));

        // The first replaces a true one, and each derived one comes from the one before.
        bob.call(
                        "MB_Store",
                        "{'target':{'bank':'b','agent':'Bo'},'vx':{'name':'false-0'},'content':'false 0','pinned':true,'supersedes':'%s'}"
                                .formatted(right))
                .ok();
        var origin = "";
        for (var i = 1; i < 10; i++) {
            origin = storeNamed(bob, "b", "Bo", "false-" + i, "false " + i).ok().text("/memory/id");
        }
        for (var i = 0; i < 10; i++) {
            origin = derive("derived " + i, origin);
        }
        var poisoned = everyView();
        assertThat(poisoned)
                .allSatisfy((_, texts) -> assertThat(texts).hasSize(22).doesNotContain("true 0"));
        var streamed = streamed(beginning);
        assertThat(streamed).hasSize(23).containsAll(streamedBefore);

        var preview = ann.call("MB_Censor", "{'target':{'bank':'b','agent':'Bo'},'dry_run':true}")
                .ok();
        assertThat(preview.at("/changed").asBoolean(true)).isFalse();
        assertThat(preview.number("/hidden")).isEqualTo(20);
        assertThat(preview.at("/affected")).hasSize(20);
        assertThat(everyView()).isEqualTo(poisoned);

        assertThat(ann.call("MB_Censor", share("b", "Bo")).ok().number("/hidden"))
                .isEqualTo(20);
        assertThat(everyView()).isEqualTo(before);
        assertThat(streamed(beginning)).isEqualTo(streamedBefore);

        assertThat(ann.call("MB_Uncensor", share("b", "Bo")).ok().number("/shown"))
                .isEqualTo(20);
        assertThat(everyView()).isEqualTo(poisoned);
        assertThat(streamed(beginning)).isEqualTo(streamed);
        theAuditHasNoTexts(poisoned.get("read"));
    }

    /** The audit is what the console exports, and its entries stay. */
    private void theAuditHasNoTexts(List<String> texts) {
        var audit = boss.call("AC_Audit", "{'page':{'limit':200}}").ok();
        assertThat(audit.texts("/entries", "tool")).contains("MB_Censor", "MB_Uncensor", "MB_Store");
        assertThat(texts)
                .hasSize(22)
                .noneMatch(text -> audit.envelope().toString().contains(text));
        await().untilAsserted(() -> assertThat(feed().texts("/events", "type")).contains("agent.deployment.created"));
        assertThat(feed().envelope().toString()).contains("Ada").doesNotContain("derived 1", "false 1");
    }

    private Reply feed() {
        return boss.call("WH_Feed", "{}").ok();
    }

    /** Stores a memory that comes from another, and returns its id. */
    private String derive(String text, String from) {
        return ann.call(
                        "MB_Store",
                        "{'target':{'bank':'b','agent':'Ada'},'vx':{'name':'%s'},'content':'%s','derived_from':['%s']}"
                                .formatted(text.replace(' ', '-'), text, from))
                .ok()
                .text("/memory/id");
    }

    /** Returns a place in the stream of changes, before everything that is stored from now on. */
    private String beginning() {
        bank(ann, "marks");
        try (var feed = Feed.connect(TestServer.url(), "?topics=memories", "X-Api-Key", listener)) {
            mark();
            feed.next("memories");
            return feed.lastId();
        }
    }

    private String mark() {
        var mark = "mark " + marks++;
        store(ann, "marks", mark).ok();
        return mark;
    }

    /** Returns the texts that the stream reports if it is resumed at a place, up to now. A superseded one is among them. */
    private List<String> streamed(String place) {
        var now = mark();
        try (var feed =
                Feed.open(TestServer.url(), "?topics=memories", "X-Api-Key", listener, "Last-Event-ID", place)) {
            assertThat(feed.next().data().path("resumed").asBoolean()).isTrue();
            var texts = new TreeSet<String>();
            for (var text = "";
                    !text.equals(now);
                    text = feed.next("memories").path("text").asString("")) {
                texts.add(text);
            }
            texts.removeIf(text -> text.isEmpty() || text.startsWith("mark "));
            return List.copyOf(texts);
        }
    }

    /** Returns the texts of the files in the bank; each is named like its text. */
    private List<String> files() {
        var view = ann.call("MB_Files", "{'target':{'bank':'b'},'command':'view','path':'/memories'}")
                .ok()
                .text("/text");
        return sorted(view.lines()
                .filter(line -> line.contains("/memories/"))
                .map(line -> line.substring(line.lastIndexOf('/') + 1).replace('-', ' ')));
    }

    /** Returns the texts that each way of reading shows, in order. */
    private Map<String, List<String>> everyView() {
        var read = ann.call("MB_Read", "{'target':{'bank':'b'},'page':{'limit':200}}")
                .ok();
        var loaded = ann.call("MB_Load", "{'target':{'agent':'Ada'},'vx':{'name':'b'}}")
                .ok();
        assertThat(read.number("/profile/0/memories"))
                .isEqualTo(read.at("/content").size());
        assertThat(loaded.number("/bank/memories"))
                .isEqualTo(read.at("/content").size());
        var found = ann.call(
                        "MB_Search",
                        "{'target':{'bank':'b'},'min_score':0,'content':'true false derived','page':{'limit':50},'max_tokens':8000}")
                .ok();
        return Map.of(
                "search",
                sorted(found.texts("/content", "text").stream()),
                "read",
                sorted(read.texts("/content", "text").stream()),
                "load",
                sorted(loaded.texts("/content", "text").stream()),
                "resource",
                sorted(resource()
                        .path("content")
                        .valueStream()
                        .map(memory -> memory.path("text").asString())),
                "export",
                export(),
                "files",
                files(),
                "list",
                ofSize(ann.call("MB_List").ok().number("/content/0/memories"), read.texts("/content", "text")));
    }

    /** Returns the texts as the console exports them: the calls are the same, with smaller pages. */
    private List<String> export() {
        var texts = new ArrayList<String>();
        var cursor = "";
        do {
            var page = ann.call("MB_Read", "{'target':{'bank':'b'},'page':{'limit':5%s}}".formatted(cursor))
                    .ok();
            texts.addAll(page.texts("/content", "text"));
            cursor = page.text("/next_cursor").isEmpty() ? "" : ",'cursor':'%s'".formatted(page.text("/next_cursor"));
        } while (!cursor.isEmpty());
        return sorted(texts.stream());
    }

    private static List<String> sorted(Stream<String> texts) {
        return texts.sorted().toList();
    }

    /** Returns the texts for a list that has only a count: those of another view with the same size. */
    private static List<String> ofSize(long size, List<String> texts) {
        assertThat(size).isEqualTo(texts.size());
        return sorted(new ArrayList<>(texts).stream());
    }

    private JsonNode resource() {
        var answer = ClientApi.post(TestServer.url() + "/mcp", admin, """
            {"jsonrpc":"2.0","id":"1","method":"resources/read","params":{"uri":"engine://banks/b"}}\
            """);
        var contents = Json.readObject(answer.body()).at("/result/contents/0/text");
        assertThat(contents.isString())
                .as(new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8))
                .isTrue();
        return Json.readObject(contents.asString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
