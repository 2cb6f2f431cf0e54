package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.access.MemoryVisibility;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.memory.words.TextLikeness;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the memories of a bank that have nearly the same text as one that is being stored, by their sketches. Where enough memories
 * have a sketch already, another one gets none: they are found instead, and looking stays quick in a bank of equal lines.
 */
public final class SimilarStore {
    /** The maximum number of memories that are returned. */
    static final int MOST = 3;

    /** The share of neighbouring words that both texts must have. */
    private static final double LEAST = 0.5;

    /** How many memories with one of a sketch's numbers are compared. */
    private static final int CANDIDATES = 16;

    private static final int CHARACTERS = 160;

    /** How many sketches of earlier, loaded and imported memories one transaction makes. */
    private static final int PORTION = 50;

    /** Its own level, so that the index of sketches is used, whatever the tables are like. */
    private static final String FIND = SqlTemplate.of("""
            SELECT m.id, m.name, m.text
              FROM (SELECT * FROM memory x
                     WHERE x.tenant_id = :tenant AND x.sketch && CAST(:sketch AS bigint[]) AND x.sketch <> '{}'
                    OFFSET 0) m
              JOIN bank b ON b.tenant_id = m.tenant_id AND b.id = m.bank_id
             WHERE b.tenant_id = :tenant AND b.id = :bank AND {current}
             LIMIT :limit
            """)
            .with("current", MemoryVisibility.current("m", "b"))
            .sql();

    private static final String CLAIM = """
            SELECT m.tenant_id, m.bank_id, m.id, m.text
              FROM memory m
             WHERE m.sketch IS NULL
             LIMIT :limit
               FOR UPDATE SKIP LOCKED
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

    private record Candidate(String id, @Nullable String name, String text) {
        static Candidate read(Row row) throws SQLException {
            return new Candidate(row.text("id"), row.textOrNull("name"), row.text("text"));
        }
    }

    /**
     * What a bank has of a text.
     *
     * @param sketch the sketch to store with the text
     */
    record Found(List<Similar> similar, List<Long> sketch) {}

    TextLikeness likeness(String text) {
        return analysis.apply(text);
    }

    /** Returns the memories that readers of the bank see, the most similar first. */
    Found find(Call call, long bank, TextLikeness text) {
        return find(call.caller().tenant(), bank, text, call.now());
    }

    private Found find(long tenant, long bank, TextLikeness text, Instant now) {
        var sketch = text.sketch(bank);
        if (sketch.isEmpty()) {
            return new Found(List.of(), sketch);
        }
        var candidates = db.sql(FIND)
                .set("tenant", tenant)
                .set("bank", bank)
                .set("sketch", sketch)
                .set("now", now)
                .set("limit", CANDIDATES)
                .list(Candidate::read);
        var similar = candidates.stream()
                .map(each -> new Similar(
                        each.id(),
                        each.name(),
                        rounded(text.to(likeness(each.text()))),
                        Excerpt.cut(each.text(), CHARACTERS)))
                .filter(each -> each.score() >= LEAST)
                .sorted(Comparator.comparingDouble(Similar::score).reversed())
                .toList();
        return new Found(similar, candidates.size() < CANDIDATES ? sketch : List.of());
    }

    private static double rounded(double score) {
        return Math.round(score * 1_000) / 1_000.0;
    }

    private record Unsketched(long tenant, long bank, UUID id, String text) {}

    /** Makes the sketches that are missing: of memories that were loaded, imported or appended to, or come from an earlier version. */
    public void complete(Instant now) {
        while (completePortion(now) == PORTION) {
            // There may be more.
        }
    }

    private int completePortion(Instant now) {
        return db.transaction(() -> {
            var memories = db.sql(CLAIM)
                    .set("limit", PORTION)
                    .list(row -> new Unsketched(
                            row.number("tenant_id"),
                            row.number("bank_id"),
                            UUID.fromString(row.text("id")),
                            row.text("text")));
            for (var memory : memories) {
                var found = find(memory.tenant(), memory.bank(), likeness(memory.text()), now);
                db.sql(
                                "UPDATE memory SET sketch = CAST(:sketch AS bigint[]) WHERE tenant_id = :tenant AND bank_id = :bank AND id = :id")
                        .set("sketch", found.sketch())
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
