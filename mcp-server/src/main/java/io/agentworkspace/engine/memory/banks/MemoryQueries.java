package io.agentworkspace.engine.memory.banks;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.agentworkspace.engine.kernel.access.BankPermissionRow;
import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.context.TagQueries;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListPosition;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.memory.banks.use.MemoryUse;
import io.agentworkspace.engine.memory.banks.use.MemoryUseRow;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads memories. */
public final class MemoryQueries {
    /**
     * The size of working memory in tokens. It takes the pinned and the newest memories that fit, each
     * counted by {@link #TOKEN_CHARACTERS}.
     */
    static final int WORKING_TOKENS = 4_000;

    static final int TOKEN_CHARACTERS = 4;

    private static final String NAMED = MemoryVisibility.readable("m", "b") + " AND m.name_key = :name";

    private static final String OF_ID = MemoryVisibility.readable("m", "b") + " AND m.id = CAST(:id AS uuid)";

    /** How many memories one call looks at, in the order of the list. */
    private static final int LOOKED_AT = 10_000;

    /** Returns the listed memories. */
    private static String listed(String at) {
        return SqlTemplate.of("""
                ({current} AND {has_tags}
                 AND (CAST(:author AS text) IS NULL
                      OR m.author_id IN (SELECT w.id FROM agent w WHERE w.tenant_id = :tenant AND w.name_key = :author)))
                """)
                .with("current", MemoryVisibility.current("m", "b", at))
                .with("has_tags", TagQueries.hasAll("m.tags"))
                .sql();
    }

    /**
     * Returns the memories that one call looks at, numbered in the order of the list. The plain condition on the time lets the
     * planner use an index.
     */
    private static String next(String memories) {
        return SqlTemplate.of("""
                (SELECT m.*, row_number() OVER (ORDER BY m.created_at DESC, m.id DESC) AS place
                   FROM {memories}
                  WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND m.deleted_at IS NULL
                    AND m.created_at <= COALESCE(CAST(:before AS timestamptz), 'infinity')
                    AND (CAST(:before AS timestamptz) IS NULL
                         OR (m.created_at, m.id) < (CAST(:before AS timestamptz), CAST(:before_id AS uuid)))
                  ORDER BY m.created_at DESC, m.id DESC
                  LIMIT {looked_at}) m
                """)
                .with("memories", memories)
                .with("looked_at", Integer.toString(LOOKED_AT))
                .sql();
    }

    /** The condition for the last of the memories that one call looks at. */
    private static final String LAST_LOOKED_AT = "m.place = " + LOOKED_AT;

    /** The names next to the given one in alphabetical order, of those that readers can see: hidden ones do not fill the limit. */
    private static final String VISIBLE_NAMES = SqlTemplate.of("""
            SELECT m.name
              FROM bank b
              CROSS JOIN LATERAL ({before} UNION ALL {after}) m
             WHERE b.tenant_id = :tenant AND b.name_key = :key AND b.deleted_at IS NULL
            """)
            .with("before", neighbours("<", "DESC"))
            .with("after", neighbours(">", "ASC"))
            .sql();

    private static String neighbours(String side, String order) {
        return SqlTemplate.of("""
                (SELECT m.name
                   FROM memory m
                  WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND m.deleted_at IS NULL AND {readable}
                    AND m.name_key {side} CAST(:name AS text)
                  ORDER BY m.name_key {order}
                  LIMIT 1000)
                """)
                .with("readable", MemoryVisibility.readable("m", "b"))
                .with("side", side)
                .with("order", order)
                .sql();
    }

    /**
     * Returns what is short enough to be loaded.
     *
     * @param read the condition of the memories of which the newest are looked at
     * @param kind the condition of those that are wanted among them
     */
    private static String fitting(String read, String kind) {
        return SqlTemplate.of("""
                (SELECT m.*, CAST(NULL AS uuid) AS superseder, b.name AS bank_name,
                        (char_length(m.text) + :characters - 1) / :characters AS tokens
                   FROM (SELECT m.*
                           FROM memory m
                          WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND m.deleted_at IS NULL AND {read}
                          ORDER BY m.created_at DESC, m.id DESC
                          LIMIT {looked_at}) m
                  WHERE {kind} AND {current} AND char_length(m.text) <= :tokens * :characters
                  ORDER BY m.created_at DESC, m.id DESC
                  LIMIT :tokens)
                """)
                .with("read", read)
                .with("kind", kind)
                .with("looked_at", Integer.toString(LOOKED_AT))
                .with("current", MemoryVisibility.current("m", "b"))
                .sql();
    }

