package io.agentworkspace.engine.workspace.delivery.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.app.App;
import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestClock;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that wait for messages. */
class WaitToolsTest {
    private final TestTenant tenant = new TestTenant();
    private final TestCaller both = tenant.member("ann");
    private final String key = tenant.key(ClientApi.REST, "carl", Role.MEMBER, List.of("*"));
    private final TestCaller carl = TestCaller.of(ClientApi.REST, key);

    @BeforeEach
    void create() {
        for (var agent : List.of("Ada", "Bob")) {
            create(both, agent);
        }
        for (var agent : List.of("Cleo", "Dan")) {
            create(carl, agent);
        }
    }

    private static void create(TestCaller caller, String agent) {
        caller.call("AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted(agent))
                .ok();
        caller.call("AP_LogOn", "{'target':{'agent':'%1$s','context':'%1$s'}}".formatted(agent))
                .ok();
    }

    private static Reply say(TestCaller caller, String as, String to, String content) {
        return caller.call(
                        "AP_Chat", "{'target':{'agent':'%s','context':'%s'},'content':'%s'}".formatted(to, as, content))
                .ok();
    }

    private static CompletableFuture<Reply> begin(TestCaller caller, String arguments) {
        return begin(caller, "AP_Wait", arguments);
    }

    private static CompletableFuture<Reply> begin(TestCaller caller, String tool, String arguments) {
        return CompletableFuture.supplyAsync(
                () -> caller.call(tool, arguments), Executors.newVirtualThreadPerTaskExecutor());
    }

    private long waiting(ClientApi api) {
        return TestDatabase.db()
                .sql("SELECT count(*) AS n FROM wake WHERE tenant_id = :tenant AND kind = 'wait'")
                .set("tenant", tenant.id(api))
                .one(row -> row.number("n"))
                .orElseThrow();
    }

    private void awaitWaiting(long count) {
        await().until(() -> waiting(ClientApi.REST) == count);
    }

    @Test
    void whatWaitsIsReturnedAtOnceAndIsRead() {
        var text = "x".repeat(2_000);
        say(both, "Bob", "Ada", "one");
        say(both, "Bob", "Ada", text);
        var heard = both.call("AP_Wait", "{'target':{'context':'Ada'}}").ok();
        assertThat(heard.texts("/content", "content")).containsExactly("one", text);
        assertThat(heard.number("/header/unread")).isZero();
        assertThat(heard.at("/next").isMissingNode()).isTrue();
        var nothing = both.call("AP_Wait", "{'target':{'context':'Ada'},'wait_seconds':0}")
                .ok();
        assertThat(nothing.at("/content").isEmpty()).isTrue();
        assertThat(nothing.at("/waited_ms").isNumber()).isTrue();
        assertThat(nothing.text("/next")).contains("AP_Wait");
        assertThat(both.call("AP_Wait", "{'wait_seconds':301}").text("/status/error"))
                .isEqualTo("invalid_field");
    }

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void aMessageEndsAWait(ClientApi api) {
        var caller = tenant.person(api, "eve", Role.MEMBER);
        create(caller, "Eva");
        create(caller, "Fay");
        var wait = begin(caller, "{'target':{'context':'Eva'},'wait_seconds':300}");
        await().until(() -> waiting(api) == 1);
        say(caller, "Fay", "Eva", "hello");
        var heard = wait.join().ok();
        assertThat(heard.texts("/content", "content")).containsExactly("hello");
        assertThat(heard.number("/header/unread")).isZero();
        assertThat(waiting(api)).isZero();
    }

    @Test
    void aMessageOnOneReplicaEndsAWaitOnAnother() {
        try (var other = TestServer.replica()) {
            TestCaller there = (service, arguments) -> ClientApi.REST.call(other.url(), key, service, arguments);
            var wait = begin(there, "{'target':{'context':'Cleo'},'wait_seconds':300}");
            awaitWaiting(1);
            say(carl, "Dan", "Cleo", "from the other one");
            assertThat(wait.join().ok().texts("/content", "content")).containsExactly("from the other one");
        }
    }

    @Test
    void aWaitHearsOnlyWhatItIsNarrowedTo() {
        create(carl, "Eli");
        carl.call("DM_Create", "{'vx':{'name':'Den','description':'d'}}").ok();
        for (var agent : List.of("Cleo", "Dan")) {
            carl.call("DM_Invite", "{'target':{'domain':'Den','agent':'%s'}}".formatted(agent));
        }
        var byAgent = begin(carl, "{'target':{'agent':'Eli','context':'Cleo'},'wait_seconds':300}");
        var byZone = begin(carl, "{'target':{'domain':'Den','context':'Cleo'},'wait_seconds':300}");
        var question = say(carl, "Cleo", "Dan", "a question").text("/content/0/id");
        var byAnswer =
                begin(carl, "{'target':{'context':'Cleo'},'reply_to':'%s','wait_seconds':300}".formatted(question));
        awaitWaiting(3);
        carl.call("AP_Chat", "{'target':{'domain':'Den','context':'Dan'},'content':'in the zone'}")
                .ok();
        assertThat(byZone.join().ok().texts("/content", "content")).containsExactly("in the zone");
        say(carl, "Dan", "Cleo", "an answer");
        assertThat(byAnswer.join().ok().texts("/content", "content")).containsExactly("an answer");
        say(carl, "Eli", "Cleo", "from Eli");
        assertThat(byAgent.join().ok().texts("/content", "content")).containsExactly("from Eli");
        assertThat(carl.call("AP_Wait", "{'target':{'agent':'Nobody'},'wait_seconds':0}")
                        .text("/status/error"))
                .isEqualTo("not_found");
        carl.call("AP_Wait", "{'reply_to':'6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11','wait_seconds':300}")
                .refused(3001, "message", "6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11");
    }

    @Test
    void anAgentThatIsBannedAndAKeyThatIsRevokedHearNoMore() {
        var owner = tenant.person(ClientApi.REST, "olga", Role.MEMBER);
        owner.call("DM_Create", "{'vx':{'name':'Den','description':'d','access':'public'}}")
                .ok();
        carl.call("DM_Invite", "{'target':{'domain':'Den','agent':'Cleo'}}").ok();
        var child = carl.call("AK_Create", "{'name':'bound','agent':'Dan','capabilities':['*']}")
                .ok();
        var bound = TestCaller.of(ClientApi.REST, child.text("/api_key"));
        var banned = begin(carl, "{'target':{'domain':'Den','context':'Cleo'},'wait_seconds':300}");
        var revoked = begin(bound, "{'wait_seconds':300}");
        awaitWaiting(2);
        owner.call("DM_Ban", "{'target':{'domain':'Den','agent':'Cleo'}}").ok();
        assertThat(banned.join().text("/status/error")).isEqualTo("conflict");
        carl.call("AK_Revoke", "{'id':'%s'}".formatted(child.text("/key/id"))).ok();
        assertThat(revoked.join().text("/status/error")).isEqualTo("unauthenticated");
        awaitWaiting(0);
    }

    @Test
    void aMessageThatWaitsForItsAnswerIsSentOnce() {
        var question = CompletableFuture.supplyAsync(
                () -> carl.call(
                        "AP_Chat",
                        "{'target':{'agent':'Dan','context':'Cleo'},'content':'a question','wait_seconds':300,'idempotency_key':'k'}"),
                Executors.newVirtualThreadPerTaskExecutor());
        awaitWaiting(1);
        var heard = carl.call("AP_Wait", "{'target':{'context':'Dan'},'wait_seconds':0}")
                .ok();
        assertThat(heard.texts("/content", "content")).containsExactly("a question");
        var answer = say(carl, "Dan", "Cleo", "an answer");
        assertThat(answer.text("/receipt/wakes")).isEqualTo("wait");
        assertThat(answer.at("/receipt/online").asBoolean()).isTrue();
        assertThat(question.join().ok().texts("/content", "content")).containsExactly("a question", "an answer");
        var again = carl.call(
                        "AP_Chat",
                        "{'target':{'agent':'Dan','context':'Cleo'},'content':'a question','wait_seconds':300,'idempotency_key':'k'}")
                .ok();
        assertThat(again.texts("/content", "content")).containsExactly("a question", "an answer");
        var read = carl.call("AP_Read", "{'target':{'context':'Cleo'}}").ok();
        assertThat(read.texts("/content", "content")).containsExactly("a question", "an answer");
        assertThat(read.text("/content/0/read_at")).isNotEmpty();
        assertThat(read.text("/content/0/delivered_at")).isNotEmpty();
    }

    @Test
    void aSenderLearnsThatNothingWakesTheRecipient() {
        var said = say(carl, "Dan", "Cleo", "hello");
        assertThat(said.text("/receipt/to")).isEqualTo("Cleo");
        assertThat(said.text("/receipt/wakes")).isEqualTo("none");
        assertThat(carl.call("AP_Read", "{'target':{'context':'Dan'}}")
                        .ok()
                        .at("/content/0/delivered_at")
                        .isMissingNode())
                .isTrue();
        carl.call("DM_Create", "{'vx':{'name':'Den','description':'d'}}").ok();
        for (var agent : List.of("Cleo", "Dan")) {
            carl.call("DM_Invite", "{'target':{'domain':'Den','agent':'%s'}}".formatted(agent));
        }
        carl.call("AP_Read", "{'inbox':true,'target':{'context':'Cleo'}}").ok();
        var wait = begin(carl, "{'target':{'context':'Cleo'},'wait_seconds':300}");
        awaitWaiting(1);
        var zone = carl.call("AP_Chat", "{'target':{'domain':'Den','context':'Dan'},'content':'all'}")
                .ok();
        assertThat(zone.number("/receipt/members")).isEqualTo(1);
        assertThat(zone.number("/receipt/wakes")).isEqualTo(1);
        assertThat(wait.join().ok().texts("/content", "content")).containsExactly("all");
    }

    @Test
    void aNarrowedWaitIsShownOnlyToThoseWhomItWouldHear() {
        create(carl, "Eli");
        for (var domain : List.of("Den", "Lair")) {
            DomainSetup.domain(carl, domain, "private");
            for (var agent : List.of("Cleo", "Dan")) {
                DomainSetup.invite(carl, domain, agent).ok();
            }
        }
        DomainSetup.zone(carl, "Den", "side");
        DomainSetup.enter(carl, "Cleo", "Den", "side").ok();
        waitFor("'target':{'context':'Cleo','agent':'Eli'}", 1);
        assertThat(wakes("{'target':{'context':'Dan','agent':'Cleo'},'content':'other'}"))
                .isEqualTo("none");
        assertThat(wakes("{'target':{'context':'Dan','domain':'Den'},'content':'other'}"))
                .isEqualTo("0");
        waitFor("'target':{'context':'Cleo','domain':'Den','zone':'side'}", 2);
        assertThat(wakes("{'target':{'context':'Dan','domain':'Den'},'content':'other'}"))
                .isEqualTo("0");
        assertThat(wakes("{'target':{'context':'Dan','domain':'Lair'},'content':'other'}"))
                .isEqualTo("0");
        var question = say(carl, "Cleo", "Dan", "a question").text("/content/0/id");
        waitFor("'target':{'context':'Cleo'},'reply_to':'%s'".formatted(question), 3);
        assertThat(wakes("{'target':{'context':'Eli','agent':'Dan'},'content':'to another'}"))
                .isEqualTo("none");
        carl.call("AP_Read", "{'inbox':true,'target':{'context':'Cleo'}}").ok();
        assertThat(wakes("{'target':{'context':'Dan'},'reply_to':'%s','content':'the answer'}".formatted(question)))
                .isEqualTo("wait");
        awaitWaiting(2);
        assertThat(wakes("{'target':{'context':'Dan','domain':'Den','zone':'side'},'content':'at the side'}"))
                .isEqualTo("1");
        awaitWaiting(1);
        assertThat(wakes("{'target':{'context':'Eli','agent':'Cleo'},'content':'from Eli'}"))
                .isEqualTo("wait");
        awaitWaiting(0);
        var _ = begin(
                carl,
                "AP_Chat",
                "{'target':{'context':'Cleo','agent':'Dan'},'content':'another question','wait_seconds':300}");
        awaitWaiting(1);
        assertThat(wakes("{'target':{'context':'Eli','agent':'Cleo'},'content':'not the answer'}"))
                .isEqualTo("none");
        assertThat(wakes("{'target':{'context':'Dan','agent':'Cleo'},'content':'the answer'}"))
                .isEqualTo("wait");
        awaitWaiting(0);
    }

    private void waitFor(String arguments, long count) {
        var _ = begin(carl, "{%s,'wait_seconds':300}".formatted(arguments));
        awaitWaiting(count);
    }

    private String wakes(String message) {
        return carl.call("AP_Chat", message).ok().text("/receipt/wakes");
    }

    /** Another reader takes the first two messages between the look of a call and its mark. */
    @Test
    void whoLosesARaceHearsTheNextMessageAtOnceAndWhole() {
        carl.call("AP_Modify", "{'target':{'agent':'Dan'},'guard':{'per_minute':600}}")
                .ok();
        for (var i = 0; i < 18; i++) { // More than one response can hold.
            say(carl, "Dan", "Cleo", i + "x".repeat(60_000));
        }
        var wait = new ArrayList<CompletableFuture<Reply>>();
        TestDatabase.db().transaction(() -> {
            read(2);
            wait.add(begin(carl, "{'target':{'context':'Cleo'},'wait_seconds':0}"));
            await().until(() -> TestDatabase.db()
                    .sql(
                            "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%progress%') AS is_blocked")
                    .one(row -> row.flag("is_blocked"))
                    .orElseThrow());
            return true;
        });
        var heard = wait.getFirst().join().ok();
        assertThat(heard.at("/content").size()).isGreaterThan(10);
        assertThat(heard.at("/content/0/seq").asLong()).isEqualTo(3);
        assertThat(heard.at("/content/0/truncated").isMissingNode()).isTrue();
    }

    private void read(long upto) {
        TestDatabase.db()
                .sql("""
                    UPDATE participant p SET read_seq = :upto
                      FROM agent a
                     WHERE p.tenant_id = :tenant AND a.tenant_id = :tenant AND a.name = 'Cleo' AND p.party_id = a.id
                    """)
                .set("tenant", tenant.id(ClientApi.REST))
                .set("upto", upto)
                .run();
    }

    @Test
    void aKeyHasAtMostTwentyWaitingCalls() {
        var waits = new ArrayList<CompletableFuture<Reply>>();
        for (var i = 0; i < WaitSlots.MOST_OF_KEY; i++) {
            waits.add(begin(carl, "{'target':{'context':'Cleo'},'wait_seconds':300}"));
        }
        awaitWaiting(WaitSlots.MOST_OF_KEY);
        var refused = carl.call("AP_Wait", "{'target':{'context':'Dan'},'wait_seconds':300}");
        refused.refused(4001, "your key has 20 waiting calls", "end the others");
        say(carl, "Dan", "Cleo", "news");
        CompletableFuture.anyOf(waits.toArray(CompletableFuture[]::new)).join();
        awaitWaiting(WaitSlots.MOST_OF_KEY - 1);
        assertThat(waits.stream()
                        .filter(wait ->
                                wait.isDone() && wait.join().at("/content").size() > 0))
                .hasSize(1);
        revokeAll();
        waits.forEach(CompletableFuture::join);
        awaitWaiting(0);
    }

    @Test
    void aCallOfACredentialThatNowIsAViewersEnds() {
        var admin = TestCaller.of(ClientApi.REST, tenant.key(ClientApi.REST, "root", Role.OWNER, List.of("*")));
        var wait = begin(carl, "{'target':{'context':'Cleo'},'wait_seconds':300}");
        awaitWaiting(1);
        admin.call("US_Update", "{'target':{'user':'carl'},'vx':{'access':'viewer'}}")
                .ok();
        assertThat(wait.join().text("/status/error")).isEqualTo("unauthenticated");
        awaitWaiting(0);
    }

    @Test
    void aTenantHasAtMostTwoThousandWaitingCalls() {
        var slots = new WaitSlots(10_000);
        for (var key = 0; key < WaitSlots.MOST_OF_TENANT / WaitSlots.MOST_OF_KEY; key++) {
            for (var i = 0; i < WaitSlots.MOST_OF_KEY; i++) {
                slots.take(caller(1, key));
            }
        }
        assertThatThrownBy(() -> slots.take(caller(1, 0))).hasMessageContaining("one key may have 20");
        assertThatThrownBy(() -> slots.take(caller(1, 5_000)))
                .hasMessageContaining("your tenant has 2000 waiting calls")
                .hasMessageContaining("AP_Wait again");
        slots.take(caller(2, 0)).close();
    }

    private static Caller caller(long tenant, int key) {
        return new Caller(tenant, "t", 1, "ann", Role.MEMBER, Set.of("*"), "key:" + key, null);
    }

    /** The contract's own client has no session. If it accepts a stream, the response begins as one. */
    @Test
    void withoutASessionTheResponseBeginsAtOnceToo() {
        var mcp = tenant.key(ClientApi.MCP, "mia", Role.MEMBER, List.of("*"));
        var mia = TestCaller.of(ClientApi.MCP, mcp);
        create(mia, "Mo");
        var body =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"AP_Wait\",\"arguments\":{\"wait_seconds\":240}}}";
        var client = new RawMcpClient(TestServer.url() + "/mcp", mcp);
        var response = client.post(body, List.of(), BodyHandlers.ofInputStream()); // Returns when it has begun.
        assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
        await().until(() -> waiting(ClientApi.MCP) == 1);
        mia.call("AP_Chat", "{'target':{'context':'Mo'},'to_user':true,'content':'hello'}")
                .ok();
        try (var in = response.body()) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).contains("hello");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void codexWaitsTwentyFiveSecondsByDefault() {
        var clock = new TestClock();
        var app = TestServer.start(Map.of(), clock);
        var mcp = tenant.key(ClientApi.MCP, "mia", Role.MEMBER, List.of("*"));
        var body =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"AP_Wait\",\"arguments\":{}}}";
        var answer = CompletableFuture.supplyAsync(
                () -> ClientApi.post(
                        app.baseUrl() + "/mcp",
                        mcp,
                        body.getBytes(StandardCharsets.UTF_8),
                        Map.of("User-Agent", "codex-mcp-client/0.169.0")),
                Executors.newVirtualThreadPerTaskExecutor());
        await().until(() -> waiting(ClientApi.MCP) == 1);
        clock.advance(Duration.ofSeconds(26)); // Others wait 50 by default.
        var result = Json.readObject(answer.join().body()).at("/result/structuredContent");
        assertThat(result.at("/waited_ms").asLong()).isBetween(25_000L, 49_000L);
        app.close();
    }

    private void revokeAll() {
        TestDatabase.db()
                .sql("UPDATE api_key SET revoked_at = now() WHERE tenant_id = :tenant")
                .set("tenant", tenant.id(ClientApi.REST))
                .run();
    }

    /** As if their time were over: nothing fails, and nobody sends again what was sent. */
    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void aStopOfTheEngineEndsWaits(ClientApi api) {
        var own = tenant.key(api, "gil", Role.MEMBER, List.of("*"));
        var app = TestServer.start(Map.of());
        TestCaller there = (service, arguments) -> api.call(app.baseUrl(), own, service, arguments);
        create(there, "Gia");
        create(there, "Hal");
        var wait = begin(there, "{'target':{'context':'Gia'},'wait_seconds':300}");
        await().until(() -> waiting(api) == 1);
        var chat = begin(
                there,
                "AP_Chat",
                "{'target':{'agent':'Gia','context':'Hal'},'content':'a question','wait_seconds':300}");
        assertThat(wait.join().ok().texts("/content", "content")).containsExactly("a question");
        await().until(() -> waiting(api) == 1);
        wait = begin(there, "{'target':{'context':'Gia'},'wait_seconds':300}");
        await().until(() -> waiting(api) == 2);
        app.close();
        assertThat(wait.join().ok().texts("/content", "content")).isEmpty();
        assertThat(chat.join().ok().at("/content").size()).isEqualTo(1);
        assertThat(waiting(api)).isZero();
    }

    @Test
    void aClientThatHasGoneLeavesNothingBehind() throws IOException {
        var url = URI.create(TestServer.url());
        try (var socket = new Socket(url.getHost(), url.getPort())) {
            send(socket.getOutputStream(), "{\"target\":{\"context\":\"Cleo\"},\"wait_seconds\":300}");
            awaitWaiting(1);
        }
        awaitWaiting(0);
        say(carl, "Dan", "Cleo", "still unread");
        assertThat(carl.call("AP_Wait", "{'target':{'context':'Cleo'}}").ok().texts("/content", "content"))
                .containsExactly("still unread");
    }

    private void send(OutputStream out, String body) throws IOException {
        var head =
                "POST /demo/v1/Engine/tps/agent/wait HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                        .formatted(key, body.length());
        out.write((head + body).getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Test
    void overMcpTheResponseBeginsAtOnceAndReportsProgress() {
        var clock = new TestClock();
        App app = TestServer.start(Map.of(), clock);
        var mcp = tenant.key(ClientApi.MCP, "mia", Role.MEMBER, List.of("*"));
        var client = new RawMcpClient(app.baseUrl() + "/mcp", mcp);
        create(TestCaller.of(ClientApi.MCP, mcp), "Max");
        try (var events = client.events(
                "tools/call",
                "{'name':'AP_Wait','arguments':{'target':{'agent':'Max'},'wait_seconds':300},'_meta':{'progressToken':'p'}}")) {
            await().until(() -> waiting(ClientApi.MCP) == 1);
            clock.advance(Duration.ofSeconds(11));
            var mia = TestCaller.of(ClientApi.MCP, mcp);
            create(mia, "Mo");
            mia.call("AP_Chat", "{'target':{'context':'Mo'},'to_user':true,'content':'wakes the call below'}")
                    .ok();
            var progress = events.next();
            assertThat(progress.path("method").asString()).isEqualTo("notifications/progress");
            assertThat(progress.at("/params/progressToken").asString()).isEqualTo("p");
            assertThat(progress.at("/params/progress").asDouble()).isGreaterThanOrEqualTo(11);
            clock.advance(Duration.ofSeconds(241)); // At most 240 over MCP.
            var answers = Stream.iterate(events.next(), _ -> events.next()).filter(event -> !event.has("method"));
            var result =
                    answers.findFirst().orElseThrow().at("/result/structuredContent"); // After more progress, perhaps.
            assertThat(result.at("/content").isEmpty()).as(result.toString()).isTrue();
            assertThat(result.at("/waited_ms").asLong()).isGreaterThan(240_000);
        }
        app.close();
    }
}
