package io.agentworkspace.engine.memory.search.index;

import java.time.Instant;
import java.util.List;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.Query;
import org.jspecify.annotations.Nullable;

/**
 * What can hide a memory from readers, in the index of its bank.
 *
 * @param contributors the agents who wrote it; if one is censored, it is hidden
 * @param supersededAt null if no memory supersedes it, or only a deleted one
 * @param superseders the contributors of the superseding memory; if one is censored, that memory supersedes nothing
 */
public record Hiding(
        List<Long> contributors,
        @Nullable Instant expiresAt,
        @Nullable Instant supersededAt,
        List<Long> superseders) {
    public static final Hiding NONE = new Hiding(List.of(), null, null, List.of());

    private static final String CONTRIBUTOR = "c";
    private static final String EXPIRES = "e";
    private static final String SUPERSEDED = "o";
    private static final String SUPERSEDER = "p";

    public void addTo(Document document) {
        contributors.forEach(agent -> document.add(new LongPoint(CONTRIBUTOR, agent)));
        if (expiresAt != null) {
            document.add(new LongPoint(EXPIRES, expiresAt.toEpochMilli()));
        }
        if (supersededAt != null) {
            document.add(new LongPoint(SUPERSEDED, supersededAt.toEpochMilli()));
            superseders.forEach(agent -> document.add(new LongPoint(SUPERSEDER, agent)));
        }
    }

    /**
     * Finds the memories that readers do not see, as the conditions of {@code MemoryVisibility} do.
     *
     * @param censored the agents that are censored in the bank
     * @param asOf a time in the past; null for now
     */
    public static Query hidden(List<Long> censored, Instant now, @Nullable Instant asOf) {
        var at = asOf == null ? now : asOf;
        var superseded = new BooleanQuery.Builder()
                .add(until(SUPERSEDED, asOf == null ? Long.MAX_VALUE : at.toEpochMilli()), Occur.FILTER)
                .add(LongPoint.newSetQuery(SUPERSEDER, censored), Occur.MUST_NOT)
                .build();
        var hidden = new BooleanQuery.Builder()
                .add(LongPoint.newSetQuery(CONTRIBUTOR, censored), Occur.SHOULD)
                .add(until(EXPIRES, at.toEpochMilli()), Occur.SHOULD)
                .add(superseded, Occur.SHOULD);
        if (asOf != null) {
            hidden.add(
                    LongPoint.newRangeQuery(BankIndex.UPDATED, Math.addExact(at.toEpochMilli(), 1), Long.MAX_VALUE),
                    Occur.SHOULD);
        }
        return hidden.build();
    }

    private static Query until(String field, long last) {
        return LongPoint.newRangeQuery(field, Long.MIN_VALUE, last);
    }
}
