package io.agentworkspace.engine.kernel.db.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The schema can be distributed by tenant: what belongs to a tenant is unique within it and references only what belongs to it, and
 * only the directory finds a tenant. Each rule is shown to fail by something that breaks it.
 */
class DistributableSchemaTest {
    /** They find a tenant. Every other table with {@code tenant_id} belongs to tenants. */
    private static final Set<String> DIRECTORY = Set.of("tenant", "directory");

    /** They belong to the installation, and are read without a tenant. */
    private static final Set<String> OF_NO_TENANT =
            Set.of("oauth_client", "plan_limit", "seal_key", "sign_in", "signing_key", "vault_check");

    /** Their triggers send notifications, which a node of a cluster does not pass on: what is in the way of a distribution. */
    private static final Set<String> THAT_NOTIFY =
            Set.of("api_key", "app_user", "browser_session", "external_identity", "rule", "tenant_plan", "upstream");

    private static Db db;

    @BeforeAll
    static void open() {
        db = TestDatabase.fresh("distributable");
    }

    @AfterAll
    static void close() {
        db.close();
    }

    /** The tables with {@code tenant_id}; {@code column} is null for the others. */
    private static final String TABLES = """
            SELECT c.relname, c.oid, a.attnum AS tenant_column, c.relname = ANY (CAST(:directory AS text[])) AS finds
              FROM pg_class c
              LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
             WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'flyway_schema_history'
            """;

    private static List<String> found(String sql) {
        return db.sql("WITH t AS (" + TABLES + ")" + sql)
                .set("directory", List.copyOf(DIRECTORY))
                .list(row -> row.text("found"));
    }

    private static List<String> withoutTenant() {
        return found("SELECT relname AS found FROM t WHERE tenant_column IS NULL");
    }

    /** Returns the unique indexes of a tenant's table across tenants. */
    private static List<String> uniqueAcrossTenants() {
        return found("""
                SELECT i.indexrelid::regclass::text AS found
                  FROM t JOIN pg_index i ON i.indrelid = t.oid AND (i.indisunique OR i.indisexclusion)
                 WHERE t.tenant_column IS NOT NULL AND NOT t.finds AND NOT t.tenant_column = ANY (i.indkey[0 : i.indnkeyatts - 1])
                """);
    }

    /** Returns the tables of tenants whose primary key does not begin with the tenant, or that may have rows of none. */
    private static List<String> notKeyedByTenant() {
        return found("""
                SELECT t.relname AS found
                  FROM t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = t.tenant_column
                 WHERE NOT t.finds
                   AND (NOT a.attnotnull OR a.atttypid <> 'bigint'::regtype
                        OR NOT EXISTS (SELECT 1 FROM pg_index i
                                        WHERE i.indrelid = t.oid AND i.indisprimary AND i.indkey[0] = t.tenant_column))
                """);
    }

    /** Returns the references that may lead from one tenant to another, or from the directory to a tenant's table. */
    private static List<String> referencesAcrossTenants() {
        return found("""
                SELECT k.conname AS found
                  FROM pg_constraint k
                  JOIN t ON t.oid = k.conrelid
                  JOIN t AS target ON target.oid = k.confrelid
                 WHERE k.contype = 'f'
                   AND (t.tenant_column IS NOT NULL OR target.tenant_column IS NOT NULL)
                   AND (t.finds OR t.tenant_column IS NULL OR target.tenant_column IS NULL
                        OR NOT EXISTS (SELECT 1 FROM unnest(k.conkey, k.confkey) pair (here, there)
                                        WHERE pair.here = t.tenant_column AND pair.there = target.tenant_column))
                """);
    }

    /**
     * Returns the triggers that write to other tables than those of the tenant: a trigger of the directory that writes at all, and
     * one of a tenant that writes to the directory or does not name the tenant.
     */
    private static List<String> triggersAcrossTenants() {
        return found("""
                SELECT g.tgname AS found
                  FROM pg_trigger g
                  JOIN t ON t.oid = g.tgrelid
                  JOIN pg_proc p ON p.oid = g.tgfoid
                 CROSS JOIN LATERAL (SELECT lower(m[2]) AS written
                                       FROM regexp_matches(p.prosrc, '(INSERT INTO|UPDATE|DELETE FROM)\\s+(\\w+)', 'gi') m) w
                  LEFT JOIN t AS target ON target.relname = w.written
                 WHERE NOT g.tgisinternal
                   AND (t.finds OR t.tenant_column IS NULL OR target.finds OR target.tenant_column IS NULL OR p.prosrc !~ 'tenant_id')
                """);
    }

    /** Returns the tables of tenants with a trigger that notifies. */
    private static List<String> thatNotify() {
        return found("""
                SELECT DISTINCT t.relname AS found
                  FROM pg_trigger g
                  JOIN t ON t.oid = g.tgrelid
                  JOIN pg_proc p ON p.oid = g.tgfoid
                 WHERE NOT g.tgisinternal AND t.tenant_column IS NOT NULL AND NOT t.finds AND p.prosrc ~* 'notify'
                """);
    }

    @Test
    void noFurtherTriggerNotifies() {
        assertThat(thatNotify()).containsExactlyInAnyOrderElementsOf(THAT_NOTIFY);
    }

