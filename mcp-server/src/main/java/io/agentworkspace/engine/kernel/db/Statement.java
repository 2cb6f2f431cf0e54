package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PGobject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One SQL statement with named parameters. Each run is one round trip. */
public final class Statement {
    private static final Logger LOG = LoggerFactory.getLogger(Statement.class);

    /** Most statements have fewer. */
    private static final int PARAMETERS = 24;

    private final Db db;
    private final String text;
    private final Map<String, @Nullable Object> parameters;
    private boolean isQuiet;

    Statement(Db db, String text) {
        this(db, text, HashMap.newHashMap(PARAMETERS));
    }

    private Statement(Db db, String text, Map<String, @Nullable Object> parameters) {
        this.db = db;
        this.text = text;
        this.parameters = parameters;
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
     * Binds a string, number, boolean, UUID, instant, name (its text), or a collection of strings, longs or UUIDs. An
     * empty collection is an array of text, so a statement that may get one must cast it:
     * {@code CAST(:ids AS bigint[])}.
     */
    public Statement set(String name, @Nullable Object value) {
        parameters.put(name, value);
        return this;
    }

    /** Says that this statement announces what its transaction changed. */
    public Statement announcing() {
        if (Db.CURRENT.isBound()) {
            Db.CURRENT.get().announced();
        }
        return this;
    }

    /** Says that nobody needs to learn of what this statement writes. */
    public Statement quiet() {
        isQuiet = true;
        return this;
    }

    /** Takes note of what the statement writes, for which its transaction must have an announcement. */
    private void note() {
        if (!isQuiet && Db.CURRENT.isBound()) {
            Db.CURRENT.get().wrote(NamedSql.of(text).announcedTables());
        }
    }

    public <T> Optional<T> one(Reader<T> reader) {
        return use(statement -> {
            try (var rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(reader.read(new Row(rows))) : Optional.empty();
            }
        });
    }

    public <T> List<T> list(Reader<T> reader) {
        return use(statement -> {
            try (var rows = statement.executeQuery()) {
                return rows(rows, reader);
            }
        });
    }

    /**
     * Runs several statements in one round trip, and returns a row of the last one; empty if one of the queries
     * returns no rows. Each statement sees what was committed when it began.
     */
    public <T> Optional<T> last(Reader<T> reader) {
        return use(statement -> {
            statement.execute();
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
        });
    }

    /** The results of several statements run in one round trip. Each sees what was committed when it began. */
    public static final class Results {
        private final PreparedStatement statement;
        private boolean hasRows;

        private Results(PreparedStatement statement) throws SQLException {
            this.statement = statement;
            hasRows = statement.execute();
        }

        private void advance() throws SQLException {
            while (!hasRows) {
                if (statement.getUpdateCount() < 0) {
                    throw new IllegalStateException("there are no more results");
                }
                hasRows = statement.getMoreResults();
            }
        }

        /** The first row of the next statement that returns rows. */
        public <T> Optional<T> next(Reader<T> reader) throws SQLException {
            advance();
            try (var rows = statement.getResultSet()) {
                return rows.next() ? Optional.of(reader.read(new Row(rows))) : Optional.empty();
            } finally {
                hasRows = statement.getMoreResults();
            }
        }

        /** All rows of the next statement that returns rows. */
        public <T> List<T> list(Reader<T> reader) throws SQLException {
            advance();
            try (var rows = statement.getResultSet()) {
                return rows(rows, reader);
            } finally {
                hasRows = statement.getMoreResults();
            }
        }
    }

    private static <T> List<T> rows(ResultSet rows, Reader<T> reader) throws SQLException {
        var list = new ArrayList<T>();
        var row = new Row(rows);
        while (rows.next()) {
            list.add(reader.read(row));
        }
        return list;
    }

    /** Reads the results of several statements. */
    @FunctionalInterface
    public interface ResultsReader<T> {
        T read(Results results) throws SQLException;
    }

    /** Runs several statements in one round trip. */
    public <T> T all(ResultsReader<T> reader) {
        return use(statement -> reader.read(new Results(statement)));
    }

    /** Runs the statement, and returns the number of rows changed. */
    public int run() {
        return use(statement -> {
            statement.execute();
            return Math.max(0, statement.getUpdateCount());
        });
    }

    /**
     * Runs the statement as the last of its transaction, with the commit in the same round trip. No statement may
     * follow. If either fails, the whole transaction is rolled back as usual. Those of
     * {@link CombinedCalls} do not commit.
     */
    public void runAndCommit() {
        if (Db.CURRENT.isBound() && Db.CURRENT.get().isKeptOpen()) {
            run();
            return;
        }
        note();
        var late = Db.CURRENT.isBound() ? Db.CURRENT.get().takeLate() : List.<Statement>of();
        if (Db.CURRENT.isBound()) {
            Db.CURRENT.get().requireAnnounced();
        }
        var last = NamedSql.of(text).withCommit(parameters);
        // The server reports to the driver that the transaction is over, so the driver does not commit again.
        if (late.isEmpty()) {
            use(last, PreparedStatement::execute);
        } else {
            runTogether(late, last);
        }
        if (Db.CURRENT.isBound()) {
            Db.CURRENT.get().end();
        }
    }

    /** Runs the statement in the same round trip as the transaction's last one. Its result is not read. */
    public void runLate() {
        if (Db.CURRENT.isBound()) {
            note();
            Db.CURRENT.get().add(this);
        } else {
            run();
        }
    }

    private void runTogether(List<Statement> late, NamedSql.Positional last) {
        var texts = new ArrayList<String>();
        late.forEach(statement ->
                texts.add(NamedSql.of(statement.text).with(statement.parameters).text()));
        texts.add(last.text());
        db.withConnection(connection -> {
            try (var statement = connection.prepareStatement(NamedSql.together(texts))) {
                var position = 0;
                for (var one : late) {
                    position =
                            one.bind(statement, position, NamedSql.of(one.text).with(one.parameters));
                }
                bind(statement, position, last);
                return stoppable(statement, PreparedStatement::execute);
            }
        });
    }

    /** Work that uses the prepared statement. */
    @FunctionalInterface
    private interface Use<T> {
        T of(PreparedStatement statement) throws SQLException;
    }

    private <T> T use(Use<T> use) {
        return use(NamedSql.of(text).with(parameters), use);
    }

    private <T> T use(NamedSql.Positional sql, Use<T> use) {
        note();
        Db.runLate();
        return db.withConnection(connection -> {
            try (var statement = connection.prepareStatement(sql.text())) {
                bind(statement, 0, sql);
                return stoppable(statement, use);
            }
        });
    }

    /** Uses the statement, which is cancelled if the client of the call has gone. */
    private static <T> T stoppable(PreparedStatement statement, Use<T> use) throws SQLException {
        return Cancellation.stoppable(() -> cancel(statement), () -> use.of(statement));
    }

    private static void cancel(PreparedStatement statement) {
        try {
            statement.cancel();
        } catch (SQLException e) {
            LOG.debug("a statement could not be cancelled", e); // Its time limit ends it.
        }
    }

    /**
     * Binds the parameters after this position, and returns the position of the last one. A null has the type that its parameter is
     * cast to: if the driver must ask for one, it waits before the next statement of the same round trip.
     */
    private int bind(PreparedStatement statement, int after, NamedSql.Positional sql) throws SQLException {
        var position = after;
        for (var name : sql.names()) {
            position++;
            switch (value(name)) {
                case null -> setNull(statement, position, sql.types().get(name));
                case String word -> statement.setString(position, word);
                case Long number -> statement.setLong(position, number);
                case Integer number -> statement.setInt(position, number);
                case Instant instant -> statement.setObject(position, time(instant));
                case Name typed -> statement.setString(position, typed.text());
                case byte[] bytes -> statement.setBytes(position, bytes);
                case Collection<?> items -> statement.setArray(position, array(statement, items));
                case Object other -> statement.setObject(position, other);
            }
        }
        return position;
    }

    private static void setNull(PreparedStatement statement, int position, @Nullable String type) throws SQLException {
        switch (type) {
            case "bigint" -> statement.setNull(position, Types.BIGINT);
            case "integer" -> statement.setNull(position, Types.INTEGER);
            case "timestamptz", "uuid" -> statement.setNull(position, Types.OTHER, type);
            case "text" -> statement.setNull(position, Types.VARCHAR);
            case null, default -> statement.setNull(position, Types.NULL);
        }
    }

    private @Nullable Object value(String name) {
        var value = parameters.get(name);
        if (value == null && !parameters.containsKey(name)) {
            throw new IllegalArgumentException("the parameter :%s is missing in %s".formatted(name, text));
        }
        return value;
    }

    /** As text: for its own types of times the driver makes a calendar for each statement. */
    private static PGobject time(Instant instant) throws SQLException {
        var time = new PGobject();
        time.setType("timestamptz");
        time.setValue(instant.toString());
        return time;
    }

    private static Array array(PreparedStatement statement, Collection<?> items) throws SQLException {
        var connection = statement.getConnection();
        return switch (items.isEmpty() ? "" : items.iterator().next()) {
            case Long _ -> connection.createArrayOf("bigint", items.toArray(Long[]::new));
            case UUID _ -> connection.createArrayOf("uuid", items.toArray());
            case String _ -> connection.createArrayOf("text", items.toArray(String[]::new));
            case null, default -> connection.createArrayOf("text", items.toArray());
        };
    }
}
