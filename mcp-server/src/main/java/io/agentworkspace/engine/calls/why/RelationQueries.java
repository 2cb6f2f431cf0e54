package io.agentworkspace.engine.calls.why;

import io.agentworkspace.engine.identity.credentials.Grant;
import io.agentworkspace.engine.identity.keys.KeyChangeStore;
import io.agentworkspace.engine.identity.keys.KeyRow;
import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.context.ContextStore;
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
 * Reads a caller's relation to a thing that it may see, and what determines it. Each read is one statement that
 * includes the context.
 */
final class RelationQueries {
    /** The columns of the owner {@code o}. */
    private static final String OWNER_NAME = ", o.name AS owner_name";

    private static final String AGENT = ContextStore.WITH_CONTEXT
            + SqlTemplate.of("""
            SELECT ctx.*, {agent}, {shares_domain} AS shared,
                   EXISTS (SELECT 1 FROM roster r
                            WHERE r.tenant_id = :tenant AND r.user_id = ctx.user_id AND r.agent_id = a.id) AS listed
              FROM ctx LEFT JOIN agent a ON a.tenant_id = :tenant AND a.name_key = :key AND {visible_agent}
            """)
                    .with("agent", columns("a") + OWNER_NAME)
                    .with("shares_domain", Visibility.sharesDomain("a", "ctx.user_id"))
                    .with("visible_agent", Visibility.agent("a"))
                    .sql()
            + owner("a");

    private static final String DOMAIN = ContextStore.WITH_CONTEXT
            + SqlTemplate.of("""
            SELECT ctx.*, {domain}, {takes_part} AS takes_part, {may_talk} AS may_hear, d.host_id,
                   near.state, near.member,
                   EXISTS (SELECT 1 FROM zone z
                            WHERE z.tenant_id = :tenant AND z.domain_id = d.id AND z.name_key = :zone) AS zone_found
              FROM ctx LEFT JOIN domain d ON d.tenant_id = :tenant AND d.name_key = :key AND {visible_domain}
            """)
                    .with("domain", columns("d") + OWNER_NAME)
                    .with("takes_part", ZoneEntry.takesPart("d"))
                    .with("may_talk", Visibility.talk("d"))
                    .with("visible_domain", Visibility.domain("d"))
                    .sql()
            + owner("d") + """
              LEFT JOIN LATERAL (
                  SELECT m.state, x.name AS member
                    FROM membership m JOIN agent x ON x.tenant_id = m.tenant_id AND x.id = m.agent_id
                   WHERE m.tenant_id = :tenant AND m.domain_id = d.id
                     AND CASE WHEN ctx.self_id IS NULL THEN m.owner_id = ctx.user_id ELSE m.agent_id = ctx.self_id END
                   ORDER BY array_position(ARRAY['member', 'invited', 'requested', 'banned'], m.state)
                   LIMIT 1) near ON true
            """;

    private static final String BANK = ContextStore.WITH_CONTEXT
            + BankPermissionRow.SUBJECT
            + SqlTemplate.of("""
            , found AS (
                SELECT {bank}, {permission}, b.deleted_at IS NOT NULL AS trashed
                  FROM ctx, s, bank b JOIN app_user o ON o.tenant_id = b.tenant_id AND o.id = b.owner_id, {permit}
                 WHERE b.tenant_id = :tenant AND b.name_key = :key
                   AND ({visible_bank} OR (:trash AND b.deleted_at > :kept AND permit.permission = 'manage'))
                 ORDER BY (b.deleted_at IS NOT NULL) = :trash_first DESC, b.deleted_at DESC, b.id DESC
                 LIMIT 1)
            SELECT ctx.*, found.* FROM ctx LEFT JOIN found ON true
            """)
                    .with("bank", columns("b"))
                    .with("permission", BankPermissionRow.COLUMNS)
                    .with("permit", BankPermissionRow.PERMIT)
                    .with("visible_bank", Visibility.bank("b"))
                    .sql();

    private static final String USER = ContextStore.WITH_CONTEXT + """
            SELECT ctx.*, u.role FROM ctx LEFT JOIN app_user u ON u.tenant_id = :tenant AND u.id = ctx.user_id
            """;

    private static final String KEY = ContextStore.WITH_CONTEXT
            + SqlTemplate.of("""
            SELECT ctx.*, k.name AS found_name, u.name AS holder, k.user_id = :caller AS own,
                   k.id, u.role, k.revision, k.revoked_at, {chain} AS chain,
                   (SELECT {chain} FROM api_key k WHERE k.tenant_id = :tenant AND k.id = CAST(:key AS text)) AS powers
              FROM ctx
              LEFT JOIN api_key k ON k.tenant_id = :tenant AND k.id = :id AND {managed}
              LEFT JOIN app_user u ON u.tenant_id = k.tenant_id AND u.id = k.user_id
            """)
                    .with("chain", KeyRow.CHAIN)
                    .with("managed", KeyRow.managed("k"))
                    .sql();

