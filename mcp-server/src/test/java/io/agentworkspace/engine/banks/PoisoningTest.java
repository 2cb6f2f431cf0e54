package io.agentworkspace.engine.banks;

import static io.agentworkspace.engine.banks.BankFixture.agent;
import static io.agentworkspace.engine.banks.BankFixture.bank;
import static io.agentworkspace.engine.banks.BankFixture.grant;
import static io.agentworkspace.engine.banks.BankFixture.share;
import static io.agentworkspace.engine.banks.BankFixture.storeAs;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

    private static final String DERIVED = "{'target':{'bank':'b','agent':'Ada'},'content':'%s','derived_from':['%s']}";

    @Test
    void oneCensorHidesTheFalseAndTheDerivedAndNothingElse() {
        agent(ann, "Ada");
        agent(bob, "Bo", "public");
        bank(ann, "b");
        grant(ann, "b", "Bo", "write").ok();
        var right = storeAs(ann, "b", "Ada", "true 0").ok().text("/memory/id");
        storeAs(ann, "b", "Ada", "true 1").ok();
        ann.call("MB_Store", DERIVED.formatted("true 2", right)).ok();
        var before = everyView();
        assertThat(before).allSatisfy((_, texts) -> assertThat(texts).hasSize(3));

        // The first replaces a true one, and each derived one comes from the one before.
        bob.call(
                        "MB_Store",
                        "{'target':{'bank':'b','agent':'Bo'},'content':'false 0','pinned':true,'supersedes':'%s'}"
                                .formatted(right))
                .ok();
        var origin = "";
        for (var i = 1; i < 10; i++) {
            origin = storeAs(bob, "b", "Bo", "false " + i).ok().text("/memory/id");
        }
        for (var i = 0; i < 10; i++) {
            origin = ann.call("MB_Store", DERIVED.formatted("derived " + i, origin))
                    .ok()
                    .text("/memory/id");
        }
        var poisoned = everyView();
        assertThat(poisoned)
                .allSatisfy((_, texts) -> assertThat(texts).hasSize(22).doesNotContain("true 0"));

        var preview = ann.call("MB_Censor", "{'target':{'bank':'b','agent':'Bo'},'dry_run':true}")
                .ok();
        assertThat(preview.at("/changed").asBoolean(true)).isFalse();
        assertThat(preview.number("/hidden")).isEqualTo(20);
        assertThat(preview.at("/affected")).hasSize(20);
        assertThat(everyView()).isEqualTo(poisoned);

        assertThat(ann.call("MB_Censor", share("b", "Bo")).ok().number("/hidden"))
                .isEqualTo(20);
        assertThat(everyView()).isEqualTo(before);

        assertThat(ann.call("MB_Uncensor", share("b", "Bo")).ok().number("/shown"))
                .isEqualTo(20);
        assertThat(everyView()).isEqualTo(poisoned);
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
                        "{'target':{'bank':'b'},'content':'true false derived','page':{'limit':50},'max_tokens':8000}")
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
                "list",
                ofSize(ann.call("MB_List").ok().number("/content/0/memories"), read.texts("/content", "text")));
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
                {"jsonrpc":"2.0","id":"1","method":"resources/read","params":{"uri":"engine://banks/b"}}""");
        var contents = Json.readObject(answer.body()).at("/result/contents/0/text");
        assertThat(contents.isString())
                .as(new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8))
                .isTrue();
        return Json.readObject(contents.asString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
}