    private static final String READ_WORKING_MEMORY = "WITH " + loadable("bank b", "b.id = :bank");

    /**
     * @param from the FROM list with the bank {@code b}
     * @param condition the condition that selects it
     */
    private static String loadable(String from, String condition) {
        return SqlTemplate.of("""
                fit AS (
                    SELECT fit.*
                      FROM {from} CROSS JOIN LATERAL ({pinned} UNION ALL {others}) fit
                     WHERE b.tenant_id = :tenant AND {condition}),
                summed AS (SELECT fit.*, sum(tokens) OVER (ORDER BY pinned DESC, created_at DESC, id DESC) AS total FROM fit)
                SELECT m.bank_id, {memory}
                  FROM summed m {join_writers}
                 WHERE m.total <= :tokens
                 ORDER BY m.pinned DESC, m.created_at DESC, m.id DESC
                """)
                .with("from", from)
                .with("condition", condition)
                .with("pinned", fitting("m.pinned", "true"))
                .with("others", fitting("true", "NOT m.pinned"))
                .with("memory", MemoryRow.columns("m.bank_name"))
                .with("join_writers", MemoryRow.WRITERS)
                .sql();
    }

    /** The read for the present, and the one for a time in the past. */
    private record Reads(String now, String then) {
        String at(@Nullable Instant time) {
            return time == null ? now : then;
        }
    }

    public static final String READ_BANK = BankPermissionRow.SUBJECT
            + SqlTemplate.of("""
            SELECT b.id, b.name, b.description, {whole}, b.access,
                   o.name AS owner, CASE WHEN b.censored_at IS NULL THEN 'active' ELSE 'censored' END AS state, b.revision,
                   b.created_at, b.updated_at, {permission},
                   CASE WHEN permit.permission = 'none' THEN 0 ELSE {memories} END AS memories
              FROM s, bank b {join_owner}, {permit}
             WHERE b.tenant_id = :tenant AND b.name_key = :key AND {visible_bank}
            """)
                    .with("whole", SqlTemplate.WHOLE)
                    .with("permission", BankPermissionRow.COLUMNS)
                    .with("join_owner", Visibility.owner("b"))
                    .with("permit", BankPermissionRow.PERMIT)
                    .with("memories", BankStore.MEMORIES)
                    .with("visible_bank", Visibility.bank("b"))
                    .sql();

    private static final String READ_BANK_AND_WORKING_MEMORY = String.join(
            ";\n", READ_BANK, "WITH " + loadable("bank b", "b.name_key = :key AND " + Visibility.bank("b")));

    private static final String NO_USE = "CAST(NULL AS jsonb)";

    private static final Reads READ_LISTED = new Reads(
            selecting(next("memory m"), listed(":now"), LAST_LOOKED_AT, MemoryUseRow.SUMS),
            selecting(next(RevisionStore.PAST), listed(":as_of"), LAST_LOOKED_AT, NO_USE));

    private static final String READ_UNUSED = selecting(
            next("memory m"), listed(":now") + " AND " + MemoryUseRow.UNUSED, LAST_LOOKED_AT, MemoryUseRow.SUMS);

    private static final Reads READ_NAMED = anytime(NAMED);

    private static final Reads READ_OF_ID = anytime(OF_ID);

    private static Reads anytime(String condition) {
        return new Reads(
                selecting("memory m", condition, "false", MemoryUseRow.WHOLE),
                selecting(RevisionStore.PAST, condition, "false", NO_USE));
    }

    /**
     * The text is left out of those that do not fit into the response.
     *
     * @param memories the source of the memories {@code m}
     * @param condition the condition that selects them
     * @param last the condition for one more memory to select: the next page begins after it
     * @param use the expression of its use
     */
    private static String selecting(String memories, String condition, String last, String use) {
        return String.join(
                ";\n",
                READ_BANK,
                BankPermissionRow.SUBJECT
                        + SqlTemplate.of("""
                SELECT m.bank_id, m.is_match, m.is_last, {use} AS use, {memory}
                  FROM (SELECT page.*, b.name AS bank_name, sum(octet_length(page.text)) OVER newest - octet_length(page.text) AS ahead
                          FROM bank b CROSS JOIN LATERAL (
                              SELECT m.*, {superseder} AS superseder, {condition} AS is_match, {last} AS is_last
                                FROM {memories}
                               WHERE m.tenant_id = :tenant AND m.bank_id = b.id AND ({condition} OR {last})
                               ORDER BY m.created_at DESC, m.id DESC
                               LIMIT :limit + 1) page
                         WHERE b.tenant_id = :tenant AND b.name_key = :key AND {visible_bank}
                        WINDOW newest AS (ORDER BY page.created_at DESC, page.id DESC)) m
                       {join_writers}
                 ORDER BY m.created_at DESC, m.id DESC
                """)
                                .with("superseder", MemoryVisibility.superseder("m", MemoryVisibility.censored("b")))
                                .with("visible_bank", Visibility.bank("b"))
                                .with("memories", memories)
                                .with("condition", condition)
                                .with("last", last)
                                .with("use", use)
                                .with(
                                        "memory",
                                        MemoryRow.columns(
                                                "", "m.bank_name", "CASE WHEN m.ahead <= :room THEN m.text END"))
                                .with("join_writers", MemoryRow.WRITERS)
                                .sql());
    }

