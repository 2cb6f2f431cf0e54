package io.agentworkspace.engine.db;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** One SQL statement with named parameters. Running it is one round trip. */
public final class Statement {
    private final Db db;
    private final String text;
    private final Map<String, @Nullable Object> parameters = new LinkedHashMap<>();

    Statement(Db db, String text) {
        this.db = db;
        this.text = text;
    }

    /** Converts one row to a value. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(Row row) throws SQLException;
    }

    Statement of(Call call) {
        var caller = call.caller();
        set("tenant", caller.tenant());
        set("principal", caller.principal());
        set("context", call.contextName());
        set("caller", caller.user());
        set("acting", call.actingFor() == null ? null : call.actingFor().key());
        set("for_others", caller.mayActForOthers());
        set("admin", caller.isAdmin());
        set("bound", caller.boundAgent());
        set("now", call.now());
        set("room", call.budget().left());
        set("twice", call.budget().isTwice());
        var context = call.contextIfKnown();
        set("user", context == null ? null : (Long) context.user().id());
        set(
                "self",
                context == null || context.self() == null
                        ? null
                        : (Long) context.self().id());
        return this;
    }

    /**
     * Strings, numbers, booleans, UUIDs, instants, names (their text), and collections of strings, longs or UUIDs. An empty
     * collection is an array of text: where one may be empty the statement casts it, {@code CAST(:ids AS bigint[])}.
     */
    public Statement set(String name, @Nullable Object value) {
        parameters.put(name, value);
        return this;
    }

    public <T> Optional<T> one(Reader<T> reader) {
        return query(query -> query.map(mapper(reader)).findFirst());
    }

    public <T> List<T> list(Reader<T> reader) {
        return query(query -> query.map(mapper(reader)).list());
    }

    /**
     * Runs several statements in one round trip, each of which sees what was committed when it began, and returns a row
     * of the last one; empty if one of the queries returns no rows.
     */
    public <T> Optional<T> last(Reader<T> reader) {
        return query(query -> query.execute((executed, _) -> {
            var statement = executed.get();
            var rows = statement.getResultSet();
            while (true) {
                var isResult = statement.getMoreResults(java.sql.Statement.KEEP_CURRENT_RESULT);
                if (!isResult && statement.getUpdateCount() < 0) {
                    return rows != null && rows.next() ? Optional.of(reader.read(new Row(rows))) : Optional.empty();
                } else if (isResult) {
                    if (rows != null && !rows.next()) {
                        return Optional.empty();
                    }
                    rows = statement.getResultSet();
                }
            }
        }));
    }

    /** The number of rows changed. */
    public int run() {
        return db.withHandle(handle -> {
            try (var update = handle.createUpdate(text)) {
                bind(update);
                return update.execute();
            }
        });
    }

    /**
     * Runs it as the last of its transaction, with the commit in the same round trip: nothing may follow. If either
     * fails, the whole transaction is rolled back as usual.
     */
    public void runAndCommit() {
        db.withHandle(handle -> {
            // The driver learns from the server that the transaction is over, and does not commit again.
            try (var update = handle.createUpdate(text + ";\nCOMMIT")) {
                bind(update);
                return update.execute();
            }
        });
    }

    private <T> T query(java.util.function.Function<Query, T> use) {
        return db.withHandle(handle -> {
            try (var query = handle.createQuery(text)) {
                bind(query);
                return use.apply(query);
            }
        });
    }

    private static <T> RowMapper<T> mapper(Reader<T> reader) {
        return (rows, _) -> reader.read(new Row(rows));
    }

    private void bind(SqlStatement<?> statement) {
        parameters.forEach((name, value) -> {
            switch (value) {
                case null -> statement.bindNull(name, Types.NULL);
                case Instant instant -> statement.bind(name, instant.atOffset(ZoneOffset.UTC));
                case Name given -> statement.bind(name, given.text());
                case Collection<?> items -> statement.bind(name, array(items));
                default -> statement.bind(name, value);
            }
        });
    }

    private static Argument array(Collection<?> items) {
        var first = items.isEmpty() ? "" : items.iterator().next();
        var type = first instanceof Long ? "bigint" : first instanceof UUID ? "uuid" : "text";
        return (position, statement, _) ->
                statement.setArray(position, statement.getConnection().createArrayOf(type, items.toArray()));
    }
}