    /** Returns the tables of tenants with a column whose default is about the transaction: the coordinator would compute it for its own. */
    private static List<String> withTransactionByDefault() {
        return found("""
                SELECT t.relname AS found
                  FROM t
                  JOIN pg_attrdef d ON d.adrelid = t.oid
                 WHERE t.tenant_column IS NOT NULL AND pg_get_expr(d.adbin, d.adrelid) ~ 'xact|snapshot|txid'
                """);
    }

    @Test
    void noDefaultIsAboutTheTransaction() {
        assertThat(withTransactionByDefault()).isEmpty();
        planted(
                "ALTER TABLE agent ADD COLUMN planted xid8 DEFAULT pg_current_xact_id()",
                () -> assertThat(withTransactionByDefault()).containsExactly("agent"));
        var writes = Pattern.compile(
                "(?s)(UPDATE|INSERT|DELETE)\\b[^;\"]*?(pg_current_xact_id|pg_current_snapshot|txid_current)");
        assertThat(writes.matcher("UPDATE agent SET change = pg_current_xact_id()")
                        .find())
                .isTrue();
        assertThat(Repository.sources().stream()
                        .filter(source -> source.toString().contains("/src/main/"))
                        .filter(source ->
                                writes.matcher(Repository.text(source)).find()))
                .isEmpty();
    }

    /** Returns the functions in plain SQL that read a table: Citus cannot plan their parameters. */
    private static List<String> readingInPlainSql() {
        return found("""
                SELECT DISTINCT p.proname AS found
                  FROM pg_proc p
                  JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'sql'
                 WHERE p.pronamespace = 'public'::regnamespace AND (p.prosqlbody IS NOT NULL OR p.prosrc ~* '\\m(FROM|UPDATE|INTO)\\M')
                """);
    }

    @Test
    void functionsThatReadAreNotInPlainSql() {
        assertThat(readingInPlainSql()).isEmpty();
        planted(
                "CREATE FUNCTION planted(n bigint) RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM agent WHERE tenant_id = n'",
                () -> assertThat(readingInPlainSql()).containsExactly("planted"));
    }

    @Test
    void eachTableBelongsToTenantsOrSaysThatItDoesNot() {
        assertThat(withoutTenant()).containsExactlyInAnyOrderElementsOf(OF_NO_TENANT);
        assertThat(found("SELECT relname AS found FROM t WHERE finds")).containsExactlyInAnyOrderElementsOf(DIRECTORY);
        assertThat(found("SELECT relname AS found FROM t WHERE tenant_column IS NOT NULL AND NOT finds"))
                .hasSizeGreaterThan(70);
    }

    @Test
    void whatIsUniqueIsUniqueWithinATenant() {
        assertThat(uniqueAcrossTenants()).isEmpty();
        assertThat(notKeyedByTenant()).isEmpty();
        planted(
                "CREATE UNIQUE INDEX planted ON api_key (id)",
                () -> assertThat(uniqueAcrossTenants()).containsExactly("planted"));
        planted(
                "CREATE UNIQUE INDEX planted ON api_key (id) INCLUDE (tenant_id)",
                () -> assertThat(uniqueAcrossTenants()).containsExactly("planted"));
        planted(
                "CREATE TABLE planted (id bigint PRIMARY KEY, tenant_id bigint NOT NULL)",
                () -> assertThat(notKeyedByTenant()).containsExactly("planted"));
    }

    @Test
    void referencesStayWithinATenant() {
        assertThat(referencesAcrossTenants()).isEmpty();
        planted(
                "ALTER TABLE sign_in ADD COLUMN tenant_id bigint, ADD COLUMN user_id bigint,"
                        + " ADD CONSTRAINT planted FOREIGN KEY (user_id, tenant_id) REFERENCES app_user (id, tenant_id)",
                () -> assertThat(referencesAcrossTenants()).isEmpty());
        planted(
                "ALTER TABLE directory ADD CONSTRAINT planted FOREIGN KEY (tenant_id, id) REFERENCES api_key",
                () -> assertThat(referencesAcrossTenants()).containsExactly("planted"));
        planted(
                "ALTER TABLE agent ADD COLUMN beside bigint,"
                        + " ADD CONSTRAINT planted FOREIGN KEY (beside, owner_id) REFERENCES app_user (tenant_id, id)",
                () -> assertThat(referencesAcrossTenants()).containsExactly("planted"));
    }

    @Test
    void triggersStayWithinATenant() {
        assertThat(triggersAcrossTenants()).isEmpty();
        planted("""
                CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    INSERT INTO event_feed (tenant_id) VALUES (NEW.tenant_id);
                    RETURN NULL;
                END $$;
                CREATE TRIGGER planted AFTER INSERT ON tenant FOR EACH ROW EXECUTE FUNCTION plant()
                """, () -> assertThat(triggersAcrossTenants()).containsExactly("planted"));
        planted("""
                CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    delete from directory where tenant_id = OLD.tenant_id AND id = OLD.id;
                    RETURN NULL;
                END $$;
                CREATE TRIGGER planted AFTER DELETE ON api_key FOR EACH ROW EXECUTE FUNCTION plant()
                """, () -> assertThat(triggersAcrossTenants()).containsExactly("planted"));
    }

    /** Runs a check on the schema with a change, which is then undone. */
    private static void planted(String change, Runnable check) {
        try {
            db.transaction(() -> {
                db.sql(change).run();
                check.run();
                throw new Undone();
            });
        } catch (Undone expected) {
            return;
        }
    }

    private static final class Undone extends RuntimeException {}
}
