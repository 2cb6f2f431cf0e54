package io.agentworkspace.engine.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls share a transaction that would otherwise wait for each other, since all of them change the same row. The
 * first call begins the transaction. When its statements have run and another call waits, it does not commit, but
 * passes the connection on. The last call commits for all. Each call has a savepoint, so a failure undoes only the work
 * of its own call. No call returns before the commit.
 */
final class SharedTransactions {
    /** The transaction of the current thread's call, if it may be shared. */
    private static final ScopedValue<Member> MEMBER = ScopedValue.newInstance();

    /** The maximum number of calls in a transaction. PostgreSQL is slower with more than 64 savepoints. */
    private static final int MOST = 32;

    /** The maximum number of calls that wait for one thing. Others run alone. */
    private static final int MOST_WAITING = 500;

    /**
     * How long a call that was passed a transaction waits for a lock. It then runs alone: the transaction has locks of
     * other calls, and others may wait for those.
     */
    static final Duration LOCK = Duration.ofMillis(50);

    private final Db db;
    private final Duration patience;
    private final ReentrantLock lock = new ReentrantLock();
    /** The calls that wait, by what they share. There is an entry while a transaction is open. */
    private final Map<Object, Deque<Waiter>> lines = new HashMap<>();

    SharedTransactions(Db db, Duration patience) {
        this.db = db;
        this.patience = patience;
    }

    /** What follows a call's last statement in the same round trip. */
    enum Ending {
        COMMIT("COMMIT"),
        FIRST_SAVEPOINT("SAVEPOINT call"),
        NEXT_SAVEPOINT("RELEASE SAVEPOINT call;\nSAVEPOINT call");

        final String sql;

        Ending(String sql) {
            this.sql = sql;
        }
    }

    /** A call that waits for its turn. The turn is a transaction that is passed on, or null to begin one. */
    private static final class Waiter {
        private final CompletableFuture<@Nullable Shared> turn = new CompletableFuture<>();
    }

    /** An open transaction. Only the call whose turn it is uses the connection. */
    private static final class Shared {
        private final Object key;
        private final Connection connection;
        private final CompletableFuture<Boolean> committed = new CompletableFuture<>();
        private int calls = 1;

        Shared(Object key, Connection connection) {
            this.key = key;
            this.connection = connection;
        }

        void fail(Throwable reason) {
            committed.completeExceptionally(reason);
        }

        /** Waits until the last call has committed. */
        void await() {
            try {
                committed.join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof RuntimeException failure ? failure : e;
            }
        }
    }

    /** A call's part in a transaction. */
    private final class Member {
        private final Shared shared;
        private final boolean isFirst;
        private @Nullable Waiter next;
        private boolean isDecided;
        private boolean isOver;

        Member(Shared shared, boolean isFirst) {
            this.shared = shared;
            this.isFirst = isFirst;
        }

        /** Decides whether the transaction is passed on after the last statement. */
        Ending decide() {
            if (!isDecided) {
                isDecided = true;
                next = next(shared);
            }
            return next == null ? Ending.COMMIT : isFirst ? Ending.FIRST_SAVEPOINT : Ending.NEXT_SAVEPOINT;
        }

        /** Passes the transaction on, or ends it if nobody waits. */
        void end() {
            isOver = true;
            if (next != null) {
                next.turn.complete(shared);
            } else {
                shared.committed.complete(true);
                release(shared.key);
            }
        }

        /** Ends the part of a call that ran no last statement. */
        void close() throws SQLException {
            if (!isOver) {
                isDecided = true;
                shared.connection.commit();
                end();
            }
        }

        /** Undoes the work of a call that failed. The others go on, unless the connection has failed. */
        void undo(Throwable failure) {
            try (var statement = shared.connection.createStatement()) {
                statement.execute("ROLLBACK TO SAVEPOINT call");
                if (decide() == Ending.COMMIT) {
                    shared.connection.commit();
                }
                end();
            } catch (SQLException e) {
                isOver = true;
                shared.fail(new SqlFailure(e));
                failure.addSuppressed(e);
                if (next == null) {
                    release(shared.key);
                } else {
                    next.turn.complete(null);
                }
            }
        }
    }

    /** Returns how the current call's transaction goes on after its last statement. */
    static Ending ending() {
        return MEMBER.isBound() ? MEMBER.get().decide() : Ending.COMMIT;
    }

    /** Call this when the last statement has run with its {@link #ending}. */
    static void ended() {
        if (MEMBER.isBound()) {
            MEMBER.get().end();
        }
    }