    private final Db db;
    private final BankStore banks;

    public MemoryQueries(Db db, BankStore banks) {
        this.db = db;
        this.banks = banks;
    }

    /**
     * A selection of a bank's memories: by name, by id, or by all the given tags and the given author.
     *
     * @param asOf the time whose state is shown; null for now
     * @param unusedSince only those that no search has returned since this time; null for all
     */
    record MemoryFilter(
            @Nullable MemoryName name,
            @Nullable UUID id,
            List<String> tags,
            @Nullable Name author,
            @Nullable Instant asOf,
            @Nullable Instant unusedSince) {
        private String reading() {
            var reads = name != null ? READ_NAMED : id != null ? READ_OF_ID : READ_LISTED;
            return unusedSince == null ? reads.at(asOf) : READ_UNUSED;
        }
    }

    /** A bank, its memories, newest first, and the use of those that were found. */
    record BankWithMemories(Bank bank, ListSlice<Memory> memories, List<MemoryUse> use) {}

    /**
     * Returns the bank and the selected memories, in one round trip. Reading stops after as many bytes
     * of text as fit into the response.
     *
     * @throws Problem {@code not_found}, {@code not_permitted}
     */
    BankWithMemories read(Call call, Name bank, MemoryFilter filter, @Nullable Page page) {
        var limit = Page.limit(page);
        var keys = Page.after(page, 3);
        var before = ListPosition.of(keys);
        var found = db.sql(call, filter.reading())
                .set("key", bank.key())
                .set("id", filter.id())
                .set("as_of", filter.asOf())
                .set("unused_since", filter.unusedSince())
                .set("name", filter.name() == null ? null : filter.name().key())
                .set("tags", TagQueries.patterns(filter.tags()))
                .set("author", filter.author() == null ? null : filter.author().key())
                .set("before", before.at() == null ? filter.unusedSince() : before.at())
                .set("before_id", before.id())
                .set("limit", limit)
                .all(results -> found(call, results, limit, keys))
                .orElseThrow(() -> banks.missing(call, bank));
        if (found.memories().rows().isEmpty() && filter.name() != null) {
            throw missing(call, bank, filter.name());
        }
        if (found.memories().rows().isEmpty() && filter.id() != null) {
            throw Problem.notFound("memory", filter.id().toString(), List.of());
        }
        return found;
    }

    private static Optional<BankWithMemories> found(Call call, Statement.Results results, int limit, List<String> keys)
            throws SQLException {
        var read = readBank(call, results);
        if (read.isEmpty()) {
            return Optional.empty();
        }
        Cursor.requireSame(keys, read.get().id());
        var all = results.list(row -> Listed.read(row, read.get())).stream()
                // Another bank may have got the name between the two statements.
                .filter(each -> each.bank() == read.get().id())
                .toList();
        var matches = all.stream().filter(Listed::isMatch).toList();
        var fitting = matches.stream()
                .map(Listed::memory)
                .takeWhile(Optional::isPresent)
                .flatMap(Optional::stream)
                .toList();
        var page = fitting.subList(0, Math.min(limit, fitting.size()));
        var slice = ListSlice.of(
                call,
                page,
                page.size() < matches.size(),
                last -> Cursor.of(
                        Long.toString(read.get().id()), last.createdAt().toString(), last.id()));
        var next = slice.nextCursor() != null || all.isEmpty()
                ? slice.nextCursor()
                : all.getLast().continuing();
        var shown = slice.rows().stream().map(Memory::id).collect(Collectors.toSet());
        var use = matches.stream()
                .map(Listed::use)
                .filter(Objects::nonNull)
                .filter(each -> shown.contains(each.id()))
                .toList();
        use.forEach(call.budget()::spend);
        return Optional.of(new BankWithMemories(read.get().bank(), new ListSlice<>(slice.rows(), next), use));
    }

