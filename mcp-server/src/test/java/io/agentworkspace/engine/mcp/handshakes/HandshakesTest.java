package io.agentworkspace.engine.mcp.handshakes;

import static io.agentworkspace.engine.mcp.handshakes.HandshakeFixture.HERE;
import static io.agentworkspace.engine.mcp.handshakes.HandshakeFixture.LIST;
import static io.agentworkspace.engine.mcp.handshakes.HandshakeFixture.initialize;
import static io.agentworkspace.engine.mcp.handshakes.HandshakeFixture.mirrored;
import static io.agentworkspace.engine.mcp.handshakes.HandshakeFixture.modern;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.CountingProxy;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.wire.SendsAnything;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** What the owner of a key learns about the clients that used it. */
@SendsAnything
@Tag("slow")
class HandshakesTest {
    private static final int FLOOD = 3_000;

    private final KeyFixture fixture = new KeyFixture();
    private final Made ann = fixture.user("ann", Role.MEMBER, "*");

    /** A handshake is recorded after its response. Until it is, the next one could be recorded first. */
    private void awaitHandshakes(int handshakes) {
        await().until(() -> HERE.reports(ann).size() == handshakes);
    }

    private static String text(JsonNode report, String field) {
        return report.at(field).asString("");
    }

    @Test
    void aSessionIsOneHandshakeHoweverLongItLasts() {
        var handshake = HERE.post(ann.key(), initialize("2025-11-25", "claude-code"), "User-Agent", "claude-code/2.1");
        var session =
                handshake.response().headers().firstValue("Mcp-Session-Id").orElseThrow();
        awaitHandshakes(1);
        HERE.post(ann.key(), LIST, "Mcp-Session-Id", session);
        assertThat(HERE.all(ann)).hasSize(1);
        var report = HERE.reports(ann).getLast();
        assertThat(text(report, "/era")).isEqualTo("session");
        assertThat(text(report, "/method")).isEqualTo("initialize");
        assertThat(text(report, "/client/name")).isEqualTo("claude-code");
        assertThat(text(report, "/client/version")).isEqualTo("1.2");
        assertThat(text(report, "/protocol_version")).isEqualTo("2025-11-25");
        assertThat(text(report, "/user_agent")).isEqualTo("claude-code/2.1");
        assertThat(text(report, "/outcome")).isEqualTo("ok");
        assertThat(report.path("authenticated").asBoolean()).isTrue();
        assertThat(report.path("status").asInt()).isEqualTo(200);
        assertThat(text(report, "/advice")).contains("nothing to do");
        assertThat(report.has("wrong")).isFalse();
        assertThat(report.has("configuration")).isFalse();
    }

    @Test
    void anOlderRevisionIsToldWithWhatItWasAnswered() {
        HERE.post(ann.key(), initialize("2024-11-05", "old"));
        assertThat(text(HERE.only(ann), "/advice")).contains("2024-11-05").contains("2025-11-25");
    }

    @Test
    void aStatelessClientIsOneHandshakeWhetherItDiscoversOrNot() {
        var headers = mirrored("server/discover", "2026-07-28");
        HERE.post(ann.key(), modern("server/discover", "finder", "2026-07-28"), headers);
        awaitHandshakes(1);
        HERE.post(ann.key(), modern("tools/list", "finder", "2026-07-28"), mirrored("tools/list", "2026-07-28"));
        HERE.post(ann.key(), modern("tools/list", "doer", "2026-07-28"), mirrored("tools/list", "2026-07-28"));
        awaitHandshakes(2);
        HERE.post(ann.key(), modern("prompts/list", "doer", "2026-07-28"), mirrored("prompts/list", "2026-07-28"));
        assertThat(HERE.all(ann))
                .extracting(report ->
                        text(report, "/client/name") + " " + text(report, "/method") + " " + text(report, "/era"))
                .containsExactly("doer tools/list modern", "finder server/discover modern");
    }

    @Test
    void aBareClientIsOneHandshakeForEachProgram() {
        for (var i = 0; i < 3; i++) {
            HERE.post(ann.key(), LIST, "User-Agent", "curl/8");
            HERE.post(ann.key(), LIST, "User-Agent", "wget/1");
            awaitHandshakes(2);
        }
        assertThat(HERE.all(ann))
                .extracting(report -> text(report, "/user_agent") + " " + text(report, "/era"))
                .containsExactly("wget/1 bare", "curl/8 bare");
    }

    /** A refusal by a tool does not concern the connection. */
    @Test
    void aRefusalOfAToolIsNone() {
        HERE.post(ann.key(), "{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'AP_Nothing'}}");
        assertThat(text(HERE.only(ann), "/outcome")).isEqualTo("ok");
    }

