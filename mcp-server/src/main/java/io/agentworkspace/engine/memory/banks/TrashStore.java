package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The trash: banks, and agents' shares of banks, that can be restored for 30 days. Also destroys them for good. */
public final class TrashStore {
    public static final Duration KEPT = Duration.ofDays(30);

    private static final String LOCK_TRASHED = BankStore.FIND + """
            AND b.deleted_at > :kept AND permit.permission = 'manage'
            ORDER BY b.deleted_at DESC, b.id DESC
            LIMIT 1
            FOR UPDATE OF b
            """;

    private static final String DELETE_SEVERAL = """
            UPDATE memory SET deleted_at = :now
             WHERE tenant_id = :tenant AND bank_id = :bank AND {which} AND deleted_at IS NULL
            RETURNING id
            """;

    private static final String TAKEN_OF_SEVERAL = """
            SELECT DISTINCT t.name
              FROM (SELECT * FROM memory WHERE tenant_id = :tenant AND bank_id = :bank AND {which} AND deleted_at > :kept) t
              JOIN memory m
                ON m.tenant_id = t.tenant_id AND m.bank_id = t.bank_id AND m.name_key = t.name_key AND m.deleted_at IS NULL
             ORDER BY t.name
             LIMIT 20
            """;

    /** If several of them had the same name, the last deleted one holds it again. */
    private static final String RESTORE_SEVERAL = """
            UPDATE memory m
               SET deleted_at = NULL, name_key = CASE WHEN back.place = 1 THEN m.name_key END
              FROM (SELECT id, row_number() OVER (PARTITION BY name_key
                                                      ORDER BY deleted_at DESC, updated_at DESC, id) AS place
                      FROM memory
                     WHERE tenant_id = :tenant AND bank_id = :bank AND {which}
                       AND deleted_at > :kept) back
             WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.id = back.id
            RETURNING m.id
            """;

    private static final Several OF_AUTHORS = several("author_id = ANY (:authors)");

    /** @param which the condition that selects the memories */
    static Several several(String which) {
        return new Several(
                MemoryStore.changing(
                        SqlTemplate.of(DELETE_SEVERAL).with("which", which).sql()),
                SqlTemplate.of(TAKEN_OF_SEVERAL).with("which", which).sql(),
                MemoryStore.changing(
                        SqlTemplate.of(RESTORE_SEVERAL).with("which", which).sql()));
    }

    private static final String OLD_TRASHED = Db.oldRows("memory", "tenant_id, bank_id, id", "deleted_at <= :until");

    private static final String OLD_EXPIRED = Db.oldRows("memory", "tenant_id, bank_id, id", "expires_at <= :until");

    private static final String OLD_REVISIONS =
            Db.oldRows("memory_revision", "tenant_id, bank_id, memory_id, revision", "replaced_at <= :until");

    /** Each bank by its key: a join without the OFFSET would read the memories of all banks. */
    private static final String OLD_OF_TRASHED_BANKS = Db.deletingOld("memory", """
            DELETE FROM memory
             WHERE (tenant_id, bank_id, id) IN (
                       SELECT old.tenant_id, old.bank_id, old.id
                         FROM bank b
                        CROSS JOIN LATERAL (SELECT m.tenant_id, m.bank_id, m.id
                                              FROM memory m
                                             WHERE m.tenant_id = b.tenant_id AND m.bank_id = b.id
                                            OFFSET 0) old
                        WHERE b.deleted_at <= :until
                        LIMIT :portion)
            """);

    private static final String OLD_BANKS = Db.oldRows("bank", "tenant_id, id", """
                        deleted_at <= :until
                        AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.tenant_id = bank.tenant_id AND m.bank_id = bank.id)
                        """);

    private final Db db;
    private final BankStore banks;

    public TrashStore(Db db, BankStore banks) {
        this.db = db;
        this.banks = banks;
    }

    /** Locks the bank with this name, if the acting user may see it. */
    Optional<BankStore.LockedBank> live(Call call, Name name, @Nullable Ref actor) {
        return banks.findLocked(call, name, actor);
    }

    /** Locks the newest bank with this name in the trash that the actor, else the user, manages. */
    Optional<BankStore.LockedBank> trashed(Call call, Name name, @Nullable Ref actor) {
        return banks.find(call, name, actor, LOCK_TRASHED);
    }

