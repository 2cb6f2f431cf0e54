package io.agentworkspace.engine.kernel.db;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Context;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One row of a result, read as a record or by column name. */
public final class Row {
    private final ResultSet rows;
    /** Of the last record that was read, which the next row most probably is, too. */
    private RecordMapper.@Nullable Source source;

    private @Nullable Class<?> sourceType;
    private String sourcePrefix = "";

    Row(ResultSet rows) {
        this.rows = rows;
    }

    /** Returns the row as a record: see {@link RecordMapper} for which column is which component. */
    public <T extends Record> T as(Class<T> type) throws SQLException {
        return as("", type);
    }

    /** Returns the record whose columns have this prefix: with {@code old_}, the component {@code name} reads {@code old_name}. */
    public <T extends Record> T as(String prefix, Class<T> type) throws SQLException {
        if (source == null || type != sourceType || !prefix.equals(sourcePrefix)) {
            source = RecordMapper.source(type, prefix, columns());
            sourceType = type;
            sourcePrefix = prefix;
        }
        return Objects.requireNonNull(type.cast(source.read(rows)));
    }

    private List<String> columns() throws SQLException {
        var names = rows.getMetaData();
        var list = new ArrayList<String>(names.getColumnCount());
        for (var i = 1; i <= names.getColumnCount(); i++) {
            list.add(names.getColumnLabel(i));
        }
        return list;
    }

    public String text(String column) throws SQLException {
        return Objects.requireNonNull(rows.getString(column), column);
    }

    public @Nullable String textOrNull(String column) throws SQLException {
        return rows.getString(column);
    }

    public long number(int column) throws SQLException {
        return rows.getLong(column);
    }

    public long number(String column) throws SQLException {
        return rows.getLong(column);
    }

    public @Nullable Long numberOrNull(String column) throws SQLException {
        var value = rows.getLong(column);
        return rows.wasNull() ? null : (Long) value;
    }

    public boolean flag(String column) throws SQLException {
        return rows.getBoolean(column);
    }

    public byte[] bytes(String column) throws SQLException {
        return rows.getBytes(column);
    }

    public byte @Nullable [] bytesOrNull(String column) throws SQLException {
        return rows.getBytes(column);
    }

    public @Nullable Instant instantOrNull(String column) throws SQLException {
        var value = rows.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }

    public List<String> texts(String column) throws SQLException {
        return Arrays.asList((String[]) rows.getArray(column).getArray());
    }

    public @Nullable List<String> textsOrNull(String column) throws SQLException {
        var array = rows.getArray(column);
        return array == null ? null : Arrays.asList((String[]) array.getArray());
    }

    public List<Long> numbers(String column) throws SQLException {
        return Arrays.asList((Long[]) rows.getArray(column).getArray());
    }

    public List<Integer> integers(String column) throws SQLException {
        return Arrays.asList((Integer[]) rows.getArray(column).getArray());
    }

    /** Returns a JSON object that the query created, as a record. */
    public <T> @Nullable T json(String column, Class<T> type) throws SQLException {
        var value = rows.getString(column);
        return value == null ? null : Json.readValue(value, type);
    }

    /**
     * Returns a JSON array that the query created, as a list. SQL null (an aggregate over no rows) is the empty list.
     */
    public <T> List<T> jsonList(String column, Class<T> element) throws SQLException {
        var value = rows.getString(column);
        return value == null ? List.of() : Json.readList(value, element);
    }

    public UUID uuid(String column) throws SQLException {
        return rows.getObject(column, UUID.class);
    }

    /** Returns the reference in {@code <prefix>_id} and {@code <prefix>_name}, or null. */
    public Context.@Nullable Ref ref(String prefix) throws SQLException {
        var id = numberOrNull(prefix + "_id");
        return id == null ? null : new Context.Ref(id, text(prefix + "_name"));
    }
}
