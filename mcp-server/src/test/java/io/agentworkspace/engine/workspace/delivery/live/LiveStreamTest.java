package io.agentworkspace.engine.workspace.delivery.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.kernel.events.RestoreStore;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code GET /api/stream}: Ann owns the den and its bank. The stream is read on one replica, and changes happen on another.
 */
@Tag("slow")
class LiveStreamTest {
    private static final String KEY = "X-Api-Key";
    private static TestTenant tenant;
    private static TestServer.Replica other;
    private static String owner;
    private static String ann;

    @BeforeAll
    static void build() {
        tenant = new TestTenant();
        other = TestServer.replica();
        owner = key("owner", Role.OWNER, "*");
        ann = key("ann", Role.MEMBER, "*");
        call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'d','access':'private'}}");
        call(ann, "DM_Create", "{'target':{'agent':'Ada'},'vx':{'name':'Den','description':'d','access':'private'}}");
        call(ann, "MB_Create", "{'target':{'agent':'Ada'},'vx':{'name':'Box','access':'private'}}");
    }

    @AfterAll
    static void close() {
        other.close();
    }

    private static String key(String user, Role role, String... capabilities) {
        return tenant.key(ClientApi.REST, user, role, List.of(capabilities));
    }

    private static Reply call(String key, String service, String arguments) {
        var input = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        var reply = ClientApi.REST.call(other.url(), key, service, input);
        reply.ok();
        return reply;
    }

    private static void say(String content) {
        call(ann, "AP_Chat", "{'target':{'domain':'Den'},'content':'%s'}".formatted(content));
    }

    private static Feed listen(String key, String query) {
        return Feed.connect(TestServer.url(), query, KEY, key);
    }

    private static List<String> topics(Feed feed) {
        return feed.next()
                .data()
                .path("topics")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }

    @Test
    void whatHappensAtOneReplicaIsReportedAtAnother() {
        try (var feed = listen(ann, "")) {
            say("Low water at six.");
            var said = feed.next("messages");
            assertThat(said.path("content").asString()).isEqualTo("Low water at six.");
            assertThat(said.path("domain").asString()).isEqualTo("Den");
            assertThat(said.path("from").asString()).isEqualTo("ann");
            call(ann, "MB_Store", "{'target':{'bank':'Box','agent':'Ada'},'vx':{'name':'tide'},'content':'six'}");
            var stored = feed.next("memories");
            assertThat(stored.path("bank").asString()).isEqualTo("Box");
            assertThat(stored.path("change").asString()).isEqualTo("stored");
            assertThat(stored.path("text").asString()).isEqualTo("six");
            assertThat(stored.path("author").asString()).isEqualTo("Ada");
            call(ann, "AP_LogOn", "{'target':{'agent':'Ada'}}");
            var seen = feed.next("presence");
            assertThat(seen.path("agent").asString()).isEqualTo("Ada");
            assertThat(seen.path("online").asBoolean()).isTrue();
            call(ann, "AP_LogOff", "{}");
            assertThat(feed.next("presence").path("online").asBoolean()).isFalse();
        }
    }

    /** The transactions of another database server can have higher numbers. */
    @Test
    void restoredEventsAreNotReported() {
        try (var feed = listen(ann, "?topics=messages")) {
            say("before the backup");
            feed.next("messages");
        }
        TestDatabase.db().sql("""
                INSERT INTO change_log (tenant_id, xid, at, topic, action, thing, place, other, moment)
                SELECT tenant_id, CAST('9000000000' AS xid8), at, topic, action, thing, place, other, moment
                  FROM change_log
                 WHERE tenant_id = :tenant AND topic = 'messages'
                """).set("tenant", tenant.id(ClientApi.REST)).run();
        try (var feed = listen(ann, "?topics=messages")) {
            say("after the restore");
            assertThat(feed.next("messages").path("content").asString()).isEqualTo("after the restore");
        }
    }

    @Test
    void documentsAreReportedOnTheirWay() {
        try (var feed = listen(ann, "?topics=documents")) {
            var made = call(ann, "DC_Submit", "{'name':'tides.txt','text':'Low water at six.'}");
            var seen = new ArrayList<String>();
            while (!seen.contains("accepted")) {
                var event = feed.next("documents");
                assertThat(event.path("id").asString()).isEqualTo(made.text("/document/id"));
                assertThat(event.path("name").asString()).isEqualTo("tides.txt");
                seen.add(event.path("change").asString());
            }
            assertThat(seen).containsSubsequence("queued", "validating", "accepted");
            call(ann, "DC_Delete", "{'id':'tides.txt'}");
            var deleted = feed.next("documents");
            while (!deleted.path("change").asString().equals("deleted")) {
                deleted = feed.next("documents");
            }
            assertThat(deleted.path("id").asString()).isEqualTo(made.text("/document/id"));
        }
    }

    @Test
    void aTopicIsReportedOnlyToWhoMayReadTheSameWithATool() {
        try (var narrow = Feed.open(TestServer.url(), "", KEY, key("nora", Role.MEMBER, "bank:read"));
                var viewer = Feed.open(TestServer.url(), "", KEY, key("vera", Role.VIEWER, "*"));
                var admin = Feed.open(TestServer.url(), "?topics=audit,messages", KEY, owner)) {
            assertThat(topics(narrow)).containsExactly("memories", "handshakes");
            assertThat(topics(viewer)).containsExactly("presence", "messages", "memories", "handshakes", "documents");
            assertThat(topics(admin)).containsExactly("messages", "audit");
            say("for the audit");
            assertThat(admin.next("messages").path("content").asString()).isEqualTo("for the audit");
            assertThat(admin.next("audit").path("tool").asString()).isEqualTo("AP_Chat");
        }
    }

    /** An entry that has an id, one with a second agent, and one that changed nothing. */
    @Test
    void anAuditEntryIsReportedAsTheAuditListsIt() {
        try (var admin = listen(owner, "?topics=audit")) {
            call(owner, "AK_Create", "{'name':'spare','capabilities':['agent:read']}");
            call(ann, "MB_Permissions", "{'target':{'bank':'Box','agent':'Ada'},'vx':{'access':'manage'}}");
            call(ann, "MB_Censor", "{'target':{'bank':'Box'},'dry_run':true}");
            for (var tool : List.of("AK_Create", "MB_Permissions", "MB_Censor")) {
                var reported = (ObjectNode) admin.next("audit");
                var listed = (ObjectNode) call(owner, "AC_Audit", "{'tool':'%s','page':{'limit':1}}".formatted(tool))
                        .at("/entries/0");
                assertThat(reported.without("at")).isEqualTo(listed.without("at"));
                assertThat(reported.path("tool").asString()).isEqualTo(tool);
            }
        }
    }

    /** Eve's own change comes after all that was hidden from her. */
    @Test
    void nobodyHearsOfWhatTheyMayNotSee() {
        var eve = key("eve", Role.MEMBER, "*");
        var stranger = new TestTenant().key(ClientApi.REST, "stranger", Role.OWNER, List.of("*"));
        try (var hers = listen(eve, "");
                var elsewhere = listen(stranger, "")) {
            say("a secret");
            call(ann, "MB_Store", "{'target':{'bank':'Box','agent':'Ada'},'content':'a secret'}");
            call(ann, "AP_Modify", "{'target':{'agent':'Ada'},'vx':{'description':'another'}}");
            for (var who : List.of(eve, stranger)) {
                call(who, "AP_Create", "{'vx':{'name':'%s','description':'d'}}".formatted("Own" + who.hashCode()));
            }
            for (var feed : List.of(hers, elsewhere)) {
                var first = feed.next();
                while (first.name().equals("handshakes") || first.name().equals("audit")) {
                    assertThat(first.data().toString()).doesNotContain("Ada", "Den", "Box");
                    first = feed.next();
                }
                assertThat(first.data().path("agent").asString()).startsWith("Own");
            }
        }
    }

    @Test
    void accessIsCheckedWhenAnEventIsSent() {
        var bob = key("bob", Role.MEMBER, "*");
        call(bob, "AP_Create", "{'vx':{'name':'Bo','description':'d','access':'public'}}");
        call(ann, "DM_Invite", "{'target':{'domain':'Den','agent':'Bo'}}");
        call(bob, "DM_Invite", "{'target':{'domain':'Den','agent':'Bo'}}");
        try (var feed = listen(bob, "?topics=messages,presence")) {
            say("with Bo");
            assertThat(feed.next("messages").path("content").asString()).isEqualTo("with Bo");
            call(ann, "DM_Kick", "{'target':{'domain':'Den','agent':'Bo'}}");
            assertThat(feed.next("presence").path("change").asString()).isEqualTo("left");
            say("without Bo");
            call(bob, "AP_Chat", "{'target':{'agent':'Bo'},'content':'to myself'}");
            assertThat(feed.next("messages").path("content").asString()).isEqualTo("to myself");
        }
    }

    @Test
    void aStreamIsResumedWhereItBroke() {
        String id;
        try (var feed = listen(ann, "?topics=messages")) {
            say("before the break");
            feed.next("messages");
            id = feed.lastId();
        }
        var said = IntStream.range(0, 5).mapToObj("in the break %d"::formatted).toList();
        said.forEach(LiveStreamTest::say);
        try (var feed = Feed.open(other.url(), "?topics=messages", KEY, ann, "Last-Event-ID", id)) {
            assertThat(feed.next().data().path("resumed").asBoolean()).isTrue();
            var missed = new ArrayList<String>();
            while (missed.size() < said.size()) {
                var content = feed.next("messages").path("content").asString();
                // It comes again if some other transaction was open when it was sent.
                if (!content.equals("before the break")) {
                    missed.add(content);
                }
            }
            assertThat(missed).isEqualTo(said);
        }
    }

    /** A client that had a newer event first, and broke off then, would resume after it and miss the older ones. */
    @Test
    void whatWasMissedComesBeforeWhatHappensMeanwhile() throws Exception {
        try (var feed = listen(ann, "?topics=messages");
                var talking = Executors.newSingleThreadExecutor()) {
            say("the beginning");
            feed.next("messages");
            var id = feed.lastId();
            var missed = IntStream.range(0, 3).mapToObj("missed %d"::formatted).toList();
            missed.forEach(LiveStreamTest::say);
            var talk = talking.submit(() -> IntStream.range(0, 30).forEach(i -> say("meanwhile " + i)));
            for (var again = 0; again < 15; again++) {
                try (var resumed = Feed.open(TestServer.url(), "?topics=messages", KEY, ann, "Last-Event-ID", id)) {
                    var first = Stream.generate(() ->
                                    resumed.next("messages").path("content").asString())
                            .filter(content -> !content.equals("the beginning"))
                            .limit(missed.size())
                            .toList();
                    assertThat(first).isEqualTo(missed);
                }
            }
            talk.get();
        }
    }

    /** The last two ids are from before the restore of a backup: of a transaction that is not assigned yet, and of other data. */
    @ParameterizedTest
    @CsvSource({"nonsense", "1-1-1", "0-9000000000-1-now", "7-1-1-now"})
    void aStreamThatCannotBeResumedSaysSo(String form) {
        var id = form.replace("now", Long.toString(Instant.now().getEpochSecond()));
        try (var feed = Feed.open(TestServer.url(), "", KEY, ann, "Last-Event-ID", id)) {
            assertThat(feed.next().data().path("resumed").asBoolean()).isFalse();
            assertThat(feed.next().name()).isEqualTo("reset");
        }
    }

    /** Its events are numbered by the transactions of another server from then on. */
    @Test
    void aStreamOfATenantThatIsOnAnotherServerSaysSoAndGoesOn() {
        var db = TestDatabase.db();
        try (var feed = listen(ann, "?topics=messages")) {
            say("before");
            feed.next("messages");
            db.sql("UPDATE event_feed SET home = 'other' WHERE tenant_id = :tenant")
                    .set("tenant", tenant.id(ClientApi.REST))
                    .run();
            new RestoreStore(db, Clock.systemUTC(), "").notice();
            assertThat(feed.next().name()).isEqualTo("reset");
            say("after");
            assertThat(feed.next("messages").path("content").asString()).isEqualTo("after");
        }
    }

    @Test
    void aStreamEndsWithItsKey() {
        var doomed = key("dora", Role.MEMBER, "*");
        var id = ApiKey.parse(doomed).id();
        try (var feed = listen(doomed, "")) {
            call(owner, "AK_Revoke", "{'id':'%s'}".formatted(id));
            feed.awaitEnd();
        }
    }

    @Test
    void aStreamEndsWithItsServerAndGoesOnAtAnother() {
        var third = TestServer.replica();
        try (var feed = Feed.connect(third.url(), "?topics=messages", KEY, ann)) {
            say("the last that the third says");
            feed.next("messages");
            third.close();
            feed.awaitEnd();
            say("after the end");
            try (var resumed = Feed.open(other.url(), "?topics=messages", KEY, ann, "Last-Event-ID", feed.lastId())) {
                await().until(() ->
                        resumed.next("messages").path("content").asString().equals("after the end"));
            }
        }
    }

    @Test
    void aStreamEndsWithItsSession() {
        var start = send("POST", KEY, ann);
        var cookie = start.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
        assertThat(cookie).startsWith(SessionSecret.COOKIE);
        var token = Json.readObject(start.body()).path("csrf_token").asString();
        try (var feed = Feed.connect(TestServer.url(), "", "Cookie", cookie)) {
            assertThat(send("DELETE", "Cookie", cookie, "X-CSRF-Token", token, "Sec-Fetch-Site", "same-origin")
                            .statusCode())
                    .isEqualTo(200);
            feed.awaitEnd();
        }
    }

    private static HttpResponse<byte[]> send(String method, String... headers) {
        return ClientApi.send(HttpRequest.newBuilder(URI.create(other.url() + "/api/auth/session"))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .headers(headers)
                .build());
    }

    @ParameterizedTest
    @CsvSource({"?topics=massages, 422", "?since=1, 400"})
    void whatItDoesNotKnowIsRefused(String query, int status) {
        try (var feed = Feed.open(TestServer.url(), query, KEY, ann)) {
            assertThat(feed.status()).isEqualTo(status);
        }
    }

    @Test
    void withoutACredentialNothingIsReported() {
        try (var feed = Feed.open(TestServer.url(), "", "Accept", "text/event-stream")) {
            assertThat(feed.status()).isEqualTo(401);
        }
    }

    /** The limit of each caller is large; what is tested is the sharing between many readers who see the same. */
    @Test
    void manyReadersShareTheReads() {
        var feeds = IntStream.range(0, 200)
                .mapToObj(_ -> listen(ann, "?topics=messages"))
                .toList();
        try {
            say("to all");
            feeds.forEach(feed ->
                    assertThat(feed.next("messages").path("content").asString()).isEqualTo("to all"));
        } finally {
            feeds.forEach(Feed::close);
        }
    }

    @Test
    void twoHundredStreamsHearTheSameMessage() {
        var feeds = IntStream.range(0, 200)
                .mapToObj(_ -> Feed.connect(TestServer.url(), "?topics=messages", KEY, ann))
                .toList();
        try {
            call(ann, "AP_Chat", "{'target':{'domain':'Den'},'content':'to all two hundred'}");
            for (var feed : feeds) {
                var event = feed.next();
                assertThat(event.name()).isEqualTo("messages");
                assertThat(event.data().path("content").asString()).isEqualTo("to all two hundred");
            }
        } finally {
            feeds.forEach(Feed::close);
        }
    }
}
