package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.text.TextLikeness;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

    /** How many memories with a common number are considered; how many of those with the most are looked at, and compared. */
    private static final int CONSIDERED = 200;

    private static final int RANKED = 24;

    private static final int COMPARED = 6;

    private static final int CHARACTERS = 160;

    /** How many sketches one transaction makes. */
    private static final int PORTION = 20;

    /** The innermost level uses the index of sketches, and ends early in a bank of many equal lines. */
    private static final String FIND = SqlTemplate.of("""
            SELECT m.id, m.name, m.text
              FROM (SELECT near.*, {common} AS common
                      FROM (SELECT *
                              FROM memory x
                             WHERE x.tenant_id = :tenant AND x.sketch && CAST(:sketch AS bigint[]) AND x.sketch <> '{}'
                               AND x.deleted_at IS NULL
                             LIMIT :considered) near
                     ORDER BY common DESC, near.superseded_by IS NOT NULL, near.created_at
                     LIMIT :ranked) m
              JOIN bank b ON b.tenant_id = m.tenant_id AND b.id = m.bank_id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND {current}
             ORDER BY m.common DESC, m.created_at
             LIMIT :compared
            """)
            .with(
                    "common",
                    IntStream.rangeClosed(1, TextLikeness.BANDS)
                            .mapToObj(
                                    "CASE WHEN near.sketch[%1$d] = (CAST(:sketch AS bigint[]))[%1$d] THEN 1 ELSE 0 END"
                                            ::formatted)
                            .collect(Collectors.joining(" + ")))
            .with("current", MemoryVisibility.current("m", "b"))
            .sql();

    private static final String CLAIM = """
            SELECT m.tenant_id, m.bank_id, m.id, m.text
              FROM memory m
             WHERE m.sketch IS NULL
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

    /** Returns the memories that readers of the bank see, the most similar first. */
    List<Similar> find(Call call, long bank, TextLikeness text) {
        var sketch = text.sketch(bank);
        if (sketch.isEmpty()) {
            return List.of();
        }
        return db
                .sql(call, FIND)
                .set("bank", bank)
                .set("sketch", sketch)
                .set("considered", CONSIDERED)
                .set("ranked", RANKED)
                .set("compared", COMPARED)
                .list(row -> new Similar(
                        row.text("id"),
                        row.textOrNull("name"),
                        rounded(text.to(likeness(row.text("text")))),
                        Excerpt.cut(row.text("text"), CHARACTERS)))
                .stream()
                .filter(each -> each.score() >= LEAST)
                .sorted(Comparator.comparingDouble(Similar::score).reversed())
                .toList();
    }

    private static double rounded(double score) {
        return Math.round(score * 1_000) / 1_000.0;
    }

    private record Unsketched(long tenant, long bank, UUID id, String text) {}

    /** Makes the sketches that are missing: of memories that were loaded, imported or appended to, or come from an earlier version. */
    public void complete() {
        while (completePortion() == PORTION && !Thread.currentThread().isInterrupted()) {
            // There may be more.
        }
        db.mergeNewEntries("memory_sketch");
    }

    private int completePortion() {
        return db.transaction(() -> {
            var memories = db.sql(CLAIM)
                    .set("limit", PORTION)
                    .list(row -> new Unsketched(
                            row.number("tenant_id"),
                            row.number("bank_id"),
                            UUID.fromString(row.text("id")),
                            row.text("text")));
            for (var memory : memories) {
                db.sql("""
                        UPDATE memory SET sketch = CAST(:sketch AS bigint[])
                         WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id
                        """)
                        .set("sketch", likeness(memory.text()).sketch(memory.bank()))
                        .set("tenant", memory.tenant())
                        .set("bank", memory.bank())
                        .set("id", memory.id())
                        .quiet()
                        .run();
            }
            return memories.size();
        });
    }
}
