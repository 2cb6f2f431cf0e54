package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.Statement;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The memories. Among those outside the trash {@code name_key} is unique in a bank: whoever has it holds the name. A memory
 * that lost its name to another one keeps it for show only.
 */
public final class MemoryStore {
    /** Whose part in a memory hides it: an array of the agents that are censored in the bank {@code b}. */
    static final String CENSORED = """
            ARRAY(SELECT censor.agent_id
                    FROM bank_censor censor
                   WHERE censor.tenant_id = b.tenant_id AND censor.bank_id = b.id)
            """;

    /**
     * Whether readers of the bank {@code b} are shown its memory {@code m}. Where many memories are looked at, they stand
     * in a subquery below the bank: then who is censored is looked up once.
     */
    static final String READABLE = readable(CENSORED);

    /** The same where the array {@link #CENSORED} has been made already. */
    static String readable(String censored) {
        return "(m.deleted_at IS NULL AND b.censored_at IS NULL AND NOT m.contributors && %s)".formatted(censored);
    }

    /** A memory {@code m} by {@code author}, as JSON. */
    static final String RECORD = """
            jsonb_build_object('id', m.id, 'name', m.name, 'text', m.text, 'tags', m.tags, 'author', author.name,
                               'source', CASE WHEN cardinality(m.derived_from) > 0
                                              THEN jsonb_build_object('derived_from', m.derived_from) END,
                               'revision', m.revision, 'created_at', m.created_at, 'updated_at', m.updated_at)
            """;

    static final String AUTHOR = "JOIN party author ON author.tenant_id = m.tenant_id AND author.id = m.author_id\n";

    private static final String READ_CONTRIBUTORS = """
            SELECT m.id, m.contributors
              FROM bank b JOIN memory m ON m.tenant_id = b.tenant_id AND m.bank_id = b.id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND m.id = ANY (CAST(:origins AS uuid[])) AND %s
               FOR SHARE OF m
            """.formatted(READABLE);

    private static final String FIND_HOLDER = """
            SELECT m.id, m.author_id, m.revision, m.contributors && %s AS hidden
              FROM bank b JOIN memory m ON m.tenant_id = b.tenant_id AND m.bank_id = b.id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND m.name_key = :key AND m.deleted_at IS NULL
               FOR UPDATE OF m
            """.formatted(CENSORED);

    private static final String INSERT = """
            WITH m AS (INSERT INTO memory (tenant_id, bank_id, id, name, name_key, text, tags, author_id,
                                           contributors, derived_from, created_at, updated_at)
                       VALUES (:tenant, :bank, :id, :name, :key, :text, COALESCE(CAST(:tags AS text[]), '{}'), :author,
                               :contributors, COALESCE(CAST(:origins AS uuid[]), '{}'), :now, :now)
                       ON CONFLICT (tenant_id, bank_id, name_key) WHERE deleted_at IS NULL DO NOTHING
                       RETURNING *)
            SELECT %s AS record FROM m %s
            """.formatted(RECORD, AUTHOR);

    private static final String REPLACE = """
            WITH m AS (UPDATE memory
                          SET text = :text, tags = COALESCE(CAST(:tags AS text[]), tags),
                              derived_from = COALESCE(CAST(:origins AS uuid[]), derived_from),
                              contributors = ARRAY(SELECT unnest(contributors) UNION SELECT unnest(:contributors)),
                              revision = revision + 1, updated_at = :now
                        WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
                    RETURNING *)
            SELECT %s AS record FROM m %s
            """.formatted(RECORD, AUTHOR);

    private final Db db;

    public MemoryStore(Db db) {
        this.db = db;
    }

    /** What is to be stored; null tags and origins leave those of a replaced memory as they are. */
    public record Draft(
            @Nullable Name name,
            String text,
            @Nullable List<String> tags,
            @Nullable List<UUID> origins) {}

    /** The memory that holds a name. */
    public record Holder(UUID id, long author, long revision, boolean hidden) {}

    /** What hides a new memory from its readers: the whole bank is censored, or its author in this bank. */
    public record Censorship(boolean bank, boolean author) {
        public boolean any() {
            return bank || author;
        }
    }

    public Censorship censorship(Call call, BankStore.Held bank, Ref author) {
        return db.sql(call, """
                SELECT b.censored_at IS NOT NULL AS bank,
                       EXISTS (SELECT 1 FROM bank_censor c
                                WHERE c.tenant_id = b.tenant_id AND c.bank_id = b.id AND c.agent_id = :author) AS author
                  FROM bank b
                 WHERE b.tenant_id = :tenant AND b.id = :bank
                """)
                .set("bank", bank.id())
                .set("author", author.id())
                .one(row -> new Censorship(row.flag("bank"), row.flag("author")))
                .orElseThrow();
    }

    /**
     * Whoever wrote a part of the origins.
     *
     * @throws Problem {@code not_found} for an origin that readers are not shown
     */
    public List<Long> contributors(Call call, BankStore.Held bank, List<UUID> origins) {
        record Origin(UUID id, List<Long> contributors) {}
        var found = db.sql(call, READ_CONTRIBUTORS)
                .set("bank", bank.id())
                .set("origins", origins)
                .list(row -> new Origin(UUID.fromString(row.text("id")), row.numbers("contributors")));
        for (var origin : origins) {
            if (found.stream().noneMatch(memory -> memory.id().equals(origin))) {
                throw Problem.notFound("memory", origin.toString(), List.of());
            }
        }
        return found.stream()
                .flatMap(memory -> memory.contributors().stream())
                .distinct()
                .toList();
    }

    /** The memory that holds the name, locked. */
    public Optional<Holder> holder(Call call, BankStore.Held bank, Name name) {
        return db.sql(call, FIND_HOLDER)
                .set("bank", bank.id())
                .set("key", name.key())
                .one(row -> new Holder(
                        UUID.fromString(row.text("id")),
                        row.number("author_id"),
                        row.number("revision"),
                        row.flag("hidden")));
    }

    /** Takes the name from a hidden memory, so that another one may hold it. */
    public void release(Call call, BankStore.Held bank, Holder holder) {
        db.sql(call, """
                UPDATE memory SET name_key = NULL WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
                """).set("bank", bank.id()).set("id", holder.id()).run();
    }

    /**
     * Stores a new memory; nothing when somebody else was quicker to take its name.
     *
     * @param holds whether it holds its name
     */
    public Optional<Memory> insert(
            Call call, BankStore.Held bank, Ref author, Draft draft, List<Long> contributors, boolean holds) {
        var memory = with(call, bank, draft, contributors, INSERT)
                .set("id", UUID.randomUUID())
                .set("name", draft.name())
                .set("key", draft.name() == null || !holds ? null : draft.name().key())
                .set("author", author.id())
                .one(MemoryStore::record);
        memory.ifPresent(_ -> call.created(Scope.MEMORIES, 1));
        return memory;
    }

    /** Replaces the text of a memory that the transaction holds. */
    public Memory replace(Call call, BankStore.Held bank, Holder holder, Draft draft, List<Long> contributors) {
        return with(call, bank, draft, contributors, REPLACE)
                .set("id", holder.id())
                .one(MemoryStore::record)
                .orElseThrow();
    }

    private Statement with(Call call, BankStore.Held bank, Draft draft, List<Long> contributors, String statement) {
        return db.sql(call, statement)
                .set("bank", bank.id())
                .set("text", draft.text())
                .set("tags", draft.tags())
                .set("origins", draft.origins())
                .set("contributors", contributors);
    }

    private static Memory record(Row row) throws SQLException {
        return Objects.requireNonNull(row.json("record", Memory.class));
    }
}
