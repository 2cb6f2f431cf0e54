package io.agentworkspace.engine.app.distribute;

import io.agentworkspace.engine.kernel.db.SqlTemplate;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is in the way when tables move between servers, and what Citus loses of tables that move back. It is read from the catalogue
 * as statements, so that it is exactly the same afterwards. Each query gets the names of the tables that move.
 */
record SchemaParts(List<Part> parts) {
    /**
     * @param before drops or disables it
     * @param after makes it again; either is empty if there is nothing to do
     */
    record Part(String before, String after) {}

    /** Those that reference, or are referenced. */
    private static final String FOREIGN_KEYS = """
            SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', CAST(k.conrelid AS regclass), k.conname),
                   format('ALTER TABLE %s ADD CONSTRAINT %I %s', CAST(k.conrelid AS regclass), k.conname, pg_get_constraintdef(k.oid))
              FROM pg_constraint k
              JOIN (SELECT CAST(CAST(? AS regclass[]) AS oid[]) AS moved) m ON k.conrelid = ANY (m.moved) OR k.confrelid = ANY (m.moved)
             WHERE k.contype = 'f' AND k.conparentid = 0
             ORDER BY 1
            """;

    private static final String OWN_VIEWS = """
            SELECT v.oid
              FROM pg_class v
             WHERE v.relkind = 'v' AND v.relnamespace = CAST(current_schema() AS regnamespace)
               AND NOT EXISTS (SELECT 1 FROM pg_depend d
                                WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = v.oid AND d.deptype = 'e')
            """;

    /** All of them, since a view that was created before its tables were distributed is on the coordinator only. */
    private static final String VIEWS =
            SqlTemplate.of("""
            SELECT format('DROP VIEW %s', CAST(c.oid AS regclass)),
                   format('CREATE VIEW %s AS %s', CAST(c.oid AS regclass), pg_get_viewdef(c.oid))
              FROM pg_class c
             WHERE c.oid IN ({views}) AND cardinality(CAST(? AS text[])) > 0
             ORDER BY c.oid
            """).with("views", OWN_VIEWS).sql();

    /** Rows that are copied are not new ones: their triggers must not run. */
    private static final String TRIGGERS = """
            SELECT DISTINCT format('ALTER TABLE %s DISABLE TRIGGER USER', CAST(g.tgrelid AS regclass)),
                   format('ALTER TABLE %s ENABLE TRIGGER USER', CAST(g.tgrelid AS regclass))
              FROM pg_trigger g
             WHERE NOT g.tgisinternal AND g.tgrelid = ANY (CAST(? AS regclass[]))
             ORDER BY 1
            """;

    /** Those that lose their rows in a crash. Their shards do not: no server can get them while they are written otherwise. */
    static final List<String> UNLOGGED = List.of("oauth_proof", "rate_spent");

    private static final String LOGGED = """
            SELECT format('ALTER TABLE %s SET LOGGED', CAST(c.oid AS regclass)), ''
              FROM pg_class c
             WHERE c.relpersistence = 'u' AND c.oid = ANY (CAST(? AS regclass[]))
             ORDER BY 1
            """;

    private static final String UNLOGGED_AGAIN = SqlTemplate.of("""
            SELECT '', format('ALTER TABLE %s SET UNLOGGED', CAST(c.oid AS regclass))
              FROM pg_class c
             WHERE c.relname IN ({unlogged}) AND c.oid = ANY (CAST(? AS regclass[]))
             ORDER BY 2
            """)
            .with("unlogged", UNLOGGED.stream().collect(Collectors.joining("', '", "'", "'")))
            .sql();

    /** Functions of the engine that the servers of tenants do not have yet: before tables, those that their indexes may use. */
    private static final String FUNCTIONS = """
            SELECT CASE WHEN p.provolatile = 'i' THEN f.sent ELSE '' END, CASE WHEN p.provolatile = 'i' THEN '' ELSE f.sent END
              FROM pg_proc p
             CROSS JOIN LATERAL (SELECT format('SELECT create_distributed_function(%L)', CAST(p.oid AS regprocedure)) AS sent) f
             WHERE p.pronamespace = CAST(current_schema() AS regnamespace) AND p.prokind = 'f' AND cardinality(CAST(? AS text[])) > 0
               AND NOT EXISTS (SELECT 1 FROM pg_depend d
                                WHERE d.classid = CAST('pg_proc' AS regclass) AND d.objid = p.oid AND d.deptype = 'e')
               AND NOT EXISTS (SELECT 1 FROM pg_dist_object o WHERE o.classid = CAST('pg_proc' AS regclass) AND o.objid = p.oid)
             ORDER BY CASE WHEN p.provolatile = 'i' THEN - CAST(p.oid AS bigint) ELSE CAST(p.oid AS bigint) END
            """;

