package io.agentworkspace.engine.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Calls that wait for each other share one transaction, and each fails alone. */
class SharedTransactionsTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Db DB = TestDatabase.db();
    private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();

    private final String key = UUID.randomUUID().toString();
    private final CountDownLatch begun = new CountDownLatch(1);

    @BeforeAll
    static void createTables() {
        DB.sql(
                        "CREATE TABLE shared_note (text text PRIMARY KEY, transaction xid8 NOT NULL DEFAULT pg_current_xact_id())")
                .run();
        DB.sql("CREATE TABLE shared_link (note text REFERENCES shared_note DEFERRABLE INITIALLY DEFERRED)")
                .run();
    }

    @AfterAll
    static void dropTables() {
        DB.sql("DROP TABLE shared_link, shared_note").run();
        THREADS.close();
    }

    private Statement note(String text) {
        return DB.sql("INSERT INTO shared_note (text) VALUES (:text)").set("text", key + text);
    }

    private List<String> notes() {
        return DB.sql("SELECT text FROM shared_note WHERE starts_with(text, :key) ORDER BY text")
                .set("key", key)
                .list(row -> row.text("text").substring(key.length()));
    }

    private long transactions() {
        return DB.sql("SELECT count(DISTINCT transaction) FROM shared_note WHERE starts_with(text, :key)")
                .set("key", key)
                .one(row -> row.number(1))
                .orElseThrow();
    }

    private Future<Boolean> share(Callable<Boolean> work) {
        return run(key, work);
    }

    private static Future<Boolean> run(@Nullable Object key, Callable<Boolean> work) {
        return THREADS.submit(() -> DB.transaction(key, () -> {
            try {
                return work.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }));
    }

    /** Begins a transaction that ends when so many other calls wait. */
    private Future<Boolean> first(int others, Runnable end) throws InterruptedException {
        var first = share(() -> {
            note("first").run();
            begun.countDown();
            await().until(() -> DB.waitingToShare(key) == others);
            end.run();
            return true;
        });
        begun.await();
        return first;
    }

    private Callable<Boolean> storing(String text) {
        return () -> {
            note(text).runAndCommit();
            return true;
        };
    }

    @Test
    void waitingCallsShareOneTransactionAndFailAlone() throws Exception {
        var first = first(5, () -> note("first, last").runAndCommit());
        var refused = share(() -> {
            note("refused").run();
            throw new IllegalArgumentException("refused");
        });
        var stored = share(storing("stored"));
        var wrong = share(storing("first"));
        var late = share(() -> {
            note("late").runLate();
            return true;
        });
        var last = share(storing("last"));

        assertThat(first.get()).isTrue();
        assertThat(stored.get()).isTrue();
        assertThat(late.get()).isTrue();
        assertThat(last.get()).isTrue();
        assertThatThrownBy(refused::get).isInstanceOf(ExecutionException.class).hasRootCauseMessage("refused");
        assertThatThrownBy(wrong::get).hasCauseInstanceOf(SqlFailure.class);
        assertThat(notes()).containsExactly("first", "first, last", "last", "late", "stored");
        assertThat(transactions()).isLessThanOrEqualTo(2);
    }

    @Test
    void aFirstCallThatFailsLetsTheNextOneBegin() throws Exception {
        var first = first(2, () -> {
            throw new IllegalArgumentException("refused");
        });
        var second = share(storing("second"));
        var third = share(storing("third"));

        assertThatThrownBy(first::get).hasRootCauseMessage("refused");
        assertThat(second.get()).isTrue();
        assertThat(third.get()).isTrue();
        assertThat(notes()).containsExactly("second", "third");
    }

    @Test
    void noCallReturnsBeforeTheCommit() throws Exception {
        var isStored = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var first = first(1, () -> note("first, last").runAndCommit());
        var second = share(() -> {
            note("second").run();
            isStored.countDown();
            mayEnd.await();
            return true;
        });
        isStored.await();
        assertThat(notes()).isEmpty();
        assertThat(first.isDone()).isFalse();
        mayEnd.countDown();
        assertThat(second.get()).isTrue();
        assertThat(first.get()).isTrue();
        assertThat(notes()).containsExactly("first", "first, last", "second");
        assertThat(transactions()).isEqualTo(1);
    }

    @Test
    void aLostConnectionFailsAllCallsOfItsTransaction() throws Exception {
        var first = first(2, () -> note("first, last").runAndCommit());
        var second = share(() -> {
            DB.sql("SELECT pg_terminate_backend(pg_backend_pid())").run();
            return true;
        });
        var third = share(storing("third"));

        assertThatThrownBy(first::get).isInstanceOf(ExecutionException.class);
        assertThatThrownBy(second::get).isInstanceOf(ExecutionException.class);
        assertThat(third.get()).isTrue();
        assertThat(notes()).containsExactly("third");
    }

    @Test
    void aCommitThatFailsFailsAllCallsOfItsTransaction() throws Exception {
        var first = first(3, () -> note("first, last").runAndCommit());
        var second = share(() -> {
            DB.sql("INSERT INTO shared_link (note) VALUES (:note)")
                    .set("note", key + "missing")
                    .runAndCommit();
            return true;
        });
        var third = share(storing("third"));
        var fourth = share(storing("fourth"));

        for (var call : List.of(first, second, third, fourth)) {
            assertThatThrownBy(call::get)
                    .hasCauseInstanceOf(SqlFailure.class)
                    .rootCause()
                    .extracting("SQLState")
                    .isEqualTo("23503");
        }
        assertThat(notes()).isEmpty();
        assertThat(share(storing("later")).get()).isTrue();
    }

    @Test
    void aCallThatWaitsForAnotherLockLetsTheOthersGoAndRunsAlone() throws Exception {
        var isLocked = new CountDownLatch(1);
        var mayUnlock = new CountDownLatch(1);
        var holder = run(null, () -> {
            lock();
            isLocked.countDown();
            mayUnlock.await();
            return true;
        });
        isLocked.await();
        var first = first(1, () -> note("first, last").runAndCommit());
        var second = share(() -> {
            lock();
            return storing("second").call();
        });

        assertThat(first.get()).isTrue();
        assertThat(second.isDone()).isFalse();
        mayUnlock.countDown();
        assertThat(holder.get()).isTrue();
        assertThat(second.get()).isTrue();
        assertThat(notes()).containsExactly("first", "first, last", "second");
        assertThat(transactions()).isEqualTo(2);
    }

    @Test
    void aCallWhoseTurnDoesNotComeRunsAlone() throws Exception {
        var limits = new TimeLimits(LONG, LONG, LONG, LONG, Duration.ofMillis(20));
        var postgres = TestDatabase.postgres();
        try (var db = new Db(postgres.jdbcUrl(), postgres.user(), postgres.password(), 2, limits)) {
            var isStored = new CountDownLatch(1);
            var first = THREADS.submit(() -> db.transaction(key, () -> {
                begun.countDown();
                await().until(() -> isStored.getCount() == 0);
                return true;
            }));
            begun.await();
            var second = THREADS.submit(() -> db.transaction(key, () -> {
                note("second").runAndCommit();
                return true;
            }));
            assertThat(second.get()).isTrue();
            isStored.countDown();
            assertThat(first.get()).isTrue();
        }
        assertThat(notes()).containsExactly("second");
    }

    @Test
    void nothingFollowsTheLastStatement() {
        assertThatThrownBy(() -> DB.transaction(() -> {
                    note("last").runAndCommit();
                    return note("later").run();
                }))
                .isInstanceOf(IllegalStateException.class);
    }

    /** Waits for a lock with the limits of the call. */
    private void lock() {
        DB.limited(DB.sql("SELECT " + Db.LIMITS)).one(_ -> true);
        DB.sql("SELECT pg_advisory_xact_lock(hashtextextended(:key, 0))")
                .set("key", key)
                .one(_ -> true);
    }
}