    /** The request (path, method, body, headers), its expected name, status and code, and words of the advice. */
    static Stream<Arguments> wrongs() {
        return Stream.of(
                wrong(
                        "POST",
                        "/mcp",
                        LIST,
                        415,
                        -32600,
                        "Content-Type: application/json",
                        "Content-Type",
                        "text/plain"),
                wrong("POST", "/mcp", "{'jsonrpc': ", 400, -32700, "one JSON-RPC 2.0 object"),
                wrong("POST", "/mcp", "[]", 400, -32600, "Arrays of requests"),
                wrong(
                        "POST",
                        "/mcp",
                        "{'jsonrpc':'2.0','id':1.5,'method':'ping'}",
                        400,
                        -32600,
                        "string or an integer"),
                wrong("GET", "/mcp", "", 405, -32600, "Streamable HTTP"),
                wrong("POST", "/mcp/sse", LIST, 404, -32600, "at /mcp"),
                wrong("POST", "/mcp/x/bnak", LIST, 404, -32600, "/mcp for the default tools"),
                wrong("POST", "/mcp", LIST, 400, -32602, "leave the header out", "X-MCP-Toolsets", "bnak"),
                wrong(
                        "POST",
                        "/mcp",
                        LIST,
                        400,
                        -32022,
                        "2026-07-28, 2025-11-25",
                        "MCP-Protocol-Version",
                        "2024-11-05"),
                wrong(
                        "POST",
                        "/mcp",
                        modern("tools/list", "future", "2099-01-01"),
                        400,
                        -32022,
                        "Update the client",
                        mirrored("tools/list", "2099-01-01")),
                wrong("POST", "/mcp", LIST, 400, -32602, "params._meta", mirrored("tools/list", "2026-07-28")),
                wrong(
                        "POST",
                        "/mcp",
                        modern("tools/list", "mixed", "2026-07-28"),
                        400,
                        -32020,
                        "a proxy drops",
                        mirrored("tools/call", "2026-07-28")),
                wrong(
                        "POST",
                        "/mcp",
                        modern("ping", "late", "2026-07-28"),
                        404,
                        -32601,
                        "server/discover",
                        mirrored("ping", "2026-07-28")),
                wrong("POST", "/mcp", "{'jsonrpc':'2.0','id':1,'method':'tools/lost'}", 200, -32601, "the note names"),
                wrong("POST", "/mcp", "{'jsonrpc':'2.0','id':1,'method':'initialize'}", 200, -32602, "capabilities"),
                wrong("POST", "/mcp", LIST, 404, -32001, "without Mcp-Session-Id", "Mcp-Session-Id", "gone"),
                wrong(
                        "POST",
                        "/mcp",
                        modern("subscriptions/listen", "json only", "2026-07-28")
                                .replace("'params':{", "'params':{'notifications':{},"),
                        200,
                        -32602,
                        "text/event-stream",
                        Stream.concat(
                                        Stream.of(mirrored("subscriptions/listen", "2026-07-28")),
                                        Stream.of("Accept", "application/json"))
                                .toArray(String[]::new)));
    }

    private static Arguments wrong(
            String method, String path, String body, int status, int code, String right, String... headers) {
        return Arguments.of(method, path, body, status, code, right, headers);
    }

    @ParameterizedTest
    @MethodSource("wrongs")
    void whatIsWrongIsToldWithWhatIsRight(
            String method, String path, String body, int status, int code, String right, String[] headers) {
        var got = HERE.send(ann.key(), path, method, body, headers);
        assertThat(got.status()).as(got.toString()).isEqualTo(status);
        var report = HERE.only(ann);
        assertThat(text(report, "/outcome")).isEqualTo("refused");
        assertThat(report.path("status").asInt()).isEqualTo(status);
        assertThat(report.at("/error/code").asInt()).isEqualTo(code);
        assertThat(text(report, "/error/note"))
                .isEqualTo(got.json().at("/error/message").asString());
        assertThat(text(report, "/wrong")).isNotBlank();
        assertThat(text(report, "/advice")).contains(right);
        assertThat(report.path("authenticated").asBoolean()).isTrue();
    }

