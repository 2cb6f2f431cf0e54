package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Toolset;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The row of a key {@code k} and the grants of its chain, which together form its record.
 *
 * @param chain its own grant and those of the keys above it
 */
public record KeyRow(
        String id,
        String name,
        String user,
        @Nullable String environment,
        @Nullable String agent,
        @Nullable String parent,
        long children,
        Instant createdAt,
        @Nullable Instant lastUsedAt,
        @Nullable String lastClient,
        @Nullable Instant rotatedAt,
        @Nullable Instant previousUntil,
        @Nullable Instant previousUsedAt,
        @Nullable String previousClient,
        long revision,
        List<Grant> chain) {

    /** The grants of the key {@code k} and of all keys above it, as a JSON array. */
    public static final String CHAIN = """
            (SELECT jsonb_agg(jsonb_build_object('capabilities', a.capabilities,
                                                 'toolset', COALESCE(a.toolset, '{default}'),
                                                 'confirm_destructive', a.confirm_destructive,
                                                 'expires_at', a.expires_at, 'revoked_at', a.revoked_at)
                              ORDER BY cardinality(a.ancestors) DESC)
               FROM api_key a
              WHERE a.tenant_id = :tenant AND a.id = ANY (k.ancestors || k.id))
            """;

    /** Whether the key {@code k} works: neither it nor one above it is revoked or expired. */
    public static final String IN_USE = """
            (k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now)
             AND NOT EXISTS (SELECT 1 FROM api_key a
                              WHERE a.tenant_id = :tenant AND a.id = ANY (k.ancestors)
                                AND (a.revoked_at IS NOT NULL OR a.expires_at <= :now)))
            """;

    /** The joins that the record needs beside {@code k}. */
    static final String JOINS = """
            CROSS JOIN LATERAL (SELECT * FROM app_user x WHERE x.tenant_id = :tenant AND x.id = k.user_id OFFSET 0) o
            LEFT JOIN LATERAL (SELECT * FROM agent x WHERE x.tenant_id = :tenant AND x.id = k.agent_id OFFSET 0) g ON true
            LEFT JOIN LATERAL (SELECT * FROM key_seen x WHERE x.tenant_id = :tenant AND x.key_id = k.id OFFSET 0) s ON true
            """;

    static final String JSON = SqlTemplate.of("""
            jsonb_build_object('id', k.id, 'name', k.name, 'user', o.name, 'environment', k.environment,
                               'agent', g.name, 'parent', k.parent_id,
                               'children', (SELECT count(*) FROM api_key c
                                             WHERE c.tenant_id = :tenant AND c.parent_id = k.id
                                               AND c.revoked_at IS NULL
                                               AND (c.expires_at IS NULL OR c.expires_at > :now)),
                               'created_at', k.created_at, 'last_used_at', s.used_at, 'last_client', s.client,
                               'rotated_at', k.rotated_at, 'previous_until', k.previous_until,
                               'previous_used_at', s.previous_used_at, 'previous_client', s.previous_client, 'revision', k.revision, 'chain', {chain})
            """).with("chain", CHAIN).sql();

    /**
     * Returns whether the caller may manage the key. An admin manages all keys, and others those of their user. A
     * key that is bound to an agent, or that is another key's child, manages only itself and those below it.
     */
    public static String managed(String key) {
        return SqlTemplate.of("""
                (CASE WHEN :narrow THEN {key}.id = CAST(:key AS text) OR CAST(:key AS text) = ANY ({key}.ancestors)
                      ELSE :admin OR {key}.user_id = :caller END)
                """).with("key", key).sql();
    }

    /** Binds the parameters of {@link #managed}. */
    public static Statement managing(Statement statement, Call call) {
        var credential = call.caller().credential();
        return statement
                .set("key", credential.key())
                .set("narrow", call.caller().isConfined());
    }

    Key key(Instant now) {
        var grant = Grant.of(chain);
        var state =
                grant.revokedAt() != null ? KeyState.REVOKED : grant.isOver(now) ? KeyState.EXPIRED : KeyState.ACTIVE;
        var overlaps = state == KeyState.ACTIVE && previousUntil != null && now.isBefore(previousUntil);
        return new Key(
                id,
                name,
                user,
                environment,
                state,
                List.copyOf(grant.capabilities()),
                grant.toolset().equals(Toolset.EVERYTHING)
                        ? null
                        : grant.toolset().words(),
                grant.confirmDestructive(),
                agent,
                parent,
                state == KeyState.ACTIVE ? children : 0,
                grant.expiresAt(),
                createdAt,
                grant.revokedAt(),
                lastUsedAt,
                lastClient,
                rotatedAt,
                overlaps ? previousUntil : null,
                rotatedAt == null ? null : previousUsedAt,
                rotatedAt == null ? null : previousClient,
                revision);
    }
}
