package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.kernel.text.TextLikeness;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the memories of a bank that have nearly the same text as one that is being stored. Their sketches have numbers in
 * common, which an index finds; then the texts are compared.
 */
final class SimilarStore {
    /** The maximum number of memories that are returned. */
    static final int MOST = 3;

    /** The share of neighbouring words that both texts must have. */
    private static final double LEAST = 0.5;

    /** So many memories of a bank have the same number in their sketches. Further ones leave it out, so no text is dearer than others. */
    private static final int OF_ONE_NUMBER = 10;

    /** How many of the memories with the most common numbers may be current, and how many of those are compared. */
    private static final int RANKED = 20;

    private static final int COMPARED = 6;

    private static final int CHARACTERS = 160;

    /** How many sketches one transaction makes. */
    private static final int PORTION = 20;

    private static final String NEAR = """
            WITH near AS MATERIALIZED (
                SELECT x.*, ARRAY(SELECT unnest(x.sketch) INTERSECT SELECT unnest(CAST(:sketch AS bigint[]))) AS common
                  FROM memory x
                 WHERE x.tenant_id = :tenant AND x.sketch && CAST(:sketch AS bigint[]) AND x.sketch <> '{}'
                   AND x.deleted_at IS NULL AND x.superseded_by IS NULL)
            """;

    /** The sketch without the numbers that enough memories have. */
    private static final String INDEXED = """
            ARRAY(SELECT s.number
                    FROM unnest(CAST(:sketch AS bigint[])) s (number)
                   WHERE (SELECT count(*) FROM near WHERE s.number = ANY(near.common)) < :of_one_number)
            """;

    private static final String FIND = NEAR
            + SqlTemplate.of("""
            SELECT {indexed} AS indexed, m.id, m.name, m.text
              FROM (VALUES (1)) one (row) LEFT JOIN (
                   SELECT m.*
                     FROM (SELECT * FROM near ORDER BY cardinality(common) DESC, created_at LIMIT :ranked) m
                     JOIN bank b ON b.tenant_id = m.tenant_id AND b.id = m.bank_id
                    WHERE b.tenant_id = :tenant AND b.id = :bank AND {current}
                    ORDER BY cardinality(m.common) DESC, m.created_at
                    LIMIT :compared) m ON true
            """)
                    .with("indexed", INDEXED)
                    .with("current", MemoryVisibility.current("m", "b"))
                    .sql();

    private static final String COMPLETE =
            NEAR + SqlTemplate.of("""
            UPDATE memory SET sketch = {indexed} WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
            """).with("indexed", INDEXED).sql();

    private static final String NEXT_TENANT =
            "SELECT COALESCE(min(tenant_id), 0) AS next FROM memory WHERE sketch IS NULL AND tenant_id > :after";

    private static final String CLAIM = """
            SELECT m.bank_id, m.id, m.text
              FROM memory m
             WHERE m.tenant_id = :tenant AND m.sketch IS NULL
             LIMIT :limit
               FOR NO KEY UPDATE OF m SKIP LOCKED
            """;

    private final Db db;
    private final Function<String, TextLikeness> analysis;

    /** @param analysis of a text */
    public SimilarStore(Db db, Function<String, TextLikeness> analysis) {
        this.db = db;
        this.analysis = analysis;
    }

    /** A memory with nearly the same text. */
    public record Similar(
            @Doc("Its id.") String id,

            @Doc("Its name, if it has one.") @Nullable String name,

            @Doc("How much of the text is the same, from 0 to 1.")
            double score,

            @Doc("The first 160 characters of its text.") String text) {}

    TextLikeness likeness(String text) {
        return analysis.apply(text);
    }

    /**
     * What a bank has of a text that is being stored.
     *
     * @param similar the memories that readers of the bank see, the most similar first
     * @param sketch what the index gets for the text
     */
    record Found(List<Similar> similar, List<Long> sketch) {}

    Found find(Call call, long bank, TextLikeness text) {
        var sketch = text.sketch(bank);
        if (sketch.isEmpty()) {
            return new Found(List.of(), sketch);
        }
        record Near(@Nullable Similar similar, List<Long> indexed) {}
        var near = db.sql(call, FIND)
                .set("bank", bank)
                .set("sketch", sketch)
                .set("of_one_number", OF_ONE_NUMBER)
                .set("ranked", RANKED)
                .set("compared", COMPARED)
                .list(row -> new Near(similar(text, row), row.numbers("indexed")));
        return new Found(
                near.stream()
                        .map(Near::similar)
                        .filter(Objects::nonNull)
                        .filter(each -> each.score() >= LEAST)
                        .sorted(Comparator.comparingDouble(Similar::score).reversed())
                        .toList(),
                near.getFirst().indexed());
    }

    private @Nullable Similar similar(TextLikeness text, Row row) throws SQLException {
        var other = row.textOrNull("text");
        return other == null
                ? null
                : new Similar(
                        row.text("id"),
                        row.textOrNull("name"),
                        rounded(text.to(likeness(other))),
                        Excerpt.cut(other, CHARACTERS));
    }

    private static double rounded(double score) {
        return Math.round(score * 1_000) / 1_000.0;
    }

    private record Unsketched(long bank, UUID id, String text) {}

    /** Makes the sketches that are missing: of memories that were loaded, imported or appended to, or come from an earlier version. */
    public void complete() {
        var tenants = LongStream.iterate(next(0), tenant -> tenant > 0, this::next)
                .boxed()
                .toList();
        try {
            TenantTurns.take(
                    tenants,
                    tenant -> completePortion(tenant) == PORTION
                            && !Thread.currentThread().isInterrupted());
        } finally {
            db.mergeNewEntries("memory_sketch");
        }
    }

    /** Returns the next tenant with memories without a sketch; zero behind the last one. */
    private long next(long after) {
        return db.sql(NEXT_TENANT)
                .set("after", after)
                .one(row -> row.number("next"))
                .orElseThrow();
    }

    private int completePortion(long tenant) {
        return db.transaction(() -> {
            var memories =
                    db.sql(CLAIM).set("tenant", tenant).set("limit", PORTION).list(row -> row.as(Unsketched.class));
            for (var memory : memories) {
                db.sql(COMPLETE)
                        .set("sketch", likeness(memory.text()).sketch(memory.bank()))
                        .set("of_one_number", OF_ONE_NUMBER)
                        .set("tenant", tenant)
                        .set("bank", memory.bank())
                        .set("id", memory.id())
                        .quiet()
                        .run();
            }
            return memories.size();
        });
    }
}
