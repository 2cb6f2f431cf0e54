package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.access.Visibility;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.SqlFailure;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.bank.Bank;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The banks themselves. */
public final class BankStore {
    /** The record of a bank {@code b} whose owner is {@code o}, as JSON. */
    static final String RECORD = record("""
            (SELECT count(*) FROM memory m WHERE m.tenant_id = b.tenant_id AND m.bank_id = b.id AND %s)
            """.formatted(MemoryVisibility.CURRENT));

    /** The banks {@code b} of the name {@code :key}, with what the actor, else the user, holds; a condition follows. */
    static final String FIND = ContextStore.KNOWN_CONTEXT
            + BankPermissionQueries.SUBJECT
            + """
            SELECT b.id, b.owner_id, b.access, b.revision, %s
              FROM ctx, s, bank b JOIN app_user o ON o.tenant_id = b.tenant_id AND o.id = b.owner_id, %s
             WHERE b.tenant_id = :tenant AND b.name_key = :key
            """.formatted(BankPermissionQueries.COLUMNS, BankPermissionQueries.HELD);

    private static final String READ = """
            SELECT %s AS record
              FROM bank b JOIN app_user o ON o.tenant_id = b.tenant_id AND o.id = b.owner_id
             WHERE b.tenant_id = :tenant AND b.id = :id
            """.formatted(RECORD);

    private static final String INSERT = """
            WITH b AS (INSERT INTO bank (tenant_id, name, name_key, description, access, owner_id,
                                         created_at, updated_at)
                       VALUES (:tenant, :name, :key, NULLIF(:description, ''), :access, :user, :now, :now)
                       ON CONFLICT (tenant_id, name_key) WHERE deleted_at IS NULL DO NOTHING
                       RETURNING *),
                 granted AS (INSERT INTO bank_grant (tenant_id, bank_id, agent_id, owner_id, permission)
                             SELECT b.tenant_id, b.id, a.id, a.owner_id, 'manage'
                               FROM b JOIN agent a ON a.tenant_id = b.tenant_id AND a.id = :manager)
            SELECT %s AS record
              FROM b JOIN app_user o ON o.tenant_id = b.tenant_id AND o.id = b.owner_id
            """.formatted(RECORD);

    private static final String VISIBLE_NAMES = ContextStore.KNOWN_CONTEXT + """
            SELECT b.name
              FROM bank b, ctx
             WHERE b.tenant_id = :tenant AND %s
             ORDER BY b.name_key
             LIMIT 2000
            """.formatted(Visibility.bank("b"));

    private static final String UPDATE = """
            UPDATE bank
               SET name = :name, name_key = :key,
                   description = NULLIF(COALESCE(:description, description), ''),
                   access = COALESCE(:access, access), revision = revision + 1, updated_at = :now
             WHERE tenant_id = :tenant AND id = :id
               AND (name, COALESCE(description, ''), access)
                   IS DISTINCT FROM
                   (:name, COALESCE(:description, description, ''), COALESCE(:access, access));
            """ + READ;

    private static final String KEEP = FIND + "AND " + Visibility.bank("b") + "FOR KEY SHARE OF b";

    private static final String LOCK = FIND + "AND " + Visibility.bank("b") + "FOR UPDATE OF b";

    private final Db db;

    public BankStore(Db db) {
        this.db = db;
    }

    /** The same where the memories that can be read have been counted already. */
    static String record(String memories) {
        return """
                jsonb_build_object('name', b.name, 'description', b.description, 'access', b.access, 'owner', o.name,
                                   'state', CASE WHEN b.censored_at IS NULL THEN 'active' ELSE 'censored' END,
                                   'memories', %s, 'revision', b.revision,
                                   'created_at', b.created_at, 'updated_at', b.updated_at)
                """.formatted(memories);
    }

    /** A bank that the transaction holds, with what decides about using and changing it. */
    public record Held(
            long id, String name, long owner, Access access, long revision, BankPermissionQueries permission) {}

    /** What a change sets; null leaves it as it is, a blank description goes. */
    record Change(
            Name name,
            @Nullable String description,
            @Nullable Access access) {}

    /** Creates the bank, managed by the agent if one is given; nothing when the name is taken. */
    Optional<Bank> insert(Call call, Name name, @Nullable String description, Access access, @Nullable Ref manager) {
        var bank = db.sql(call, INSERT)
                .set("name", name)
                .set("key", name.key())
                .set("description", description == null ? null : description.strip())
                .set("access", access.word())
                .set("manager", manager == null ? null : (Long) manager.id())
                .one(BankStore::record);
        bank.ifPresent(_ -> call.created(Scope.BANKS, 1));
        return bank;
    }

    /** The bank of this name, kept from being deleted or censored while the transaction lasts, if the acting user may see it. */
    public Held read(Call call, Name name, @Nullable Ref actor) {
        return find(call, name, actor, KEEP).orElseThrow(() -> missing(call, name));
    }

    /** The bank of this name, locked, if the acting user may see it. */
    Held lock(Call call, Name name, @Nullable Ref actor) {
        return findLocked(call, name, actor).orElseThrow(() -> missing(call, name));
    }

    Optional<Held> findLocked(Call call, Name name, @Nullable Ref actor) {
        return find(call, name, actor, LOCK);
    }

    /** The first that a statement which begins with {@link #FIND} finds. */
    Optional<Held> find(Call call, Name name, @Nullable Ref actor, String statement) {
        return db.sql(call, statement)
                .set("key", name.key())
                .set("self", actor == null ? null : (Long) actor.id())
                .set("kept", call.now().minus(TrashStore.KEPT))
                .one(row -> new Held(
                        row.number("id"),
                        row.text("bank_name"),
                        row.number("owner_id"),
                        Access.of(row.text("access")),
                        row.number("revision"),
                        BankPermissionQueries.read(row)));
    }

    /** Says that there is no such bank, and which names that the acting user may see are near. */
    public Problem missing(Call call, Name name) {
        var names = db.sql(call, VISIBLE_NAMES).list(row -> row.text("name"));
        return Problem.notFound("bank", name.text(), Near.nearest(name.text(), names, 3));
    }

    /** Sets what the change gives; raises the revision if that differs from what is there, and says whether it did. */
    Bank update(Call call, Held held, Change change) {
        try {
            return db.sql(call, UPDATE)
                    .set("id", held.id())
                    .set("name", change.name())
                    .set("key", change.name().key())
                    .set(
                            "description",
                            change.description() == null
                                    ? null
                                    : change.description().strip())
                    .set(
                            "access",
                            change.access() == null ? null : change.access().word())
                    .last(BankStore::record)
                    .orElseThrow();
        } catch (SqlFailure e) {
            throw Db.isTaken(e) ? Problem.alreadyExists("bank", change.name().text()) : e;
        }
    }

    /** The record as it stands, inside a transaction. */
    Bank record(Call call, Held held) {
        return db.sql(call, READ).set("id", held.id()).one(BankStore::record).orElseThrow();
    }

    static Bank record(Row row) throws SQLException {
        return Objects.requireNonNull(row.json("record", Bank.class));
    }
}
