package io.agentworkspace.engine.kernel.db;

import java.util.Set;

/**
 * The version of what decides access in a tenant. Each transaction that writes to {@link #TABLES}, unless it says that no loaded
 * context depends on that ({@link Statement#sameAccess}), gives it a new one, which has never been there before, not even before a restore.
 */
public final class AccessVersion {
    /** What a call's context depends on, besides the row in {@code context} itself. */
    static final Set<String> TABLES =
            Set.of("app_user", "external_identity", "agent", "roster", "domain", "zone", "membership");

    /** The present version; zero before the first change. */
    public static final String READ = """
            COALESCE((SELECT v.version FROM access_version v WHERE v.tenant_id = :tenant), '00000000-0000-0000-0000-000000000000')""";

    static final String CHANGE = """
            INSERT INTO access_version (tenant_id, version)
            VALUES (:tenant, gen_random_uuid())
            ON CONFLICT (tenant_id) DO UPDATE SET version = excluded.version
            """;

    private AccessVersion() {}
}
