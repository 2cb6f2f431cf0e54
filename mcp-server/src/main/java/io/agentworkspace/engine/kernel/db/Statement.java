package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context;
import java.sql.Array;
import java.sql.Connection;
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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PGobject;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** SQL with named parameters: a statement, or several that are sent together. Each run is one round trip. */
public final class Statement {
    private static final Logger LOG = LoggerFactory.getLogger(Statement.class);

    /** The types of a call's own parameters, where a statement does not cast them. */
    private static final Map<String, String> TYPES = Map.of(
            "user",
            "bigint",
            "self",
            "bigint",
            "entered_domain",
            "bigint",
            "entered_zone",
            "bigint",
            "selected_agent",
            "bigint");

    /** Most statements have fewer. */
    private static final int PARAMETERS = 24;

    private final Db db;
    private final String text;
    private final Map<String, @Nullable Object> parameters;
    private boolean isQuiet;
    private boolean isSameAccess;

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
        set("user", context == null ? null : id(context.user()));
        set("self", context == null ? null : id(context.self()));
        set("selected_agent", context == null ? null : id(context.agent()));
        set("entered_domain", context == null ? null : id(context.domain()));
        set("entered_zone", context == null ? null : id(context.zone()));
        return this;
    }

    private static @Nullable Long id(Context.@Nullable Ref thing) {
        return thing == null ? null : (Long) thing.id();
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

    /** Says that no context that was loaded before depends on what this statement writes, though it writes to such a table. */
    public Statement sameAccess() {
        return sameAccess(true);
    }

    public Statement sameAccess(boolean isSame) {
        isSameAccess = isSame;
        return this;
    }

    /** Says that this statement writes by how much the transaction changed these counts. */
    public Statement counting(Set<Scope> scopes) {
        if (Db.CURRENT.isBound()) {
            Db.CURRENT.get().counted(scopes);
        }
        return this;
    }

    /** Takes note of what the statement writes, for which its transaction must have an announcement, or a count. */
    private void note() {
        var sql = NamedSql.of(text);
        if (Db.CURRENT.isBound()) {
            Db.CURRENT.get().wrote(isQuiet ? Set.of() : sql.announcedTables(), sql.countedScopes());
        }
        if (changesAccess()) {
            Db.CURRENT.get().accessChanged((Long) Objects.requireNonNull(value("tenant")), db);
        }
    }

    private boolean changesAccess() {
        return !isSameAccess && NamedSql.of(text).changesAccess();
    }

    public <T> Optional<T> one(Reader<T> reader) {
        return use((statement, _) -> {
            try (var rows = statement.getResultSet()) {
                return rows.next() ? Optional.of(reader.read(new Row(rows))) : Optional.empty();
            }
        });
    }

    public <T> List<T> list(Reader<T> reader) {
        return use((statement, _) -> {
            try (var rows = statement.getResultSet()) {
                return rows(rows, reader);
            }
        });
    }

    /**
     * Runs several statements in one round trip, and returns a row of the last one; empty if one of the queries
     * returns no rows. Each statement sees what was committed when it began.
     */
    public <T> Optional<T> last(Reader<T> reader) {
        return use((statement, _) -> {
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

        private Results(PreparedStatement statement, boolean hasRows) {
            this.statement = statement;
            this.hasRows = hasRows;
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
        return use((statement, hasRows) -> reader.read(new Results(statement, hasRows)));
    }

    /** Runs the statement, and returns the number of rows changed. */
    public int run() {
        return use((statement, _) -> Math.max(0, statement.getUpdateCount()));
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
        Precondition.complete();
        var late = Db.CURRENT.isBound() ? Db.CURRENT.get().takeLast() : List.<Statement>of();
        if (Db.CURRENT.isBound()) {
            Db.CURRENT.get().requireComplete();
        }
        var last = NamedSql.of(text).withCommit(parameters);
        // The server reports to the driver that the transaction is over, so the driver does not commit again.
        var parts = new ArrayList<Part>();
        late.forEach(statement -> parts.add(statement.part()));
        parts.add(new Part(this, last));
        db.withConnection(connection -> together(connection, parts, (_, _) -> true));
        if (Db.CURRENT.isBound()) {
            Db.CURRENT.get().end();
        }
    }

    /**
     * Runs the statement in the same round trip as the transaction's last one, or before the next one if another one follows. Its result
     * is not read.
     */
    public void runLate() {
        if (Db.CURRENT.isBound()) {
            note();
            Db.CURRENT.get().add(this);
        } else {
            run();
        }
    }

    /** Work that uses the prepared statement, which has run. Its first result can be rows. */
    @FunctionalInterface
    private interface Use<T> {
        T of(PreparedStatement statement, boolean hasRows) throws SQLException;
    }

    /** One of the statements of a round trip. */
    private record Part(Statement statement, NamedSql.Positional sql) {}

    private Part part() {
        return new Part(this, NamedSql.of(text).with(parameters));
    }

    private <T> T use(Use<T> use) {
        var check = Precondition.take();
        if (!db.inTransaction() && changesAccess()) {
            return db.transaction(
                    () -> { // Its end changes the version.
                        Db.CURRENT.get().single();
                        note();
                        return run(check, use);
                    });
        }
        note();
        Db.runLate();
        return run(check, use);
    }

    /** Makes a check by itself. */
    static void make(Precondition.Check check) {
        check.statement().run(null, (statement, _) -> {
            require(check, statement);
            return true;
        });
    }

    private static void require(Precondition.Check check, PreparedStatement statement) throws SQLException {
        try (var rows = statement.getResultSet()) {
            rows.next();
            check.require(new Row(rows));
        }
    }

    private <T> T run(Precondition.@Nullable Check check, Use<T> use) {
        return check == null
                ? db.withConnection(connection -> together(connection, List.of(part()), use))
                : db.withConnection(connection -> checked(connection, check, use));
    }

    private <T> T checked(Connection connection, Precondition.Check check, Use<T> use) throws SQLException {
        var isRun = new AtomicBoolean();
        try {
            return together(connection, List.of(check.statement().part(), part()), (statement, _) -> {
                isRun.set(true);
                require(check, statement);
                return use.of(statement, statement.getMoreResults());
            });
        } catch (SQLException e) {
            if (isRun.get()) {
                throw e;
            }
            throw check.unless(e);
        }
    }

    private static <T> T together(Connection connection, List<Part> parts, Use<T> use) throws SQLException {
        var text =
                NamedSql.together(parts.stream().map(part -> part.sql().text()).toList());
        try (var prepared = connection.prepareStatement(text)) {
            var position = 0;
            for (var part : parts) {
                position = part.statement().bind(prepared, position, part.sql());
            }
            return Cancellation.stoppable(() -> cancel(prepared), () -> use.of(prepared, prepared.execute()));
        }
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
                case null -> setNull(statement, position, sql.types().getOrDefault(name, TYPES.get(name)));
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