    /** What is granted to others than the owner. */
    private static final String GRANTS =
            SqlTemplate.of("""
            SELECT '',
                   format('GRANT %s ON %s TO %s%s', a.privilege_type, CAST(c.oid AS regclass),
                          CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,
                          CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
              FROM pg_class c
             CROSS JOIN LATERAL aclexplode(c.relacl) a
             WHERE (c.oid = ANY (CAST(? AS regclass[])) OR c.oid IN ({views})) AND a.grantee <> c.relowner
             ORDER BY 2
            """).with("views", OWN_VIEWS).sql();

    private static final String COMMENTS =
            SqlTemplate.of("""
            WITH m AS (SELECT array_cat(CAST(CAST(? AS regclass[]) AS oid[]), ARRAY({views})) AS moved)
            SELECT '', format('COMMENT ON %s %s IS %L', CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, CAST(c.oid AS regclass), d.description)
              FROM m JOIN pg_class c ON c.oid = ANY (m.moved)
              JOIN pg_description d ON d.classoid = CAST('pg_class' AS regclass) AND d.objoid = c.oid AND d.objsubid = 0
             UNION ALL
            SELECT '', format('COMMENT ON COLUMN %s.%I IS %L', CAST(a.attrelid AS regclass), a.attname, d.description)
              FROM m JOIN pg_attribute a ON a.attrelid = ANY (m.moved)
              JOIN pg_description d ON d.classoid = CAST('pg_class' AS regclass) AND d.objoid = a.attrelid AND d.objsubid = a.attnum
             WHERE a.attnum > 0
             UNION ALL
            SELECT '', format('COMMENT ON INDEX %s IS %L', CAST(i.indexrelid AS regclass), d.description)
              FROM m JOIN pg_index i ON i.indrelid = ANY (m.moved)
              JOIN pg_description d ON d.classoid = CAST('pg_class' AS regclass) AND d.objoid = i.indexrelid AND d.objsubid = 0
             UNION ALL
            SELECT '', format('COMMENT ON TRIGGER %I ON %s IS %L', g.tgname, CAST(g.tgrelid AS regclass), d.description)
              FROM m JOIN pg_trigger g ON g.tgrelid = ANY (m.moved)
              JOIN pg_description d ON d.classoid = CAST('pg_trigger' AS regclass) AND d.objoid = g.oid
             UNION ALL
            SELECT '', format('COMMENT ON CONSTRAINT %I ON %s IS %L', k.conname, CAST(k.conrelid AS regclass), d.description)
              FROM m JOIN pg_constraint k ON k.conrelid = ANY (m.moved)
              JOIN pg_description d ON d.classoid = CAST('pg_constraint' AS regclass) AND d.objoid = k.oid
             ORDER BY 2
            """).with("views", OWN_VIEWS).sql();

    /** What columns tell the planner. */
    private static final String OPTIONS = """
            SELECT '', format('ALTER TABLE %s ALTER COLUMN %I SET (%s)', CAST(a.attrelid AS regclass), a.attname, array_to_string(a.attoptions, ', '))
              FROM pg_attribute a
             WHERE a.attrelid = ANY (CAST(? AS regclass[])) AND a.attoptions IS NOT NULL AND NOT a.attisdropped
             ORDER BY 2
            """;

    /** Reads what tables need that move to other servers. */
    static SchemaParts ofDistributed(ClusterQueries queries, List<String> moved) {
        return of(queries, moved, LOGGED, FOREIGN_KEYS, VIEWS, TRIGGERS, GRANTS, COMMENTS, FUNCTIONS);
    }

    /** Reads what tables need that move back. */
    static SchemaParts ofUndone(ClusterQueries queries, List<String> moved) {
        return of(queries, moved, UNLOGGED_AGAIN, FOREIGN_KEYS, VIEWS, TRIGGERS, OPTIONS, GRANTS, COMMENTS);
    }

    private static SchemaParts of(ClusterQueries queries, List<String> moved, String... kinds) {
        return new SchemaParts(Stream.of(kinds)
                .flatMap(kind -> queries.parts(kind, moved).stream())
                .toList());
    }

    /** Returns the statements that drop and disable, in reverse order. */
    List<String> before() {
        return parts.reversed().stream()
                .map(Part::before)
                .filter(sql -> !sql.isEmpty())
                .toList();
    }

    /** Returns the statements that make it again. */
    List<String> after() {
        return parts.stream().map(Part::after).filter(sql -> !sql.isEmpty()).toList();
    }
}
