package io.agentworkspace.engine.calls.why;

import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.identity.keys.KeyChangeStore;
import io.agentworkspace.engine.identity.keys.KeyRow;
import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.TrashStore;
import io.agentworkspace.engine.memory.documents.DocumentStore;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.domains.DomainAccess;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import io.agentworkspace.engine.workspace.domains.MemberState;
import io.agentworkspace.engine.workspace.domains.ZoneEntry;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a caller's relation to a thing that it may see, and what determines it: one statement each.
 */
final class RelationQueries {
    /** The columns of the owner {@code o}. */
    private static final String OWNER_NAME = ", o.name AS owner_name";

    private static final String AGENT = SqlTemplate.of("""
            SELECT {agent}, {shares_domain} AS shared,
                   EXISTS (SELECT 1 FROM roster r
                            WHERE r.tenant_id = :tenant AND r.user_id = :user AND r.agent_id = a.id) AS listed
              FROM agent a {join_owner}
             WHERE a.tenant_id = :tenant AND a.name_key = :key AND {visible_agent}
            """)
            .with("agent", columns("a") + ", a.parent_id" + OWNER_NAME)
            .with("shares_domain", Visibility.sharesDomain("a", ":user"))
            .with("join_owner", Visibility.owner("a"))
            .with("visible_agent", Visibility.agent("a"))
            .sql();

    private static final String DOMAIN = SqlTemplate.of("""
            SELECT {domain}, {takes_part} AS takes_part, {may_talk} AS may_hear, d.host_id,
                   near.state, near.member,
                   EXISTS (SELECT 1 FROM zone z
                            WHERE z.tenant_id = :tenant AND z.domain_id = d.id AND z.name_key = CAST(:zone AS text)) AS zone_found
              FROM domain d {join_owner}
              LEFT JOIN LATERAL (
                  SELECT m.state, x.name AS member
                    FROM membership m JOIN agent x ON x.tenant_id = :tenant AND x.id = m.agent_id
                   WHERE m.tenant_id = :tenant AND m.domain_id = d.id
                     AND CASE WHEN CAST(:self AS bigint) IS NULL THEN m.owner_id = :user ELSE m.agent_id = :self END
                   ORDER BY array_position(ARRAY['member', 'invited', 'requested', 'banned'], m.state)
                   LIMIT 1) near ON true
             WHERE d.tenant_id = :tenant AND d.name_key = :key AND {visible_domain}
            """)
            .with("domain", columns("d") + OWNER_NAME)
            .with("takes_part", ZoneEntry.takesPart("d"))
            .with("may_talk", Visibility.talk("d"))
            .with("join_owner", Visibility.owner("d"))
            .with("visible_domain", Visibility.domain("d"))
            .sql();

    private static final String BANK = BankPermissionRow.SUBJECT
            + SqlTemplate.of("""
            SELECT {bank}, o.name AS owner_name, {permission}, b.deleted_at IS NOT NULL AS trashed
              FROM s, bank b JOIN app_user o ON o.tenant_id = :tenant AND o.id = b.owner_id, {permit}
             WHERE b.tenant_id = :tenant AND b.name_key = :key
               AND ({visible_bank} OR (:trash AND b.deleted_at > :kept AND permit.permission = 'manage'))
             ORDER BY (b.deleted_at IS NOT NULL) = :trash_first DESC, b.deleted_at DESC, b.id DESC
             LIMIT 1
            """)
                    .with("bank", columns("b"))
                    .with("permission", BankPermissionRow.COLUMNS)
                    .with("permit", BankPermissionRow.PERMIT)
                    .with("visible_bank", Visibility.bank("b"))
                    .sql();

    private static final String USER = """
            SELECT u.role FROM app_user u WHERE u.tenant_id = :tenant AND u.id = :user
            """;

    private static final String KEY = SqlTemplate.of("""
            SELECT k.name AS found_name, u.name AS holder, k.user_id = :caller AS own,
                   k.id, u.role, k.revision, k.revoked_at, {chain} AS chain,
                   (SELECT {chain} FROM api_key k WHERE k.tenant_id = :tenant AND k.id = CAST(:key AS text)) AS powers
              FROM api_key k JOIN app_user u ON u.tenant_id = :tenant AND u.id = k.user_id
             WHERE k.tenant_id = :tenant AND k.id = :id AND {managed}
            """)
            .with("chain", KeyRow.CHAIN)
            .with("managed", KeyRow.managed("k"))
            .sql();