    /** Returns whether the current call was passed a transaction, which has the locks of other calls. */
    static boolean isPassedOn() {
        return MEMBER.isBound() && !MEMBER.get().isFirst;
    }

    /** Runs the work in a transaction that it may share with others that have the same key. */
    <T> T run(Object key, Supplier<T> work) {
        var waiter = enter(key);
        if (waiter == null) {
            return lead(key, work);
        }
        if (waiter.turn.isCancelled()) {
            return db.transaction(work);
        }
        var shared = await(key, waiter);
        return shared == null ? lead(key, work) : db.traced(() -> join(shared, work));
    }

    /** Returns null if no transaction is open, so that the caller begins one. */
    private @Nullable Waiter enter(Object key) {
        lock.lock();
        try {
            var line = lines.get(key);
            if (line == null) {
                lines.put(key, new ArrayDeque<>());
                return null;
            }
            var waiter = new Waiter();
            if (line.size() < MOST_WAITING) {
                line.add(waiter);
            } else {
                waiter.turn.cancel(false);
            }
            return waiter;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Shared await(Object key, Waiter waiter) {
        try {
            return waiter.turn.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return leave(key, waiter);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return leave(key, waiter);
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private @Nullable Shared leave(Object key, Waiter waiter) {
        lock.lock();
        try {
            var line = lines.get(key);
            if (line != null && line.remove(waiter)) {
                throw db.busy("no turn for " + patience.toSeconds() + " s");
            }
        } finally {
            lock.unlock();
        }
        return waiter.turn.join(); // Its turn has just come.
    }

    /** Takes the next waiting call out of the line, if the transaction may have another one. */
    private @Nullable Waiter next(Shared shared) {
        lock.lock();
        try {
            var next = shared.calls < MOST
                    ? Objects.requireNonNull(lines.get(shared.key)).poll()
                    : null;
            if (next != null) {
                shared.calls++;
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the next waiting call begin a transaction. */
    private void release(Object key) {
        Waiter next;
        lock.lock();
        try {
            next = Objects.requireNonNull(lines.get(key)).poll();
            if (next == null) {
                lines.remove(key);
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            next.turn.complete(null);
        }
    }

    /** Returns how many calls wait for a transaction with this key. */
    int waiting(Object key) {
        lock.lock();
        try {
            return lines.getOrDefault(key, new ArrayDeque<>()).size();
        } finally {
            lock.unlock();
        }
    }

    /** Begins a transaction. If it must be repeated, the call runs alone. */
    private <T> T lead(Object key, Supplier<T> work) {
        var tried = new boolean[1];
        try {
            return db.withConnection(connection -> {
                if (tried[0]) {
                    return db.alone(connection, work);
                }
                tried[0] = true;
                return first(new Member(new Shared(key, connection), true), work);
            });
        } finally {
            if (!tried[0]) { // There was no connection.
                release(key);
            }
        }
    }

    private <T> T first(Member member, Supplier<T> work) throws SQLException {
        var connection = member.shared.connection;
        T result;
        try {
            connection.setAutoCommit(false); // The pool resets it.
            result = run(member, work);
            member.close();
        } catch (Throwable e) {
            if (member.isOver) {
                member.shared.committed.exceptionally(_ -> true).join();
            } else {
                Db.rollBack(connection, e);
                if (member.next == null) {
                    release(member.shared.key);
                } else {
                    member.next.turn.complete(null);
                }
            }
            throw e;
        }
        member.shared.await();
        return result;
    }

    /** Runs the work as the next part of a transaction of others. */
    private <T> T join(Shared shared, Supplier<T> work) {
        var member = new Member(shared, false);
        try {
            var result = run(member, work);
            member.close();
            shared.await();
            return result;
        } catch (SQLException e) {
            return again(member, new SqlFailure(e), work);
        } catch (SqlFailure e) {
            return again(member, e, work);
        } catch (Throwable e) {
            if (!member.isOver) {
                member.undo(e);
            }
            throw e;
        }
    }

    /** Runs the work alone if the database requests that it is repeated. */
    private <T> T again(Member member, SqlFailure failure, Supplier<T> work) {
        if (!member.isOver) {
            member.undo(failure);
        }
        if (db.isTransient(failure)) {
            return db.transaction(work);
        }
        throw db.foreseen(failure);
    }

    private static <T> T run(Member member, Supplier<T> work) {
        return ScopedValue.where(Db.CURRENT, new Transaction(member.shared.connection))
                .where(MEMBER, member)
                .call(() -> Db.complete(work));
    }
}
