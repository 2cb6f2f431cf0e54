package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.identity.credentials.SessionSecret;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Reads what the caller can grant. A key, session or identity that ended a moment ago must not create another key, so
 * it is protected from ending until the transaction does.
 *
 * @param lasts whether the session, or the identity that it signed in with, still exists
 * @param chain the grants of the caller's key and the keys above it; empty if it has no key, or no longer
 */
record IssuerCredentialQueries(boolean lasts, List<Grant> chain) {
    /** Protects the caller's credential from ending before the transaction does. */
    static final String HOLD = """
            WITH k AS (SELECT 1 FROM api_key WHERE tenant_id = :tenant AND id = CAST(:key AS text) FOR SHARE),
                 s AS (SELECT 1 FROM browser_session
                        WHERE tenant_id = :tenant AND id = CAST(:session AS text) AND expires_at > :now
                          FOR KEY SHARE),
                 i AS (SELECT 1 FROM token_grant g
                         JOIN external_identity e
                           ON e.tenant_id = :tenant AND e.issuer = g.issuer AND e.subject = g.subject
                        WHERE CAST(:scopes AS boolean) AND g.tenant_id = :tenant AND g.principal = :principal
                          FOR KEY SHARE OF e)
            SELECT (SELECT count(*) FROM k), (SELECT count(*) FROM s), (SELECT count(*) FROM i)
            """;

    /** The columns for it, to be read after {@link #HOLD}. */
    static final String COLUMNS =
            SqlTemplate.of("""
            (SELECT {chain} FROM api_key k WHERE k.tenant_id = :tenant AND k.id = CAST(:key AS text)) AS own_chain,
            (CAST(:session AS text) IS NULL
             OR EXISTS (SELECT 1 FROM browser_session
                         WHERE tenant_id = :tenant AND id = CAST(:session AS text) AND expires_at > :now))
            AND (NOT CAST(:scopes AS boolean)
                 OR EXISTS (SELECT 1 FROM token_grant g
                              JOIN external_identity e
                                ON e.tenant_id = :tenant AND e.issuer = g.issuer AND e.subject = g.subject
                             WHERE g.tenant_id = :tenant AND g.principal = :principal)) AS lasts
            """).with("chain", KeyRow.CHAIN).sql();

    static Statement bind(Statement statement, Call call) {
        var principal = call.caller().principal();
        var isSession = principal.startsWith(SessionSecret.PRINCIPAL);
        return statement
                .set("key", call.caller().credential().key())
                .set("session", isSession ? principal.substring(SessionSecret.PRINCIPAL.length()) : null)
                .set("scopes", call.caller().hasScopes());
    }

    static IssuerCredentialQueries read(Row row) throws SQLException {
        return new IssuerCredentialQueries(row.flag("lasts"), row.jsonList("own_chain", Grant.class));
    }

    Grant powers(Call call) {
        if (!lasts) {
            throw Problem.unauthenticated("your session or token has just ended; sign in again");
        } else if (call.caller().credential().key() == null) {
            return Grant.of(call.caller());
        }
        return Optional.of(chain)
                .filter(found -> !found.isEmpty())
                .map(Grant::of)
                .filter(grant -> !grant.isOver(call.now()))
                .orElseThrow(() -> Problem.unauthenticated("the API key has just ended; use another one"));
    }
}
