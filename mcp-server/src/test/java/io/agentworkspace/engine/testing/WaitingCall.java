package io.agentworkspace.engine.testing;

import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A call that waits for a transaction which holds what the call needs, and continues after its commit. */
public final class WaitingCall {
    private WaitingCall() {}

    public static <T> T by(Runnable change, Supplier<T> call) {
        var db = TestDatabase.db();
        return db.transaction(() -> {
                    var own = ownProcess();
                    change.run();
                    var waiting = CompletableFuture.supplyAsync(call);
                    await().until(() -> waiting.isDone() || blocked(own) > 0);
                    return waiting;
                })
                .join();
    }

    /** Runs the work while a transaction holds what others need. The work receives how many wait for it. */
    public static void whileHeld(Runnable change, Consumer<LongSupplier> work) {
        TestDatabase.db().transaction(() -> {
            var own = ownProcess();
            change.run();
            work.accept(() -> blocked(own));
            return true;
        });
    }

    private static long ownProcess() {
        return TestDatabase.db()
                .sql("SELECT pg_backend_pid() AS pid")
                .one(row -> row.number("pid"))
                .orElseThrow();
    }

    private static long blocked(long own) {
        return TestDatabase.db()
                .sql("""
                        SELECT count(*) AS waiting FROM pg_stat_activity
                         WHERE CAST(:own AS int) = ANY (pg_blocking_pids(pid))
                        """)
                .set("own", own)
                .one(row -> row.number("waiting"))
                .orElse(0L);
    }
}
