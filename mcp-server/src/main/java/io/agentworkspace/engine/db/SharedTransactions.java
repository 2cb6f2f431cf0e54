package io.agentworkspace.engine.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls that change the same row share one transaction, so that they do not wait for each other's commits. The first
 * call begins the transaction. When its statements have run and another call waits, it does not commit, but passes the
 * connection on. The last call commits for all. Each call has a savepoint, so a failure undoes only the work of its own
 * call. No call returns before the commit.
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

    /** How often {@link TimeLimits#sharing} fits into the time that a call waits for its turn. It then runs alone. */
    private static final int TURN = 5;

    /** The state of a ROLLBACK to a savepoint that is gone, since the transaction is over. */
    private static final String NO_SAVEPOINT = "3B001";

    private final Db db;
    private final Duration sharing;
    private final ReentrantLock lock = new ReentrantLock();
    /** The calls that wait, by what they share. There is an entry while a transaction is open. */
    private final Map<Object, Deque<Waiter>> lines = new HashMap<>();

    /** @param sharing how long a transaction is passed on */
    SharedTransactions(Db db, Duration sharing) {
        this.db = db;
        this.sharing = sharing;
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

    /**
     * A call that waits for its turn. The turn is a transaction that is passed on, or null to begin one. It is cancelled if
     * the call runs alone.
     */
    private static final class Waiter {
        private final CompletableFuture<@Nullable Shared> turn = new CompletableFuture<>();
    }

    /** An open transaction. Only the call whose turn it is uses the connection. */
    private static final class Shared {
        private final Object key;
        private final Connection connection;
        private final CompletableFuture<Boolean> committed = new CompletableFuture<>();
        private final long began = System.nanoTime();
        private int calls = 1;

        Shared(Object key, Connection connection) {
            this.key = key;
            this.connection = connection;
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

        /** Fails all calls of a transaction that is lost, and lets the next call begin another one. */
        void abandon(Throwable reason) {
            isOver = true;
            shared.committed.completeExceptionally(reason);
            if (next != null) {
                next.turn.complete(null);
            } else {
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

        /** Undoes the work of a call that failed. The others go on, unless the transaction is lost. */
        void undo(Throwable failure) {
            try {
                rollBack();
                if (decide() == Ending.COMMIT) {
                    shared.connection.commit();
                }
            } catch (Throwable e) {
                failure.addSuppressed(e);
                abandon(lost(e, failure));
                return;
            }
            end();
        }

        private void rollBack() throws SQLException {
            try (var statement = shared.connection.createStatement()) {
                statement.execute("ROLLBACK TO SAVEPOINT call");
            }
        }

        /** Returns why a transaction is lost: its commit has failed, or its connection. */
        private static Throwable lost(Throwable atSavepoint, Throwable before) {
            if (atSavepoint instanceof SQLException e) {
                return NO_SAVEPOINT.equals(e.getSQLState()) && before instanceof SqlFailure
                        ? before
                        : new SqlFailure(e);
            }
            return atSavepoint;
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
        var isInterrupted = await(key, waiter);
        try {
            if (waiter.turn.isCancelled()) {
                return db.transaction(work);
            }
            var shared = waiter.turn.join();
            return shared == null ? lead(key, work) : join(shared, work);
        } finally {
            if (isInterrupted) { // Not before, since an interrupted thread closes the connection that others share.
                Thread.currentThread().interrupt();
            }
        }
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

    /** Waits for the call's turn, and returns whether the thread was interrupted. */
    private boolean await(Object key, Waiter waiter) {
        try {
            waiter.turn.get(TURN * sharing.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            leave(key, waiter);
        } catch (InterruptedException e) {
            leave(key, waiter);
            return true;
        } catch (CancellationException e) {
            return false; // The line is too long.
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        return false;
    }

    /** Lets the call run alone, unless its turn has just come. */
    private void leave(Object key, Waiter waiter) {
        lock.lock();
        try {
            var line = lines.get(key);
            if (line != null && line.remove(waiter)) {
                waiter.turn.cancel(false);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes the next waiting call out of the line, if the transaction may have another one. */
    private @Nullable Waiter next(Shared shared) {
        lock.lock();
        try {
            var isOpen = shared.calls < MOST && System.nanoTime() - shared.began < sharing.toNanos();
            var next = isOpen ? Objects.requireNonNull(lines.get(shared.key)).poll() : null;
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
                try {
                    Db.rollBack(connection, e);
                } finally {
                    member.abandon(e);
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
            var result = db.traced(() -> run(member, work));
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
                .call(() -> Transaction.complete(work));
    }
}