    /** Moves the bank into the trash, which frees its name. Returns the number of its memories. */
    long deleteBank(Call call, BankStore.LockedBank bank) {
        call.changed(Change.resource(ChangeTopic.BANK, bank.resource(), null));
        return db.sql(call, """
                WITH gone AS (UPDATE bank SET deleted_at = :now WHERE tenant_id = :tenant AND id = :bank)
                SELECT count(*) AS memories
                  FROM memory
                 WHERE tenant_id = :tenant AND bank_id = :bank AND deleted_at IS NULL
                """)
                .set("bank", bank.id())
                .one(row -> row.number("memories"))
                .orElseThrow();
    }

    /** Moves the memories that these agents created into the trash, and returns their number. */
    long deleteShare(Call call, BankStore.LockedBank bank, List<Long> authors) {
        var statement = db.sql(call, OF_AUTHORS.delete()).set("bank", bank.id()).set("authors", authors);
        return MemoryStore.changed(call, bank, "removed", statement);
    }

    /** @throws Problem {@code already_exists} if its name has been taken in the meantime */
    void restoreBank(Call call, BankStore.LockedBank bank) {
        call.changed(Change.resource(ChangeTopic.BANK, null, bank.resource()));
        try {
            db.sql(call, "UPDATE bank SET deleted_at = NULL WHERE tenant_id = :tenant AND id = :bank")
                    .set("bank", bank.id())
                    .run();
        } catch (SqlFailure e) {
            throw Db.isTaken(e)
                    ? Problem.alreadyExists(
                            "bank", bank.name(), "rename that bank with MB_Update, then restore this one")
                    : e;
        }
    }

    /**
     * Takes the memories that these agents created out of the trash, and returns their number. If several have the same
     * name, the last deleted one holds it again.
     *
     * @throws Problem {@code conflict} if other memories have taken their names in the meantime
     */
    long restoreShare(Call call, BankStore.LockedBank bank, List<Long> authors) {
        return OF_AUTHORS.restore(
                call,
                bank,
                statement -> db.sql(call, statement)
                        .set("bank", bank.id())
                        .set("authors", authors)
                        .set("kept", call.now().minus(KEPT)));
    }

    /** Destroys the bank with everything in it, and returns the number of its memories. */
    long destroyBank(Call call, BankStore.LockedBank bank) {
        call.changed(Change.resource(ChangeTopic.BANK, bank.resource(), null));
        var memories = db.sql(call, "DELETE FROM memory WHERE tenant_id = :tenant AND bank_id = :bank")
                .set("bank", bank.id())
                .run();
        db.sql(call, "DELETE FROM bank WHERE tenant_id = :tenant AND id = :bank")
                .set("bank", bank.id())
                .run();
        call.ended(Scope.MEMORIES, memories);
        call.ended(Scope.BANKS, 1);
        return memories;
    }

    /** Destroys the memories that these agents created, including those in the trash, and returns their number. */
    long destroyShare(Call call, BankStore.LockedBank bank, List<Long> authors) {
        call.changed(bank.contentChanged());
        var memories =
                db.sql(call, """
                DELETE FROM memory WHERE tenant_id = :tenant AND bank_id = :bank AND author_id = ANY (:authors)
                """).set("bank", bank.id()).set("authors", authors).run();
        call.ended(Scope.MEMORIES, memories);
        return memories;
    }

    /**
     * Destroys what has been in the trash, expired or replaced for 30 days, in small steps that do not block other
     * calls. Returns the number of memories, revisions and banks.
     */
    public int purge(Instant now) {
        var until = now.minus(KEPT);
        return db.deleteOld(OLD_TRASHED, until)
                + db.deleteOld(OLD_EXPIRED, until)
                + db.deleteOld(OLD_REVISIONS, until)
                + db.deleteOld(OLD_OF_TRASHED_BANKS, until)
                + db.deleteOld(OLD_BANKS, until);
    }

    /**
     * The statements that move several memories of a bank to the trash and back.
     *
     * @param taken selects the names that other memories have taken since they were deleted
     */
    record Several(String delete, String taken, String restore) {
        /**
         * Takes the memories out of the trash, all or none, and returns their number.
         *
         * @param prepared prepares one of the statements
         * @throws Problem {@code conflict} if other memories have their names
         */
        long restore(Call call, BankStore.LockedBank bank, Function<String, Statement> prepared) {
            var names = prepared.apply(taken).list(row -> row.text("name"));
            if (!names.isEmpty()) {
                throw taken("these names: '%s'".formatted(String.join("', '", names)));
            }
            try {
                return MemoryStore.changed(call, bank, "updated", prepared.apply(restore));
            } catch (SqlFailure e) {
                throw Db.isTaken(e) ? taken("one of their names at this moment") : e;
            }
        }

        private static Problem taken(String what) {
            return Problem.conflict(
                    "nothing was restored, since other memories have taken %s; rename, delete or destroy those first"
                            .formatted(what));
        }
    }
}
