package io.agentworkspace.engine.memory.banks;

import static io.agentworkspace.engine.memory.banks.BankFixture.bank;
import static io.agentworkspace.engine.memory.banks.BankFixture.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MemoryTwinsTest {
    private static final int WRITERS = 8;

    private final TestCaller ann = new TestTenant().person(ClientApi.MCP, "ann", Role.MEMBER);

    @BeforeEach
    void thereIsABank() {
        bank(ann, "b");
    }

    @Test
    void eightWritersOnOneMemoryLoseNoUpdate() {
        var perWriter = 6;
        all(writer -> () -> {
            for (var i = 0; i < perWriter; i++) {
                append("%d.%d".formatted(writer, i));
            }
            return true;
        });
        var read = named();
        assertThat(read.number("/content/0/revision")).isEqualTo((long) WRITERS * perWriter);
        assertThat(read.text("/content/0/text").split(" "))
                .hasSize(WRITERS * perWriter)
                .doesNotHaveDuplicates();
    }

    /** Reads, appends, and stores if nobody else has stored; otherwise retries. */
    private void append(String word) {
        while (true) {
            var before = named();
            var exists = before.code() == 0;
            var text = exists ? before.text("/content/0/text") + " " + word : word;
            var stored = store(text, exists ? before.number("/content/0/revision") : 0);
            if (stored.code() == 0) {
                return;
            }
            stored.refused(3003, "if_revision");
        }
    }

    @Test
    void eachRevisionIsWonOnce() {
        store("one", 0).ok();
        for (var revision = 1; revision <= 5; revision++) {
            var expected = revision;
            var codes = all(writer -> () -> store("by " + writer, expected).code());
            assertThat(codes).containsOnly(0, 3003);
            assertThat(codes.stream().filter(code -> code == 0)).hasSize(1);
        }
        assertThat(named().number("/content/0/revision")).isEqualTo(6);
    }

    @Test
    void eachRevisionOfTheBankIsWonOnce() {
        for (var revision = 1; revision <= 5; revision++) {
            var expected = revision;
            var codes = all(writer -> () -> ann.call(
                            "MB_Update",
                            "{'target':{'bank':'b'},'vx':{'name':'b','description':'by %d of %d'},'if_revision':%2$d}"
                                    .formatted(writer, expected))
                    .code());
            assertThat(codes).containsOnly(0, 3003);
            assertThat(codes.stream().filter(code -> code == 0)).hasSize(1);
        }
    }

    @Test
    void aDeletedBankHoldsEveryMemoryThatWasAcknowledged() {
        var stored = all(writer -> () -> {
            var count = 0L;
            for (var i = 0; i < 10; i++) {
                if (writer == 0 && i == 3) {
                    ann.call("MB_Delete", BankFixture.bank("b")).ok();
                }
                var reply = BankFixture.store(ann, "b", "x");
                assertThat(reply.code()).isIn(0, 3001);
                count += reply.code() == 0 ? 1 : 0;
            }
            return count;
        });
        var restored = ann.call("MB_Restore", BankFixture.bank("b")).ok();
        assertThat(restored.number("/bank/memories"))
                .isEqualTo(stored.stream().mapToLong(Long::longValue).sum());
    }

    @Test
    void whatACensoredAgentIsStoringMeanwhileIsHiddenToo() {
        BankFixture.agent(ann, "Ada");
        all(writer -> () -> {
            for (var i = 0; i < 5; i++) {
                BankFixture.storeNamed(ann, "b", "Ada", "m" + i, "x").ok();
                if (writer == 0 && i == 2) {
                    ann.call("MB_Censor", BankFixture.share("b", "Ada")).ok();
                }
            }
            return true;
        });
        assertThat(read(ann, "b").ok().at("/content")).isEmpty();
        assertThat(ann.call("MB_Uncensor", BankFixture.share("b", "Ada")).ok().number("/shown"))
                .isEqualTo(5);
    }

    @Test
    void ofWritersWithoutARevisionEachMakesOne() {
        var revisions = new TreeSet<>(
                all(writer -> () -> store("by " + writer, null).ok().number("/revision")));
        assertThat(revisions).isEqualTo(new TreeSet<>(Set.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L)));
        assertThat(read(ann, "b").ok().number("/profile/0/memories")).isEqualTo(1);
    }

    private Reply store(String text, Number ifRevision) {
        return ann.call(
                "MB_Store",
                "{'target':{'bank':'b'},'vx':{'name':'log'},'content':'%s'%s}"
                        .formatted(text, ifRevision == null ? "" : ",'if_revision':" + ifRevision));
    }

    private Reply named() {
        return ann.call("MB_Read", "{'target':{'bank':'b'},'vx':{'name':'log'}}");
    }

    private static <T> List<T> all(IntFunction<Callable<T>> work) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var results = new ArrayList<T>();
            for (var task : IntStream.range(0, WRITERS)
                    .mapToObj(work)
                    .map(threads::submit)
                    .toList()) {
                results.add(task.get());
            }
            return results;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