    @Test
    void theStreamOfASessionNeedsAClientThatTakesOne() {
        var handshake = HERE.post(ann.key(), initialize("2025-11-25", "c"));
        var session =
                handshake.response().headers().firstValue("Mcp-Session-Id").orElseThrow();
        awaitHandshakes(1);
        HERE.send(ann.key(), "/mcp", "GET", "", "Mcp-Session-Id", session, "Accept", "application/json");
        awaitHandshakes(2);
        HERE.post(ann.key(), LIST, "Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-06-18");
        awaitHandshakes(3);
        assertThat(HERE.reports(ann))
                .extracting(report -> text(report, "/era") + " " + text(report, "/advice"))
                .satisfiesExactly(
                        version -> assertThat(version).startsWith("session Send the protocolVersion"),
                        accept -> assertThat(accept).startsWith("session Send the header Accept"),
                        fine -> assertThat(fine).contains("nothing to do"));
    }

    @Test
    void theConfigurationIsThatOfTheClient() {
        HERE.send(ann.key(), "/mcp/x/bnak", "POST", initialize("2025-11-25", "x"), "User-Agent", "Cursor/1.0");
        var report = HERE.only(ann);
        assertThat(text(report, "/configuration/client")).isEqualTo("cursor");
        assertThat(text(report, "/configuration/configuration/mcpServers/agent-workspace/url"))
                .isEqualTo(TestServer.url() + "/mcp");
        HERE.post(ann.key(), initialize("2025-11-25", "Visual Studio Code"), "X-MCP-Toolsets", "bnak");
        awaitHandshakes(2);
        assertThat(text(HERE.reports(ann).getFirst(), "/configuration/client")).isEqualTo("vscode");
        assertThat(text(HERE.reports(ann).getFirst(), "/toolset")).isEqualToIgnoringCase("X-MCP-Toolsets: bnak");
    }

    @Test
    void whatTheClientLimitsItselfToStaysInItsConfiguration() {
        HERE.send(
                ann.key().substring(0, ann.key().length() - 1),
                "/mcp/x/agent/readonly",
                "POST",
                initialize("2025-11-25", "one"));
        awaitHandshakes(1);
        assertThat(HERE.reports(ann).getFirst().path("configuration").toString())
                .contains("/mcp/x/agent/readonly");
        HERE.send(
                ann.key().substring(0, ann.key().length() - 1),
                "/mcp",
                "POST",
                initialize("2025-11-25", "two"),
                "User-Agent",
                "another",
                "X-MCP-Toolsets",
                "agent, bank",
                "X-MCP-Readonly",
                "true");
        awaitHandshakes(2);
        assertThat(HERE.reports(ann).getFirst().path("configuration").toString())
                .contains("/mcp/readonly", "agent,bank");
    }

    @Test
    void aConfirmationThatIsNoneIsNoSelection() {
        HERE.post(ann.key(), initialize("2025-11-25", "x"), "X-MCP-Confirm", "yes");
        var report = HERE.only(ann);
        assertThat(text(report, "/wrong")).contains("X-MCP-Confirm");
        assertThat(report.has("configuration")).isFalse();
    }

    @Test
    void theSameMistakeAgainIsCountedAndWhatThenWorksIsToldToo() {
        for (var i = 0; i < 5; i++) {
            HERE.post(ann.key(), LIST, "Mcp-Session-Id", "gone");
        }
        await().until(() -> HERE.only(ann).path("times").asInt() == 5);
    }