    /** Returns the columns that all things share. */
    private static String columns(String alias) {
        return SqlTemplate.of("""
                {thing}.id AS found_id, {thing}.name AS found_name, {thing}.access AS found_access,
                {thing}.revision AS found_revision, {thing}.owner_id AS found_owner, {thing}.owner_id = ctx.user_id AS own""").with("thing", alias).sql();
    }

    /** Returns the join with a thing's owner {@code o}, which may be missing. */
    private static String owner(String alias) {
        return SqlTemplate.of(" LEFT JOIN app_user o ON o.tenant_id = {thing}.tenant_id AND o.id = {thing}.owner_id\n")
                .with("thing", alias)
                .sql();
    }

    private final Db db;
    private final ContextStore contexts;
    private final DocumentStore documents;

    RelationQueries(Db db) {
        this.db = db;
        this.contexts = new ContextStore(db);
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

    private static @Nullable Thing thing(Call call, Row row) throws SQLException {
        ContextStore.read(call, row);
        return row.textOrNull("found_name") == null
                ? null
                : new Thing(
                        row.text("found_name"),
                        row.text("owner_name"),
                        row.flag("own"),
                        Access.of(row.text("found_access")));
    }

    Optional<OfAgent> agent(Call call, Name name) {
        return db.sql(call, AGENT)
                .set("key", name.key())
                .one(row -> {
                    var thing = thing(call, row);
                    return Optional.ofNullable(thing == null ? null : agent(row, thing));
                })
                .orElseThrow();
    }

    private static OfAgent agent(Row row, Thing thing) throws SQLException {
        var agent = new AgentStore.LockedAgent(
                row.number("found_id"),
                thing.name(),
                row.number("found_owner"),
                thing.owner(),
                thing.access(),
                row.number("found_revision"));
        return new OfAgent(thing, agent, row.flag("listed"), row.flag("shared"));
    }

    Optional<OfDomain> domain(Call call, Name name, @Nullable Name zone) {
        return db.sql(call, DOMAIN)
                .set("key", name.key())
                .set("zone", zone == null ? null : zone.key())
                .one(row -> {
                    var thing = thing(call, row);
                    return Optional.ofNullable(thing == null ? null : domain(row, thing));
                })
                .orElseThrow();
    }

    private static OfDomain domain(Row row, Thing thing) throws SQLException {
        var state = row.textOrNull("state");
        var domain = new DomainStore.LockedDomain(
                row.number("found_id"),
                thing.name(),
                row.number("found_owner"),
                thing.owner(),
                row.numberOrNull("host_id"),
                thing.access(),
                row.number("found_revision"));
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
                .one(row -> {
                    var thing = thing(call, row);
                    return Optional.ofNullable(thing == null ? null : bank(row, thing));
                })
                .orElseThrow();
    }

    private static OfBank bank(Row row, Thing thing) throws SQLException {
        var bank = new BankStore.LockedBank(
                row.number("found_id"),
                thing.name(),
                row.number("found_owner"),
                thing.access(),
                row.number("found_revision"),
                BankPermissionRow.read(row));
        return new OfBank(thing, bank, row.flag("trashed"));
    }

    /**
     * Returns the role of the user that the call acts for.
     *
     * @throws Problem {@code not_found}
     */
    public Role user(Call call) {
        return db.sql(call, USER)
                .one(row -> {
                    ContextStore.read(call, row);
                    return Role.of(row.text("role"));
                })
                .orElseThrow();
    }

    /** Returns a version by its id, or all versions of a name, newest first. */
    List<DocumentStore.SubmittedVersion> document(Call call, String text) {
        contexts.load(call);
        return documents.find(call, text);
    }

    /** Returns a key that the caller manages. */
    Optional<OfKey> key(Call call, String id) {
        var statement = db.sql(call, KEY);
        return KeyRow.managing(statement, call)
                .set("id", id)
                .one(row -> {
                    ContextStore.read(call, row);
                    return Optional.ofNullable(row.textOrNull("found_name") == null ? null : key(call, row));
                })
                .orElseThrow();
    }

    private static OfKey key(Call call, Row row) throws SQLException {
        var powers = call.caller().credential().key() == null
                ? Grant.of(call.caller())
                : Grant.of(row.jsonList("powers", Grant.class));
        return new OfKey(
                row.text("found_name"), row.text("holder"), row.flag("own"), KeyChangeStore.lockedKey(row), powers);
    }
}
