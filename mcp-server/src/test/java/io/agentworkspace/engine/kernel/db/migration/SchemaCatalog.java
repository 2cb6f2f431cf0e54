package io.agentworkspace.engine.kernel.db.migration;

import io.agentworkspace.engine.kernel.db.Db;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What PostgreSQL's catalogue says of a database: its tables, and everything that a dump of the schema contains. */
record SchemaCatalog(Db db) {
    private static final String TABLES = """
            SELECT c.relname AS name, obj_description(c.oid, 'pg_class') AS sentence
              FROM pg_class c
             WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'flyway_schema_history'
             ORDER BY c.relname
            """;

    private static final String COLUMNS = """
            SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
                   col_description(c.oid, a.attnum) AS sentence,
                   (SELECT string_agg(DISTINCT k.confrelid::regclass::text, ', ')
                      FROM pg_constraint k
                     WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.conkey[cardinality(k.conkey)] = a.attnum) AS target
              FROM pg_class c
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
             WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
             ORDER BY c.relname, a.attnum
            """;

    private static final String TRIGGERS = """
            SELECT c.relname AS "table", t.tgname AS name, obj_description(t.oid, 'pg_trigger') AS sentence,
                   regexp_replace(pg_get_triggerdef(t.oid), '^CREATE TRIGGER \\w+ (.*) ON public.*$', '\\1') AS moment
              FROM pg_trigger t
              JOIN pg_class c ON c.oid = t.tgrelid
             WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace
             ORDER BY c.relname, t.tgname
            """;

    /** One row for each object. The order of columns counts; the order in which objects were created does not. */
    private static final String OBJECTS = """
            SELECT concat_ws(' | ', 'relation', c.relname, c.relkind, c.relpersistence, c.reloptions,
                             CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END, obj_description(c.oid, 'pg_class')) AS object
              FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
             UNION ALL
            SELECT concat_ws(' | ', 'column', c.relname, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), a.attname,
                             format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated, a.attoptions, a.attstorage,
                             a.attcollation::regcollation, pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum))
              FROM pg_class c
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
              LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
             WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
             UNION ALL
            SELECT concat_ws(' | ', 'constraint', k.conrelid::regclass, k.conname,
                             pg_get_constraintdef(k.oid), k.convalidated, obj_description(k.oid, 'pg_constraint'))
              FROM pg_constraint k WHERE k.connamespace = 'public'::regnamespace
             UNION ALL
            SELECT concat_ws(' | ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid, obj_description(i.indexrelid, 'pg_class'))
              FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = 'public'::regnamespace
             UNION ALL
            SELECT concat_ws(' | ', 'trigger', pg_get_triggerdef(t.oid), t.tgenabled, obj_description(t.oid, 'pg_trigger'))
              FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
             WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal
             UNION ALL
            SELECT concat_ws(' | ', 'function', pg_get_functiondef(p.oid), obj_description(p.oid, 'pg_proc'))
              FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
             UNION ALL
            SELECT concat_ws(' | ', 'sequence', s.sequencename, s.data_type, s.start_value, s.increment_by, s.cycle)
              FROM pg_sequences s WHERE s.schemaname = 'public'
             UNION ALL
            SELECT concat_ws(' | ', 'rows', c.relname, query_to_xml(format('SELECT * FROM %I', c.relname), true, true, ''))
              FROM pg_class c
             WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'flyway_schema_history'
             ORDER BY 1
            """;

    record Table(String name, @Nullable String sentence) {}

    /** @param target the table that it references */
    record Column(
            String table,
            String name,
            String type,
            boolean required,
            @Nullable String sentence,
            @Nullable String target) {}

    record Trigger(
            String table,
            String name,
            String moment,
            @Nullable String sentence) {}

    List<Table> tables() {
        return db.sql(TABLES).list(row -> new Table(row.text("name"), row.textOrNull("sentence")));
    }

    List<Column> columns() {
        return db.sql(COLUMNS)
                .list(row -> new Column(
                        row.text("table"),
                        row.text("name"),
                        row.text("type"),
                        row.flag("required"),
                        row.textOrNull("sentence"),
                        row.textOrNull("target")));
    }

    List<Trigger> triggers() {
        return db.sql(TRIGGERS)
                .list(row -> new Trigger(
                        row.text("table"), row.text("name"), row.text("moment"), row.textOrNull("sentence")));
    }

    /** Returns a line for each table, column, constraint, index, trigger, function and sequence, and for the rows of each table. */
    List<String> objects() {
        return db.sql(OBJECTS).list(row -> row.text("object"));
    }
}