    /**
     * @param isMatch false for one that only shows where the next page begins
     * @param continuing the cursor of the next page if the call looks no further than this one
     * @param memory empty if it is not wanted, or if there is no room for it
     */
    private record Listed(
            long bank,
            boolean isMatch,
            @Nullable String continuing,
            Optional<Memory> memory,
            @Nullable MemoryUse use) {
        static Listed read(Row row, ReadBank bank) throws SQLException {
            var isMatch = row.flag("is_match");
            return new Listed(
                    row.number("bank_id"),
                    isMatch,
                    row.flag("is_last")
                            ? Cursor.of(
                                    Long.toString(bank.id()),
                                    Objects.requireNonNull(row.instantOrNull("created_at"))
                                            .toString(),
                                    row.text("id"))
                            : null,
                    isMatch && row.textOrNull("text") != null ? Optional.of(row.as(Memory.class)) : Optional.empty(),
                    row.json("use", MemoryUse.class));
        }
    }

    /** The bank's row, and what the caller may do there. */
    public record ReadBank(
            long id,
            BankPermissionRow permission,
            @JsonUnwrapped Bank bank) {}

    /** Returns the bank, which is part of the response. Empty if the caller cannot see it. */
    public static Optional<ReadBank> readBank(Call call, Statement.Results results) throws SQLException {
        var read = results.next(row -> row.as(ReadBank.class));
        read.ifPresent(each -> {
            BankAccess.requireRead(call, each.permission());
            call.budget().spend(each.bank());
        });
        return read;
    }

    /** Returns the refusal for an unknown memory, with similar names in the bank. */
    private Problem missing(Call call, Name bank, MemoryName name) {
        var names = db.sql(call, VISIBLE_NAMES)
                .set("key", bank.key())
                .set("name", name.key())
                .list(row -> row.text("name"));
        return Problem.notFound("memory", name.text(), Near.nearest(name.text(), names, 3));
    }

    /** The memories of working memory, pinned ones first, then newest first, with their estimated tokens. */
    record Working(List<Memory> memories, long tokens) {}

    /**
     * Returns the pinned and then the newest memories of the bank that fit together, of the 10,000 newest pinned ones and the
     * 10,000 newest of all. A memory that is too long on its own is skipped.
     */
    Working working(Call call, BankStore.LockedBank bank) {
        return working(
                call,
                db.sql(call, READ_WORKING_MEMORY)
                        .set("bank", bank.id())
                        .set("characters", TOKEN_CHARACTERS)
                        .set("tokens", WORKING_TOKENS)
                        .list(row -> row.as(Memory.class)));
    }

    /** A bank, and what an agent would load of it. */
    record WorkingPreview(Bank bank, Working working) {}

    /**
     * Returns the same without attaching the bank, in one round trip.
     *
     * @throws Problem {@code not_found}, {@code not_permitted}
     */
    WorkingPreview preview(Call call, Name bank) {
        return db.sql(call, READ_BANK_AND_WORKING_MEMORY)
                .set("key", bank.key())
                .set("characters", TOKEN_CHARACTERS)
                .set("tokens", WORKING_TOKENS)
                .all(results -> previewed(call, results))
                .orElseThrow(() -> banks.missing(call, bank));
    }

    private static Optional<WorkingPreview> previewed(Call call, Statement.Results results) throws SQLException {
        var read = readBank(call, results);
        if (read.isEmpty()) {
            return Optional.empty();
        }
        var memories = results
                .list(row -> row.number("bank_id") == read.get().id()
                        ? Optional.of(row.as(Memory.class))
                        // Another bank may have got the name between the two statements.
                        : Optional.<Memory>empty())
                .stream()
                .flatMap(Optional::stream)
                .toList();
        return Optional.of(new WorkingPreview(read.get().bank(), working(call, memories)));
    }

    /**
     * Also applies the limit of the response's size: many short memories need more bytes for names and ids than for texts.
     */
    private static Working working(Call call, List<Memory> memories) {
        var page = call.budget().fit(memories);
        var tokens = page.stream()
                .mapToLong(memory -> Math.ceilDiv(
                        memory.text().codePointCount(0, memory.text().length()), TOKEN_CHARACTERS))
                .sum();
        return new Working(page, tokens);
    }
}
