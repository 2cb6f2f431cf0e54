package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.model.plan.Scope;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** A call's transaction: its connection, and the statements that wait for its last one. */
final class Transaction {
    private final Connection connection;
    private List<Statement> late = new ArrayList<>(1);
    private final Set<String> written = new TreeSet<>();
    private final Set<Scope> changed = EnumSet.noneOf(Scope.class);
    private final Set<Scope> counted = EnumSet.noneOf(Scope.class);
    /** What gives the tenants a new version of what decides access, by tenant: the last statements, since others wait for it. */
    private final Map<Long, Statement> versions = new TreeMap<>();

    private final Set<Long> tenantsWithOtherAccess = new TreeSet<>();
    private boolean isAnnounced;
    private boolean isOver;
    private boolean isSingle;
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

    /** The transaction is only for one statement, of which nothing is required. */
    void single() {
        isSingle = true;
    }

    /** The last statement has run. */
    void end() {
        isOver = true;
    }

    /** Runs the work, and then what still waits for its last statement. */
    static <T> T complete(Supplier<T> work) {
        var result = work.get();
        Db.runLate();
        Precondition.complete();
        Db.CURRENT.get().takeLast().forEach(Statement::run);
        Db.CURRENT.get().requireComplete();
        return result;
    }

    /**
     * A statement writes.
     *
     * @param tables tables whose changes others listen to
     * @param scopes what a plan limits
     */
    void wrote(Set<String> tables, Set<Scope> scopes) {
        written.addAll(tables);
        changed.addAll(scopes);
    }

    /** The transaction has said by how much it changed these counts. */
    void counted(Set<Scope> scopes) {
        counted.addAll(scopes);
    }

    /** The transaction has said what it changed, or that nobody needs to know. */
    void announced() {
        isAnnounced = true;
    }

    /**
     * Refuses to commit what nobody would learn of, and what would not be counted.
     *
     * @throws IllegalStateException a defect of the code that wrote it
     */
    void requireComplete() {
        if (isSingle) {
            return;
        }
        changed.removeAll(counted);
        if (!changed.isEmpty()) {
            throw new IllegalStateException(
                    "the transaction may have changed the number of %s without saying so: call.created(…) or call.ended(…) says by how many, 0 included"
                            .formatted(changed.stream().map(Scope::word).collect(Collectors.joining(", "))));
        }
        if (!isAnnounced && !written.isEmpty()) {
            throw new IllegalStateException(
                    "the transaction announces no change, but wrote to %s: call.changed(…) or ChangeStore.write announce it, Statement.quiet() says that it need not"
                            .formatted(String.join(", ", written)));
        }
    }

    /** A statement writes to what decides access in the tenant. */
    void accessChanged(long tenant, Db db) {
        tenantsWithOtherAccess.add(tenant);
        versions.computeIfAbsent(
                tenant, id -> new Statement(db, AccessVersion.CHANGE).quiet().set("tenant", id));
    }

    /** Returns the tenants in which the transaction has changed what decides access. */
    Set<Long> tenantsWithOtherAccess() {
        return tenantsWithOtherAccess;
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

    /** Returns the statements that wait for the end, which then wait no longer. */
    List<Statement> takeLast() {
        var taken = new ArrayList<>(takeLate());
        taken.addAll(versions.values());
        versions.clear();
        return taken;
    }
}