    /** Returns the columns that all things share. */
    private static String columns(String alias) {
        return SqlTemplate.of("""
                {thing}.id, {thing}.name, {thing}.access, {thing}.revision, {thing}.owner_id, {thing}.owner_id = :user AS own""").with("thing", alias).sql();
    }

    private final Db db;
    private final DocumentStore documents;

    RelationQueries(Db db) {
        this.db = db;
        this.documents = new DocumentStore(db);
    }

    /** What all things share. */
    record Thing(String name, String owner, boolean own, Access access) {}

    /**
     * @param listed whether it is on the user's roster
     * @param shared whether the user shares a domain with its owner
     */
    record OfAgent(Thing thing, AgentStore.LockedAgent agent, boolean listed, boolean shared) {}

    /** @param zone whether the domain has the requested zone */
    record OfDomain(Thing thing, DomainAccess.Part part, boolean zone) {}

    /** Whether a bank in the trash counts, and which bank is preferred if another one has the same name. */
    enum Trash {
        LEFT_OUT,
        LAST,
        FIRST
    }

    record OfBank(Thing thing, BankStore.LockedBank bank, boolean trashed) {}

    /**
     * A key with its name and its user.
     *
     * @param powers what the caller can grant
     */
    record OfKey(String name, String user, boolean own, KeyChangeStore.LockedKey key, Grant powers) {}

    private static Thing thing(Row row) throws SQLException {
        return row.as(Thing.class);
    }

    Optional<OfAgent> agent(Call call, Name name) {
        return db.sql(call, AGENT).set("key", name.key()).one(row -> agent(row, thing(row)));
    }

    private static OfAgent agent(Row row, Thing thing) throws SQLException {
        return new OfAgent(thing, row.as(AgentStore.LockedAgent.class), row.flag("listed"), row.flag("shared"));
    }

    Optional<OfDomain> domain(Call call, Name name, @Nullable Name zone) {
        return db.sql(call, DOMAIN)
                .set("key", name.key())
                .set("zone", zone == null ? null : zone.key())
                .one(row -> domain(row, thing(row)));
    }

    private static OfDomain domain(Row row, Thing thing) throws SQLException {
        var state = row.textOrNull("state");
        var domain = row.as(DomainStore.LockedDomain.class);
        var part = new DomainAccess.Part(
                domain,
                row.flag("takes_part"),
                row.flag("may_hear"),
                state == null ? null : MemberState.valueOf(state.toUpperCase(Locale.ROOT)),
                row.textOrNull("member"));
        return new OfDomain(thing, part, row.flag("zone_found"));
    }

    Optional<OfBank> bank(Call call, Name name, Trash trash) {
        return db.sql(call, BANK)
                .set("key", name.key())
                .set("trash", trash != Trash.LEFT_OUT)
                .set("trash_first", trash == Trash.FIRST)
                .set("kept", call.now().minus(TrashStore.KEPT))
                .one(row -> bank(row, thing(row)));
    }

    private static OfBank bank(Row row, Thing thing) throws SQLException {
        return new OfBank(thing, row.as(BankStore.LockedBank.class), row.flag("trashed"));
    }

    /**
     * Returns the role of the user that the call acts for.
     *
     * @throws Problem {@code not_found}
     */
    Role role(Call call) {
        return db.sql(call, USER).one(row -> Role.of(row.text("role"))).orElseThrow();
    }

    /** Returns a version by its id, or all versions of a name, newest first. */
    List<DocumentStore.SubmittedVersion> document(Call call, String text) {
        return documents.find(call, text);
    }

    /** Returns a key that the caller manages. */
    Optional<OfKey> key(Call call, String id) {
        var statement = db.sql(call, KEY);
        return KeyRow.managing(statement, call).set("id", id).one(row -> key(call, row));
    }

    private static OfKey key(Call call, Row row) throws SQLException {
        var powers = call.caller().credential().key() == null
                ? Grant.of(call.caller())
                : Grant.of(row.jsonList("powers", Grant.class));
        return new OfKey(
                row.text("found_name"), row.text("holder"), row.flag("own"), KeyChangeStore.lockedKey(row), powers);
    }
}
