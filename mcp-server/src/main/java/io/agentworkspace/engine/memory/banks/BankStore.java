package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes banks. */
public final class BankStore {
    /**
     * The memories of a larger bank are not counted, since each read and list of it would take longer with each memory.
     * Memories that readers cannot see are part of this number.
     */
    static final int COUNTED = 1_000;

    /**
     * The number of memories that can be read in a bank {@code b}, or {@link #COUNTED} + 1 if it has more. If nobody is
     * censored, the index is enough; otherwise each memory is read.
     */
    static final String MEMORIES = SqlTemplate.of("""
            CASE WHEN b.censored_at IS NOT NULL THEN 0
                 WHEN EXISTS (SELECT FROM memory m
                               WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND m.deleted_at IS NULL
                              OFFSET {counted}) THEN {counted} + 1
                 WHEN EXISTS (SELECT FROM bank_censor c WHERE c.tenant_id = :tenant AND c.bank_id = b.id)
                 THEN {seen} ELSE {all} END
            """)
            .with("counted", COUNTED)
            .with("seen", counted(MemoryVisibility.current("m", "b")))
            .with(
                    "all",
                    counted("m.deleted_at IS NULL AND (m.expires_at IS NULL OR m.expires_at > :now) AND "
                            + MemoryVisibility.superseder("m", "CAST('{}' AS bigint[])") + " IS NULL"))
            .sql();

    private static String counted(String condition) {
        return SqlTemplate.of("""
            (SELECT count(*) FROM memory m WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND {condition})
            """).with("condition", condition).sql();
    }

    /** The record of a bank {@code b} whose owner is {@code o}, as JSON. */
    static final String RECORD = SqlTemplate.of("""
            jsonb_build_object('name', b.name, 'description', b.description, 'access', b.access, 'owner', o.name,
                               'state', CASE WHEN b.censored_at IS NULL THEN 'active' ELSE 'censored' END,
                               'memories', {memories}, 'revision', b.revision,
                               'created_at', b.created_at, 'updated_at', b.updated_at)
            """).with("memories", MEMORIES).sql();

    /**
     * Finds the banks {@code b} with the name {@code :key}, with the permission of the actor, else
     * the user. A condition follows.
     */
    static final String FIND = BankPermissionRow.SUBJECT
            + SqlTemplate.of("""
            SELECT b.id, b.name, b.owner_id, b.access, b.revision, {permission}
              FROM s, bank b JOIN app_user o ON o.tenant_id = :tenant AND o.id = b.owner_id, {permit}
             WHERE b.tenant_id = :tenant AND b.name_key = :key
            """)
                    .with("permission", BankPermissionRow.COLUMNS)
                    .with("permit", BankPermissionRow.PERMIT)
                    .sql();

    private static final String READ =
            SqlTemplate.of("""
            SELECT {bank_json} AS record
              FROM bank b JOIN app_user o ON o.tenant_id = :tenant AND o.id = b.owner_id
             WHERE b.tenant_id = :tenant AND b.id = :id
            """).with("bank_json", RECORD).sql();

    private static final String INSERT =
            SqlTemplate.of("""
            WITH b AS (INSERT INTO bank (tenant_id, name, name_key, description, access, owner_id,
                                         created_at, updated_at)
                       VALUES (:tenant, :name, :key, NULLIF(:description, ''), :access, present_user(:tenant, :user), :now, :now)
                       ON CONFLICT (tenant_id, name_key) WHERE deleted_at IS NULL DO NOTHING
                       RETURNING *),
                 granted AS (INSERT INTO bank_grant (tenant_id, bank_id, agent_id, owner_id, permission)
                             SELECT a.tenant_id, b.id, a.id, a.owner_id, 'manage'
                               FROM b JOIN agent a ON a.tenant_id = :tenant AND a.id = :manager)
            SELECT {bank_json} AS record
              FROM b JOIN app_user o ON o.tenant_id = :tenant AND o.id = b.owner_id
            """).with("bank_json", RECORD).sql();

    private static final String VISIBLE_NAMES =
            SqlTemplate.of("""
            SELECT b.name
              FROM bank b
             WHERE b.tenant_id = :tenant AND {visible_bank}
             ORDER BY b.name_key
             LIMIT 2000
            """).with("visible_bank", Visibility.bank("b")).sql();

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

    /** The same, and then, in the same round trip, what hides a memory of the author {@code :author} in it. */
    private static final String KEEP_TO_WRITE = KEEP + """
            ;
            SELECT b.id, b.censored_at IS NOT NULL AS bank,
                   EXISTS (SELECT 1 FROM bank_censor c
                            WHERE c.tenant_id = :tenant AND c.bank_id = b.id AND c.agent_id = :author) AS author
              FROM bank b
             WHERE b.tenant_id = :tenant AND b.name_key = :key
            """;

    private static final String SEE = FIND + "AND " + Visibility.bank("b");

    private static final String LOCK = FIND + "AND " + Visibility.bank("b") + "FOR UPDATE OF b";

    private final Db db;

    public BankStore(Db db) {
        this.db = db;
    }

