package io.agentworkspace.engine.workspace.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Concurrently;
import io.agentworkspace.engine.testing.DomainSetup;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Ten people and ten agents who talk in one zone at the same time, on two replicas, beside an agent that may not. */
class ManyChattersTest {
    private static final int EACH = 10;
    private static final int ROUNDS = 4;

    private final TestTenant tenant = new TestTenant();
    private final String owner = tenant.key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));
    private final TestServer.Replica other = TestServer.replica();
    private final TestCaller ann = caller(TestServer.url(), owner);

    private static TestCaller caller(String url, String key) {
        return (service, arguments) -> ClientApi.REST.call(url, key, service, arguments);
    }

    private String url(int number) {
        return number % 2 == 0 ? TestServer.url() : other.url();
    }

    /** Someone who speaks in a context of its own, and what it received. */
    private record Chatter(String context, TestCaller caller, List<String> received) {
        Reply say(String content) {
            return DomainSetup.say(caller, context, "square", "main", content);
        }

        /** Says something, and notes the ids of what arrived meanwhile. Returns the number of the own message. */
        long chat(String content) {
            return note(say(content));
        }

        /** Receives all that still waits. */
        void receiveRest() {
            Reply heard;
            do {
                heard = caller.call("AP_Wait", "{'target':{'context':'%s'},'wait_seconds':0}".formatted(context))
                        .ok();
                heard.at("/content")
                        .forEach(message -> received.add(message.path("id").asString()));
            } while (!heard.at("/content").isEmpty());
        }

        private long note(Reply said) {
            said.ok()
                    .at("/content")
                    .valueStream()
                    .skip(1)
                    .forEach(message -> received.add(message.path("id").asString()));
            return said.number("/content/0/seq");
        }
    }

    private List<Chatter> chatters() {
        var chatters = new ArrayList<Chatter>();
        for (var i = 0; i < EACH; i++) {
            var key = tenant.key(ClientApi.REST, "person" + i, Role.ADMIN, List.of("*"));
            chatters.add(new Chatter("default", caller(url(i), key), Collections.synchronizedList(new ArrayList<>())));
            DomainSetup.agent(ann, "A" + i, "private");
            DomainSetup.invite(ann, "square", "A" + i).ok();
            chatters.add(new Chatter("A" + i, caller(url(i), owner), Collections.synchronizedList(new ArrayList<>())));
        }
        return chatters;
    }

    @Test
    void everyMessageHasANumberAndReachesEveryoneOnce() {
        try (other) {
            DomainSetup.domain(ann, "square", "public");
            var chatters = chatters();
            DomainSetup.agent(ann, "Mute", "private");
            DomainSetup.invite(ann, "square", "Mute").ok();
            var mute = new Chatter("Mute", ann, new ArrayList<>());
            var first = Stream.concat(Stream.of(mute), chatters.stream())
                    .map(one -> one.chat("hello"))
                    .toList();
            assertThat(first)
                    .isEqualTo(LongStream.rangeClosed(1, 2 * EACH + 1).boxed().toList());
            DomainSetup.of(ann, "DM_Kick", "square", "Mute").ok();

            var work = new ArrayList<Callable<Long>>();
            for (var round = 0; round < ROUNDS; round++) {
                chatters.forEach(one -> work.add(() -> one.chat("a word")));
                work.add(() ->
                        mute.say("let me in").refused(3003, "not a member").number("/status/internal_code"));
            }
            var numbers = Concurrently.all(work).stream()
                    .filter(number -> number != 3003)
                    .sorted()
                    .toList();
            var last = 2L * EACH * (ROUNDS + 1) + 1;
            assertThat(numbers)
                    .isEqualTo(
                            LongStream.rangeClosed(2 * EACH + 2, last).boxed().toList());

            var zone = ann.call("ZN_Read", "{'target':{'domain':'square','zone':'main'},'page':{'limit':200}}")
                    .ok();
            var ids = new ArrayList<String>();
            var speakers = new ArrayList<String>();
            zone.at("/content").forEach(message -> {
                ids.add(message.path("id").asString());
                speakers.add(message.path("from").asString());
            });
            assertThat(ids).hasSize((int) last);
            // The agents: a key of a person without an agent only looks.
            for (var i = 1; i < chatters.size(); i += 2) {
                var own = "A" + i / 2;
                // From its own first message on.
                var expected = IntStream.range(i + 2, ids.size())
                        .filter(place -> !speakers.get(place).equals(own))
                        .mapToObj(ids::get)
                        .toList();
                chatters.get(i).receiveRest();
                assertThat(chatters.get(i).received()).doesNotHaveDuplicates().containsAll(expected);
            }
        }
    }

    /** What one call takes, another call of the same speaker counts: it adds its own message meanwhile. */
    @Test
    void callsOfOneSpeakerAtTheSameTimeLeaveNothingUnread() {
        try (other) {
            DomainSetup.domain(ann, "square", "public");
            var elsewhere = caller(other.url(), owner);
            var agents = List.of("Ada", "Bob");
            for (var name : agents) {
                DomainSetup.agent(ann, name, "private");
                DomainSetup.invite(ann, "square", name).ok();
            }
            for (var round = 0; round < 3; round++) {
                Concurrently.all(agents.stream()
                        .flatMap(name -> Stream.of(ann, elsewhere, ann, elsewhere)
                                .<Callable<Reply>>map(
                                        caller -> () -> DomainSetup.say(caller, name, "square", "main", "a word")
                                                .ok()))
                        .toList());
            }
            for (var name : agents) {
                ann.call("AP_Wait", "{'target':{'context':'%s'},'wait_seconds':0}".formatted(name))
                        .ok();
                assertThat(DomainSetup.unread(ann, name)).isZero();
            }
        }
    }

    private static final String CANCEL_BLOCKED = """
            WITH blocked AS MATERIALIZED (
                SELECT a.pid FROM pg_stat_activity a WHERE pg_blocking_pids(a.pid) @> ARRAY[pg_backend_pid()])
            SELECT count(pg_cancel_backend(pid)) AS calls FROM blocked
            """;

    /** Creates agents. Returns the id of a message that waits for Bob. */
    private String adaAndBob() {
        for (var name : List.of("Ada", "Bob", "Cid")) {
            DomainSetup.agent(ann, name, "private");
        }
        return direct("Ada", "Bob", "waits").ok().text("/content/0/id");
    }

    /** Runs the work while a call that marks the message as read waits. */
    private static <T> T whileHeld(String message, Supplier<T> work) {
        return TestDatabase.db().transaction(() -> {
            TestDatabase.db()
                    .sql("SELECT 1 FROM message WHERE id = CAST(:id AS uuid) FOR UPDATE")
                    .set("id", message)
                    .one(_ -> true);
            return work.get();
        });
    }

    private Reply direct(String from, String to, String text) {
        return ann.call("AP_Chat", "{'target':{'agent':'%s','context':'%s'},'content':'%s'}".formatted(to, from, text));
    }

    private CompletableFuture<Reply> bobSpeaks() {
        var bob = CompletableFuture.supplyAsync(() -> direct("Bob", "Ada", "from Bob"));
        await().until(() -> DomainSetup.unread(ann, "Ada") == 1);
        return bob;
    }

    /** A call reads what has come in while no one waits for it: here it waits for a message that somebody holds. */
    @Test
    void othersSpeakWhileACallReadsWhatHasComeIn() {
        try (other) {
            var said = whileHeld(adaAndBob(), () -> {
                var bob = bobSpeaks();
                direct("Cid", "Bob", "from Cid").ok();
                assertThat(bob).isNotDone();
                return bob;
            });
            assertThat(said.join().ok().texts("/content", "content")).containsExactly("from Bob", "waits");
        }
    }

    @Test
    void aMessageIsSentAlsoIfWhatHasComeInCannotBeRead() {
        try (other) {
            var said = whileHeld(adaAndBob(), () -> {
                var bob = bobSpeaks();
                await().pollInSameThread()
                        .until(() -> TestDatabase.db()
                                .sql(CANCEL_BLOCKED)
                                .one(row -> row.number("calls") == 1)
                                .orElseThrow());
                return bob.join().ok();
            });
            assertThat(said.texts("/content", "content")).containsExactly("from Bob");
            assertThat(said.text("/next")).contains("do not send it again");
            assertThat(said.number("/header/unread")).isEqualTo(1);
            assertThat(direct("Bob", "Ada", "again").ok().texts("/content", "content"))
                    .containsExactly("again", "waits");
        }
    }
}
