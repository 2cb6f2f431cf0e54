package io.agentworkspace.engine.db.migration;

import io.agentworkspace.engine.model.document.DocumentName;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renames what {@link NameKeys} would give the key of something else: the older one keeps its name, the younger one gets a number.
 */
final class SameNames {
    private static final Logger LOG = LoggerFactory.getLogger(SameNames.class);

    /** The ending of a file's name: a number goes before it. */
    private static final Pattern ENDING = Pattern.compile("\\.[A-Za-z][A-Za-z0-9]{0,7}$");

    /** All but the oldest of each name. */
    private static final String YOUNGER = """
            SELECT CAST(n.row AS text) AS row, n.tenant_id, n.name
              FROM (SELECT t.ctid AS row, t.tenant_id, t.name,
                           row_number() OVER (PARTITION BY {scope} COALESCE(c.new, t.name_key) ORDER BY t.created_at, {id}) AS place
                      FROM {table} t LEFT JOIN name_key_change c ON c.tenant_id = t.tenant_id AND c.old = t.name_key
                     WHERE {live} AND COALESCE(c.new, t.name_key) IN (SELECT new FROM name_key_change)) n
             WHERE n.place > 1
             ORDER BY n.tenant_id, n.place
            """;

    private static final String IS_TAKEN = """
            SELECT EXISTS (SELECT FROM {table} o JOIN {table} t ON {same}
                             LEFT JOIN name_key_change c ON c.tenant_id = t.tenant_id AND c.old = t.name_key
                            WHERE o.ctid = CAST(? AS tid) AND {live} AND ? IN (t.name_key, c.new))
            """;

    private static final String RENAME =
            "UPDATE {table} SET name = ?, name_key = ? WHERE ctid = CAST(? AS tid) AND tenant_id = ?";

    /** All versions of a document have one name. Of one that was deleted, the key is left. */
    private static final String YOUNGER_DOCUMENTS = """
            SELECT n.name_key AS row, n.tenant_id, n.name
              FROM (SELECT v.tenant_id, v.name_key, COALESCE(d.name, v.name_key) AS name,
                           row_number() OVER (PARTITION BY v.tenant_id, COALESCE(c.new, v.name_key)
                                              ORDER BY d.since NULLS LAST, v.name_key) AS place
                      FROM document_version v
                      LEFT JOIN name_key_change c ON c.tenant_id = v.tenant_id AND c.old = v.name_key
                     CROSS JOIN LATERAL (SELECT min(d.created_at) AS since, (array_agg(d.name ORDER BY d.version DESC))[1] AS name
                                           FROM document d WHERE d.tenant_id = v.tenant_id AND d.name_key = v.name_key) d
                     WHERE COALESCE(c.new, v.name_key) IN (SELECT new FROM name_key_change)) n
             WHERE n.place > 1
             ORDER BY n.tenant_id, n.place
            """;

    private static final String IS_DOCUMENT_TAKEN = """
            SELECT EXISTS (SELECT FROM document_version v
                             LEFT JOIN name_key_change c ON c.tenant_id = v.tenant_id AND c.old = v.name_key
                            WHERE v.tenant_id = ? AND ? IN (v.name_key, c.new))
            """;

    private static final String RENAME_DOCUMENT = """
            WITH change AS (SELECT CAST(? AS bigint) AS tenant, CAST(? AS text) AS old, CAST(? AS text) AS name, CAST(? AS text) AS key),
                 documents AS (UPDATE document SET name = g.name, name_key = g.key
                                 FROM change g WHERE tenant_id = g.tenant AND name_key = g.old),
                 memories AS (UPDATE document_memory SET name_key = g.key
                                FROM change g WHERE tenant_id = g.tenant AND name_key = g.old)
            UPDATE document_version SET name_key = g.key FROM change g WHERE tenant_id = g.tenant AND name_key = g.old
            """;

    private final Connection connection;

    SameNames(Connection connection) {
        this.connection = connection;
    }

