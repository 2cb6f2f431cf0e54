package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.TestDatabase;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tenant's rows are found by its number first: that isolates tenants, and would distribute them. */
@Tag("tenancy")
class PrimaryKeysTest {
    /** The tables without rows of tenants. */
    private static final Map<String, String> OTHERS = Map.of(
            "oauth_client", "a program that registered itself, before any user gave it access",
            "directory", "the tenant of a name or credential, so it is found before the tenant is known",
            "flyway_schema_history", "the migrations",
            "plan_limit", "the plans are the same for all tenants",
            "seal_key", "the keys with which replicas seal what clients keep for them",
            "sign_in", "a sign-in that has begun: its user, and so its tenant, is not known yet",
            "signing_key", "the keys that sign access tokens",
            "vault_check", "one row, by which a replica tests its master key");

    @Test
    void everyPrimaryKeyBeginsWithTheTenant() {
        var first = new TreeMap<String, String>();
        TestDatabase.db().sql("""
                        SELECT c.relname AS name, COALESCE(a.attname, '') AS first
                          FROM pg_class c
                          LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
                          LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
                         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                        """).list(row -> first.put(row.text("name"), row.text("first")));
        assertThat(first).hasSizeGreaterThan(30);
        first.values().removeIf("tenant_id"::equals);
        assertThat(first.keySet()).containsExactlyInAnyOrderElementsOf(OTHERS.keySet());
    }
}