    @Test
    void ofManyTheLastTwentyAreToldTheNewestFirst() {
        for (var i = 1; i <= 25; i++) {
            var client = "client " + i;
            HERE.post(ann.key(), initialize("2025-11-25", client));
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> !HERE.reports(ann).isEmpty()
                            && text(HERE.reports(ann).getFirst(), "/client/name")
                                    .equals(client));
        }
        assertThat(HERE.reports(ann))
                .extracting(report -> text(report, "/client/name"))
                .containsExactlyElementsOf(Stream.iterate(25, i -> i - 1)
                        .limit(20)
                        .map(i -> "client " + i)
                        .toList());
        assertThat(TestDatabase.db()
                        .sql("SELECT count(*) AS n FROM handshake WHERE key_id = :key")
                        .set("key", ann.id())
                        .one(row -> row.number("n")))
                .contains(20L);
    }

    @Test
    void aKeyThatEndedIsToldToTheOtherKeysOfItsUser() {
        var other = KeyFixture.make(ann, "'capabilities':['agent:read']");
        KeyFixture.done(KeyFixture.call(ann, "AK_Revoke", "{'id':'%s'}".formatted(other.id())));
        HERE.post(other.key(), initialize("2025-11-25", "x"), "User-Agent", "Claude-User (claude-code/2.1)");
        var report = HERE.only(ann, "?key_id=" + other.id());
        assertThat(report.path("authenticated").asBoolean()).isFalse();
        assertThat(report.path("status").asInt()).isEqualTo(401);
        assertThat(text(report, "/wrong")).startsWith("The key was revoked at ");
        assertThat(text(report, "/configuration/client")).isEqualTo("claude-code");
        assertThat(HERE.reports(ann)).isEmpty();
        assertThat(HERE.send(ann.key(), "/api/mcp/handshakes?key_id=a%00b", "GET", "")
                        .status())
                .isEqualTo(422);
        var unknown = HERE.send(ann.key(), "/api/mcp/handshakes?key_id=ABCDEFGHIJKL", "GET", "");
        assertThat(unknown.status()).isEqualTo(404);
    }

    @Test
    void aKeyThatExpiredIsToldSo() {
        var other = KeyFixture.make(ann, "'capabilities':['agent:read']");
        TestDatabase.db()
                .sql("UPDATE api_key SET expires_at = now() - INTERVAL '1 hour' WHERE id = :key")
                .set("key", other.id())
                .run();
        HERE.post(other.key(), LIST);
        assertThat(text(HERE.only(ann, "?key_id=" + other.id()), "/wrong")).startsWith("The key expired at ");
    }

    @Test
    void aSessionThatTheKeyBeganIsToldWhatTheKeyIs() {
        HERE.post(ann.key(), initialize("2025-11-25", "of ann"));
        HERE.only(ann);
        var signedIn = HERE.send(ann.key(), "/api/auth/session", "POST", "");
        var cookie = signedIn.response().headers().firstValue("Set-Cookie").orElseThrow();
        var got = HERE.send("", "/api/mcp/handshakes", "GET", "", "Cookie", cookie.split(";")[0]);
        assertThat(got.json().at("/handshakes/0/client/name").asString("")).isEqualTo("of ann");
        assertThat(got.json().path("key").asString("")).isEqualTo(ann.id());
        assertThat(got.json().path("user").asString("")).isEqualTo("ann");
    }

    @Test
    void aKeyThatIsDamagedForgedOrInTheWrongPlaceIsToldToItsOwner() {
        HERE.post(ann.key().substring(0, ann.key().length() - 1), LIST);
        awaitHandshakes(1);
        HERE.post(ApiKey.withId(ann.id(), new SecureRandom()).reveal(), LIST);
        awaitHandshakes(2);
        HERE.send("", "/mcp?apikey=" + ann.key(), "POST", LIST);
        awaitHandshakes(3);
        HERE.post(ann.key(), LIST, "Origin", "https://evil.example");
        awaitHandshakes(4);
        assertThat(HERE.reports(ann))
                .allSatisfy(report ->
                        assertThat(report.path("authenticated").asBoolean()).isFalse())
                .extracting(report -> text(report, "/wrong"))
                .satisfiesExactly(
                        origin -> assertThat(origin).contains("Origin is not allowed"),
                        address -> assertThat(address).contains("in the address"),
                        forged -> assertThat(forged).contains("another secret"),
                        damaged -> assertThat(damaged).contains("mistyped"));
        assertThat(HERE.reports(ann).toString())
                .doesNotContain(ann.key())
                .doesNotContain(ann.key().substring(16, 40));
    }

    /** The path is refused before the credential is checked, so this does not concern the key. */
    @Test
    void anAmbiguousPathIsAWrongAddressAndNoWrongCredential() {
        var got = HERE.send(ann.key(), "/mcp//x", "POST", LIST);
        assertThat(got.status()).as(got.toString()).isEqualTo(404);
        assertThat(text(HERE.only(ann), "/advice")).contains("at /mcp");
    }

    /** A stranger who knows the public id of a key cannot displace the key's own handshakes. */
    @Test
    void strangersPushOutNothing() {
        for (var i = 0; i < 12; i++) {
            HERE.post(ann.key(), initialize("2025-11-25", "own " + i));
        }
        awaitHandshakes(12);
        var forged = ApiKey.withId(ann.id(), new SecureRandom()).reveal();
        for (var i = 0; i < 40; i++) {
            HERE.post(forged, LIST, "User-Agent", "stranger " + i);
        }
        // The newest 20: ten strangers, and ten of the twelve of the key.
        await().until(() -> HERE.reports(ann).stream()
                        .filter(report -> report.path("authenticated").asBoolean())
                        .count()
                == 10);
        assertThat(HERE.reports(ann)).hasSize(20);
        assertThat(TestDatabase.db()
                        .sql("SELECT count(*) AS n FROM handshake WHERE key_id = :key AND proven")
                        .set("key", ann.id())
                        .one(row -> row.number("n")))
                .contains(12L);
    }

    @Test
    void nobodyElseIsTold() {
        var bob = fixture.user("bob", Role.MEMBER, "*");
        var boss = fixture.user("boss", Role.OWNER, "*");
        var stranger = new KeyFixture().user("owner", Role.OWNER, "*");
        HERE.post(ann.key(), initialize("2025-11-25", "of ann"));
        HERE.only(ann);
        assertThat(HERE.reports(bob)).isEmpty();
        for (var other : List.of(bob, stranger)) {
            assertThat(HERE.send(other.key(), "/api/mcp/handshakes?key_id=" + ann.id(), "GET", "")
                            .status())
                    .isEqualTo(404);
        }
        assertThat(HERE.reports(boss, "?key_id=" + ann.id())).hasSize(1);
        var blind = KeyFixture.make(ann, "'capabilities':['agent:read']");
        assertThat(HERE.send(blind.key(), "/api/mcp/handshakes?key_id=" + ann.id(), "GET", "")
                        .status())
                .isEqualTo(403);
        assertThat(HERE.reports(blind, "?key_id=" + blind.id())).isEmpty();
        assertThat(HERE.send("", "/api/mcp/handshakes", "GET", "").status()).isEqualTo(401);
    }

    @Test
    void whateverAClientCallsItselfIsKeptShortAndPlain() {
        var name = "<script>alert(1)</script>\\u0000\\u202e\\ud800\\n" + "x".repeat(100_000);
        HERE.post(ann.key(), initialize("2025-11-25", name), "User-Agent", "<b>" + "y".repeat(4_000));
        var report = HERE.only(ann);
        assertThat(text(report, "/client/name"))
                .startsWith("<script>alert(1)</script> xxx")
                .hasSize(100);
        assertThat(text(report, "/user_agent")).startsWith("<b>yyy").hasSize(200);
    }

    @Test
    void twoReplicasTellTheSame() {
        try (var replica = TestServer.replica()) {
            var there = new HandshakeFixture(replica.url());
            there.post(ann.key(), initialize("2025-11-25", "there"));
            HERE.post(ann.key(), initialize("2025-11-25", "here"));
            await().until(() ->
                    HERE.reports(ann).size() == 2 && there.reports(ann).size() == 2);
            assertThat(HERE.reports(ann)).isEqualTo(there.reports(ann));
            HERE.post(ann.key(), LIST);
            await().until(() -> there.reports(ann).size() == 3);
            there.post(ann.key(), LIST);
            there.post(ann.key(), initialize("2025-11-25", "last"));
            await().until(() -> HERE.reports(ann).size() == 4);
        }
    }

    /** Most handshakes of the flood are equal, and none waits for a write. */
    @Test
    void aFloodAddsNoRoundTrips() throws IOException {
        var database = URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()));
        try (var proxy = new CountingProxy(database.getPort());
                var replica = Replica.start(Map.of(
                        "ENGINE_DATABASE_URL",
                        TestDatabase.url().replace(":" + database.getPort(), ":" + proxy.port())
                                + "&sslmode=disable"))) {
            var there = new HandshakeFixture(replica.url());
            proxy.watch("INTO handshake ");
            try (var threads = Executors.newFixedThreadPool(8)) {
                IntStream.range(0, FLOOD)
                        .forEach(i -> threads.submit(() -> i % 2 == 0
                                ? there.post(ann.key(), initialize("2025-11-25", "client " + i))
                                : there.post(ann.key(), "{'jsonrpc': ", "User-Agent", "agent " + i)));
            }
            await().until(() -> there.reports(ann).size() == 20);
            assertThat(proxy.watched()).isBetween(1, FLOOD / 10); // Two a second.
        }
    }

    @Test
    void theyGoWithTheKeyAndInTime() {
        HERE.post(ann.key(), initialize("2025-11-25", "a"));
        HERE.only(ann);
        TestDatabase.db()
                .sql("UPDATE handshake SET at = at - INTERVAL '31 days' WHERE key_id = :key")
                .set("key", ann.id())
                .run();
        assertThat(HERE.reports(ann)).isEmpty();
        var other = KeyFixture.make(ann, "'capabilities':['*']");
        HERE.post(other.key(), initialize("2025-11-25", "b"));
        HERE.only(other);
        KeyFixture.done(KeyFixture.call(ann, "AK_Delete", "{'id':'%s'}".formatted(other.id())));
        assertThat(TestDatabase.db()
                        .sql("SELECT count(*) AS n FROM handshake WHERE key_id = :key")
                        .set("key", other.id())
                        .one(row -> row.number("n")))
                .contains(0L);
    }
}