    /**
     * A kind of things with unique names.
     *
     * @param scope the columns within which a name is unique, each with a comma
     * @param same the condition that {@code o} and {@code t} have the same scope
     * @param most the longest name
     */
    private record Kind(String table, String scope, String same, String id, String live, int most) {
        private static final String IN_DOMAIN = "t.tenant_id = o.tenant_id AND t.domain_id = o.domain_id";
        private static final String IN_BANK = "t.tenant_id = o.tenant_id AND t.bank_id = o.bank_id";

        static final List<Kind> ALL = List.of(
                new Kind("tenant", "", "true", "t.tenant_id", "true", Name.MAX),
                inTenant("app_user", "t.removed_at IS NULL"),
                inTenant("agent", "t.destroyed_at IS NULL"),
                inTenant("domain", "true"),
                new Kind("zone", "t.tenant_id, t.domain_id,", IN_DOMAIN, "t.id", "true", Name.MAX),
                inTenant("bank", "t.deleted_at IS NULL"),
                new Kind("memory", "t.tenant_id, t.bank_id,", IN_BANK, "t.id", "t.deleted_at IS NULL", MemoryName.MAX),
                inTenant("rule", "true"));

        static Kind inTenant(String table, String live) {
            return new Kind(table, "t.tenant_id,", "t.tenant_id = o.tenant_id", "t.id", live, Name.MAX);
        }

        String sql(String template) {
            return template.replace("{table}", table)
                    .replace("{scope}", scope)
                    .replace("{same}", same)
                    .replace("{id}", id)
                    .replace("{live}", live);
        }
    }

    /** One that gets another name. */
    private record Younger(String row, long tenant, String name) {
        void log(String kind, String renamed) {
            LOG.warn(
                    "the {} \"{}\" of the tenant {} is now \"{}\": another one has the same name",
                    kind.replace("app_user", "user"),
                    name,
                    tenant,
                    renamed);
        }
    }

    void rename() throws SQLException {
        for (var kind : Kind.ALL) {
            for (var younger : younger(kind.sql(YOUNGER))) {
                var name = free(younger.name(), kind.most(), key -> is(kind.sql(IS_TAKEN), younger.row(), key));
                update(kind.sql(RENAME), name, Name.key(name), younger.row(), younger.tenant());
                younger.log(kind.table(), name);
            }
        }
        for (var younger : younger(YOUNGER_DOCUMENTS)) {
            var name = free(younger.name(), DocumentName.MAX, key -> is(IS_DOCUMENT_TAKEN, younger.tenant(), key));
            update(RENAME_DOCUMENT, younger.tenant(), younger.row(), name, Name.key(name));
            younger.log("document", name);
        }
    }

    @FunctionalInterface
    private interface KeyCheck {
        boolean isTaken(String key) throws SQLException;
    }

    /** Returns the first of "name-2", "name-3", …, or "name-2.txt" for a file's name, that nothing else has. */
    private static String free(String name, int most, KeyCheck keys) throws SQLException {
        for (var i = 2; ; i++) {
            var candidate = numbered(name, i, most);
            if (!keys.isTaken(Name.key(candidate))) {
                return candidate;
            }
        }
    }

    private static String numbered(String name, int number, int most) {
        var found = ENDING.matcher(name);
        var ending = "-" + number + (found.find() && found.start() > 0 ? found.group() : "");
        var beginning = found.reset().find() && found.start() > 0 ? name.substring(0, found.start()) : name;
        var length = Math.min(most - ending.length(), beginning.codePointCount(0, beginning.length()));
        return beginning.substring(0, beginning.offsetByCodePoints(0, length)).strip() + ending;
    }

    private List<Younger> younger(String sql) throws SQLException {
        var all = new ArrayList<Younger>();
        try (var statement = connection.prepareStatement(sql);
                var rows = statement.executeQuery()) {
            while (rows.next()) {
                all.add(new Younger(rows.getString("row"), rows.getLong("tenant_id"), rows.getString("name")));
            }
        }
        return all;
    }

    private boolean is(String sql, Object... values) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            for (var i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            try (var row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        }
    }

    private void update(String sql, Object... values) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            for (var i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }
}
