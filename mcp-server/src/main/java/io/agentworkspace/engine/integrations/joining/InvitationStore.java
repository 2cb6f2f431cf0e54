package io.agentworkspace.engine.integrations.joining;

import io.agentworkspace.engine.identity.credentials.DirectoryStore;
import io.agentworkspace.engine.identity.credentials.DirectoryStore.Kind;
import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.identity.credentials.InvitationCode;
import io.agentworkspace.engine.identity.keys.KeyRow;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The open invitations. One that is used or withdrawn is deleted. */
public final class InvitationStore {
    /** The maximum number of a tenant's open invitations. */
    static final int MAX_OPEN = 200;

    /** Whether the caller may manage the invitation {@code i}: like a key that it would have made. */
    private static final String MANAGED = """
            (CASE WHEN :narrow THEN i.key_id = CAST(:key AS text) ELSE :admin OR i.user_id = :caller END)
            """;

    private static final String LIST =
            SqlTemplate.of("""
            SELECT (SELECT jsonb_agg(i.terms || jsonb_build_object('id', i.id, 'agent', i.agent, 'user', u.name,
                                                                   'created_at', i.created_at, 'expires_at', i.expires_at)
                                     ORDER BY i.created_at DESC, i.id)
                      FROM invitation i JOIN app_user u ON u.tenant_id = i.tenant_id AND u.id = i.user_id
                     WHERE i.tenant_id = :tenant AND i.expires_at > :now AND {managed}) AS rows
            """).with("managed", MANAGED).sql();

    private static final String INSERT = SqlTemplate.of("""
            {entry}SELECT 1 FROM tenant_plan WHERE tenant_id = :tenant FOR NO KEY UPDATE;
            INSERT INTO invitation AS stored (tenant_id, id, code_hash, user_id, key_id, agent, terms, powers, created_at, expires_at)
            SELECT home.tenant_id, :id, :hash, :caller, CAST(:key AS text), :agent, CAST(:terms AS jsonb), CAST(:powers AS jsonb),
                   :now, CAST(:expires AS timestamptz)
              FROM tenant_plan home
             WHERE home.tenant_id = :tenant
               AND (SELECT count(*) FROM invitation WHERE tenant_id = :tenant AND expires_at > :now) < {most}
            RETURNING stored.id
            """)
            .with("entry", DirectoryStore.expiringEntryOf(Kind.INVITATION))
            .with("most", MAX_OPEN)
            .sql();

    private static final String DELETE =
            SqlTemplate.of("""
            DELETE FROM invitation i WHERE i.tenant_id = :tenant AND i.id = :id AND i.expires_at > :now AND {managed}
            RETURNING i.agent
            """).with("managed", MANAGED).sql();

    /** Takes an invitation by its code. */
    private static final String TAKE = """
            WITH taken AS (DELETE FROM invitation
                            WHERE tenant_id = :tenant AND code_hash = :hash AND expires_at > :now
                        RETURNING *)
            SELECT i.tenant_id, t.name AS tenant, i.id, i.user_id, u.name AS user_name, u.role, i.key_id, i.agent, i.terms,
                   i.powers
              FROM taken i
              JOIN tenant t ON t.tenant_id = i.tenant_id
              JOIN app_user u ON u.tenant_id = i.tenant_id AND u.id = i.user_id AND u.removed_at IS NULL
            """;

    private static final String AGENT =
            "SELECT agent FROM invitation WHERE tenant_id = :tenant AND code_hash = :hash AND expires_at > :now";

    private static final String OLD = Db.oldRows("invitation", "tenant_id, id", "expires_at <= :until");

    private final Db db;
    private final DirectoryStore directory;

    public InvitationStore(Db db) {
        this.db = db;
        this.directory = new DirectoryStore(db);
    }

    /** Returns the open invitations that the caller may manage, newest first. */
    List<Invitation> list(Call call) {
        return KeyRow.managing(db.sql(call, LIST), call)
                .one(row -> row.jsonList("rows", Invitation.class))
                .orElseThrow();
    }

    /** @throws Problem {@code conflict} if there are too many */
    void insert(Call call, String id, InvitationCode code, Name agent, Terms terms, Instant expires) {
        var inserted = db.sql(call, INSERT)
                .set("id", id)
                .set("entry", DirectoryStore.id(code.hash()))
                .set("hash", code.hash())
                .set("key", call.caller().credential().key())
                .set("agent", agent)
                .set("terms", Json.text(terms))
                .set("powers", Json.text(Grant.of(call.caller())))
                .set("expires", expires)
                .last(row -> row.text("id"));
        if (inserted.isEmpty()) {
            throw Problem.conflict("%,d invitations are open, which is the maximum: withdraw some with AK_Uninvite"
                    .formatted(MAX_OPEN));
        }
    }

    /**
     * Withdraws an invitation, and returns the name of its agent.
     *
     * @throws Problem {@code not_found}
     */
    String delete(Call call, String id) {
        return KeyRow.managing(db.sql(call, DELETE), call)
                .set("id", id)
                .one(row -> row.text("agent"))
                .orElseThrow(() -> Problem.notFound("invitation", Name.shortened(id), List.of()));
    }

    /**
     * An invitation that the transaction has taken.
     *
     * @param key the key that made it; null if a person did
     */
    record TakenInvitation(
            long tenant,
            String tenantName,
            String id,
            long user,
            String userName,
            Role role,
            @Nullable String key,
            Name agent,
            Terms terms,
            Grant powers) {}

    /** Takes the invitation with this code, which is used up if the transaction commits. Of concurrent calls, one gets it. */
    Optional<TakenInvitation> take(InvitationCode code, Instant now) {
        return ofCode(TAKE, code, now).flatMap(statement -> statement.one(InvitationStore::taken));
    }

    private static TakenInvitation taken(Row row) throws SQLException {
        return new TakenInvitation(
                row.number("tenant_id"),
                row.text("tenant"),
                row.text("id"),
                row.number("user_id"),
                row.text("user_name"),
                Role.of(row.text("role")),
                row.textOrNull("key_id"),
                Name.of(row.text("agent")),
                Objects.requireNonNull(row.json("terms", Terms.class)),
                Objects.requireNonNull(row.json("powers", Grant.class)));
    }

    /** Finds the name of the agent that an invitation is for. */
    Optional<String> findAgent(InvitationCode code, Instant now) {
        return ofCode(AGENT, code, now).flatMap(statement -> statement.one(row -> row.text("agent")));
    }

    /** Returns the statement about the invitation with this code, if a tenant has one. */
    private Optional<Statement> ofCode(String sql, InvitationCode code, Instant now) {
        return directory
                .find(Kind.INVITATION, DirectoryStore.id(code.hash()))
                .map(tenant -> db.sql(sql)
                        .set("tenant", tenant)
                        .set("hash", code.hash())
                        .set("now", now));
    }

    /** Returns whether the tenant has an agent of this name. */
    boolean hasAgent(long tenant, Name agent) {
        return db.sql(
                        "SELECT 1 AS one FROM agent WHERE tenant_id = :tenant AND name_key = :key AND destroyed_at IS NULL")
                .set("tenant", tenant)
                .set("key", agent.key())
                .one(_ -> true)
                .orElse(false);
    }

    /** Deletes expired invitations, and returns their number. */
    public int purge(Instant now) {
        return db.deleteOld(OLD, now);
    }
}
