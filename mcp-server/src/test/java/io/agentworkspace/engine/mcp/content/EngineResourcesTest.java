package io.agentworkspace.engine.mcp.content;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class EngineResourcesTest {
    private final TestTenant tenant = new TestTenant();
    private RawMcpClient ann;
    private RawMcpClient eve;

    @BeforeEach
    void connect() {
        ann = new RawMcpClient(TestServer.url() + "/mcp", tenant.key(ClientApi.MCP, "ann", Role.MEMBER, List.of("*")));
        eve = new RawMcpClient(TestServer.url() + "/mcp", tenant.key(ClientApi.MCP, "eve", Role.MEMBER, List.of("*")));
        call("AP_Create", "{'vx': {'name': 'Ada L', 'description': 'Counts.'}}");
        call("DM_Create", "{'target': {'agent': 'Ada L'}, 'vx': {'name': 'Lab', 'description': 'Work.'}}");
        call("MB_Create", "{'vx': {'name': 'Notes', 'description': 'What was found.'}}");
    }

    private void call(String tool, String arguments) {
        var result = ann.modern("tools/call", "{'name': '%s', 'arguments': %s}".formatted(tool, arguments));
        assertThat(result.at("/result/structuredContent/status/success").asBoolean())
                .as(result.toString())
                .isTrue();
    }

    private static JsonNode read(RawMcpClient peer, String uri) {
        return peer.modern("resources/read", "{'uri': '%s'}".formatted(uri));
    }

    private static JsonNode content(JsonNode answer) {
        return Json.read(answer.at("/result/contents/0/text").asString("").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whatACallerMaySeeIsListedAndCanBeRead() {
        var all = listed(ann);
        assertThat(all)
                .containsExactly(
                        "engine://agents/Ada%20L",
                        "engine://domains/Lab", "engine://domains/Lab/zones/main", "engine://banks/Notes");
        for (var uri : all) {
            assertThat(content(read(ann, uri)).at("/profile/0/name").asString())
                    .as(uri)
                    .isNotEmpty();
            assertThat(read(eve, uri).at("/error/code").asInt()).as(uri).isEqualTo(-32602);
        }
        assertThat(listed(eve)).isEmpty();
    }

    /** Returns all pages, without the files of skills, which everyone can read. */
    private static List<String> listed(RawMcpClient peer) {
        var all = new ArrayList<String>();
        var params = "{}";
        while (!params.isEmpty()) {
            var page = peer.modern("resources/list", params).get("result");
            page.get("resources")
                    .forEach(resource -> all.add(resource.get("uri").asString()));
            var next = page.path("nextCursor").asString("");
            params = next.isEmpty() ? "" : "{'cursor': '%s'}".formatted(next);
        }
        return all.stream().filter(uri -> uri.startsWith("engine://")).toList();
    }

    @Test
    void pagesAreFilledAcrossSourcesWhateverIsAddedMeanwhile() {
        for (var i = 0; i < 120; i++) {
            call("AP_Create", "{'vx': {'name': 'b%03d', 'description': 'One of many.'}}".formatted(i));
        }
        for (var i = 0; i < 40; i++) {
            call(
                    "DM_Create",
                    "{'target': {'agent': 'Ada L'}, 'vx': {'name': 'd%02d', 'description': 'A room.'}}".formatted(i));
        }
        var before = listed(ann);
        assertThat(before).hasSize(121 + 2 * 41 + 1).doesNotHaveDuplicates();
        var pages = new ArrayList<JsonNode>();
        for (var params = "{}"; !params.isEmpty(); ) {
            var page = ann.modern("resources/list", params).get("result");
            pages.add(page);
            // Before and after the position of the cursor.
            call("AP_Create", "{'vx': {'name': 'a%d', 'description': 'Early.'}}".formatted(pages.size()));
            call("MB_Create", "{'vx': {'name': 'z%d', 'description': 'Late.'}}".formatted(pages.size()));
            var next = page.path("nextCursor").asString("");
            params = next.isEmpty() ? "" : "{'cursor': '%s'}".formatted(next);
        }
        assertThat(pages).hasSizeGreaterThan(2).allSatisfy(page -> {
            assertThat(page.get("cacheScope").asString()).isEqualTo("private");
            assertThat(page.get("ttlMs")).isEqualTo(pages.getFirst().get("ttlMs"));
        });
        // A domain and its zone are on the same page, so a page may have a place left.
        assertThat(pages.subList(0, pages.size() - 1))
                .allSatisfy(page -> assertThat(page.get("resources")).hasSizeBetween(99, 100));
        var seen = pages.stream()
                .flatMap(page -> page.get("resources").valueStream())
                .map(resource -> resource.get("uri").asString())
                .toList();
        assertThat(seen).doesNotHaveDuplicates().containsSubsequence(before);
    }

    @Test
    void aZoneIsFoundHoweverManyItsDomainHas() {
        for (var i = 0; i < 205; i++) {
            call(
                    "ZN_Create",
                    "{'target': {'domain': 'Lab'}, 'vx': {'name': 'z%03d', 'description': 'One.'}}".formatted(i));
        }
        var last = "engine://domains/Lab/zones/z204";
        assertThat(content(read(ann, last)).at("/profile/0/name").asString()).isEqualTo("z204");
        var session = ann.session("2025-11-25", "{}");
        assertThat(session.call("resources/subscribe", "{'uri': '%s'}".formatted(last))
                        .has("result"))
                .isTrue();
        for (var other : List.of("engine://domains/Lab/zones/z20", "engine://domains/Lab/zones/z2041")) {
            assertThat(session.call("resources/subscribe", "{'uri': '%s'}".formatted(other))
                            .at("/error/code")
                            .asInt())
                    .isEqualTo(-32002);
        }
        assertThat(completed(ann, "engine://domains/{domain}/zones/{zone}", "zone", "z20", "{'domain': 'Lab'}"))
                .containsExactly("z200", "z201", "z202", "z203", "z204");
    }

    @Test
    void whatIsNoAddressIsNotFound() {
        for (var uri : List.of(
                "engine://agents/",
                "engine://agents/Nobody",
                "engine://agents/..",
                "engine://agents/a%2Fb",
                "engine://agents/%zz",
                "engine://domains/Lab/zones",
                "engine://domains/Lab/zones/none",
                "engine://",
                "file:///etc/passwd",
                "engine://agents/Ada%20L/x",
                "x")) {
            var error = read(ann, uri).get("error");
            assertThat(error).as(uri).isNotNull();
            assertThat(error.get("code").asInt()).as(uri).isEqualTo(-32602);
            assertThat(error.at("/data/uri").asString()).isEqualTo(uri);
        }
    }

    @Test
    void aCursorThatIsNotOursIsRefused() {
        for (var cursor : List.of("x", "", "LTEKeA", "OTkKeA", "MAp4")) {
            var answer = ann.modern("resources/list", "{'cursor': '%s'}".formatted(cursor));
            assertThat(answer.at("/error/code").asInt()).as(cursor).isEqualTo(-32602);
        }
    }

    @Test
    void namesAreCompletedAmongThoseThatTheCallerMaySee() {
        assertThat(completed(ann, "engine://agents/{agent}", "agent", "ad", "{}"))
                .containsExactly("Ada L");
        assertThat(completed(eve, "engine://agents/{agent}", "agent", "ad", "{}"))
                .isEmpty();
        assertThat(completed(ann, "engine://domains/{domain}", "domain", "", "{}"))
                .containsExactly("Lab");
        assertThat(completed(ann, "engine://banks/{bank}", "bank", "n", "{}")).containsExactly("Notes");
        var zones = "engine://domains/{domain}/zones/{zone}";
        assertThat(completed(ann, zones, "zone", "m", "{'domain': 'Lab'}")).containsExactly("main");
        assertThat(completed(ann, zones, "zone", "m", "{}")).isEmpty();
        assertThat(completed(ann, "engine://agents/{agent}", "agent", "<>", "{}"))
                .isEmpty();
    }

    private static List<String> completed(
            RawMcpClient peer, String template, String argument, String value, String others) {
        var answer = peer.modern(
                "completion/complete",
                "{'ref': {'type': 'ref/resource', 'uri': '%s'}, 'argument': {'name': '%s', 'value': '%s'}, 'context': {'arguments': %s}}"
                        .formatted(template, argument, value, others));
        return answer.at("/result/completion/values")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }
}
