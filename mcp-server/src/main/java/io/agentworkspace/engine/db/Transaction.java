package io.agentworkspace.engine.db;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A call's transaction: its connection, and the statements that wait for its last one. */
final class Transaction {
    private final Connection connection;
    private List<Statement> late = new ArrayList<>(1);
    private boolean isOver;
    private boolean isKeptOpen;

    Transaction(Connection connection) {
        this.connection = connection;
    }

    /** @throws IllegalStateException after the last statement: the connection may already belong to another call */
    Connection connection() {
        if (isOver) {
            throw new IllegalStateException("a statement follows the last one of its transaction");
        }
        return connection;
    }

    /** Runs the work of several calls: the last statement of one does not end the transaction. */
    <T> T keptOpen(Supplier<T> work) {
        isKeptOpen = true;
        return work.get();
    }

    boolean isKeptOpen() {
        return isKeptOpen;
    }

    /** The last statement has run. */
    void end() {
        isOver = true;
    }

    void add(Statement statement) {
        late.add(statement);
    }

    /** Returns the statements that wait, which then wait no longer. */
    List<Statement> takeLate() {
        if (late.isEmpty()) {
            return List.of();
        }
        var taken = late;
        late = new ArrayList<>(1);
        return taken;
    }
}