    /** A bank that the transaction has locked, with what determines who may use and change it. */
    public record LockedBank(
            long id, String name, long owner, Access access, long revision, BankPermissionRow permission) {
        /** Returns it as it was before the call changed it. */
        Change.Resource resource() {
            return new Change.Resource(name, access, owner);
        }

        /** Returns the change of what is in it. */
        public Change contentChanged() {
            return Change.numbered(ChangeTopic.BANK, id);
        }
    }

    /** The changes to a bank; null leaves a value unchanged, a blank description removes it. */
    record BankChange(
            Name name,
            @Nullable String description,
            @Nullable Access access) {}

    /** Creates the bank, managed by the agent if one is given. Empty if the name is taken. */
    Optional<Bank> insert(Call call, Name name, @Nullable String description, Access access, @Nullable Ref manager) {
        var bank = db.sql(call, INSERT)
                .set("name", name)
                .set("key", name.key())
                .set("description", description == null ? null : description.strip())
                .set("access", access.word())
                .set("manager", manager == null ? null : (Long) manager.id())
                .one(BankStore::record);
        call.created(Scope.BANKS, bank.isPresent() ? 1 : 0);
        bank.ifPresent(_ -> {
            var owner = call.context().user().id();
            call.changed(Change.resource(ChangeTopic.BANK, null, new Change.Resource(name.text(), access, owner)));
        });
        return bank;
    }

    /**
     * Reads the bank with this name, if the acting user may see it, and protects it from deletion and
     * censorship until the transaction ends.
     */
    public LockedBank read(Call call, Name name, @Nullable Ref actor) {
        return find(call, name, actor, KEEP).orElseThrow(() -> missing(call, name));
    }

    /** Reads the bank with this name, if the acting user may see it, as it is at this moment. */
    LockedBank see(Call call, Name name, @Nullable Ref actor) {
        return find(call, name, actor, SEE).orElseThrow(() -> missing(call, name));
    }

    /** A bank that a memory is to be stored in. */
    record WritableBank(LockedBank bank, MemoryStore.Censorship censorship) {}

    /** Does the same, and also returns what hides a memory of the author in it. */
    WritableBank readToWrite(Call call, Name name, @Nullable Ref actor, Ref author) {
        return finding(call, name, actor, KEEP_TO_WRITE)
                .set("author", author.id())
                .all(results -> {
                    var target = results.next(BankStore::bank);
                    // It sees what was committed while the first waited for the bank.
                    var states = results.list(row -> Map.entry(row.number("id"), row.as(MemoryStore.Censorship.class)));
                    return target.flatMap(bank -> states.stream()
                            .filter(state -> state.getKey() == bank.id())
                            .findFirst()
                            .map(state -> new WritableBank(bank, state.getValue())));
                })
                .orElseThrow(() -> missing(call, name));
    }

    /** Locks the bank with this name, if the acting user may see it. */
    LockedBank lock(Call call, Name name, @Nullable Ref actor) {
        return findLocked(call, name, actor).orElseThrow(() -> missing(call, name));
    }

    Optional<LockedBank> findLocked(Call call, Name name, @Nullable Ref actor) {
        return find(call, name, actor, LOCK);
    }

    /** Returns the first row of a statement that begins with {@link #FIND}. */
    Optional<LockedBank> find(Call call, Name name, @Nullable Ref actor, String statement) {
        return finding(call, name, actor, statement).one(BankStore::bank);
    }

    private Statement finding(Call call, Name name, @Nullable Ref actor, String statement) {
        return db.sql(call, statement)
                .set("key", name.key())
                .set("self", actor == null ? null : (Long) actor.id())
                .set("kept", call.now().minus(TrashStore.KEPT));
    }

    private static LockedBank bank(Row row) throws SQLException {
        return row.as(LockedBank.class);
    }

    /** Returns the refusal for an unknown bank, with similar names that the acting user may see. */
    public Problem missing(Call call, Name name) {
        var names = db.sql(call, VISIBLE_NAMES).list(row -> row.text("name"));
        return Problem.notFound("bank", name.text(), Near.nearest(name.text(), names, 3));
    }

    /** Applies the change and returns the record. The revision is raised if the change alters anything. */
    Bank update(Call call, LockedBank before, BankChange change) {
        try {
            var bank = db.sql(call, UPDATE)
                    .set("id", before.id())
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
            var after = new Change.Resource(bank.name(), bank.access(), before.owner());
            call.changed(
                    bank.revision() == before.revision()
                            ? List.of()
                            : Change.resource(ChangeTopic.BANK, before.resource(), after));
            return bank;
        } catch (SqlFailure e) {
            throw Db.isTaken(e) ? Problem.alreadyExists("bank", change.name().text()) : e;
        }
    }

    /** Returns the current record, inside a transaction. */
    Bank record(Call call, LockedBank bank) {
        return db.sql(call, READ).set("id", bank.id()).one(BankStore::record).orElseThrow();
    }

    static Bank record(Row row) throws SQLException {
        return Objects.requireNonNull(row.json("record", Bank.class));
    }
}
