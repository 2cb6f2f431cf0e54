package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.scheduling.Cancellation;
import io.agentworkspace.engine.memory.facts.Claim;
import io.agentworkspace.engine.memory.facts.Replaced;
import io.agentworkspace.engine.memory.search.SearchResult.FoundMemory;
import io.agentworkspace.engine.memory.search.SearchResult.ScoredMemory;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Puts a correction before the first hit if that one still says what the correction superseded, and again if the correction in turn
 * says what another one superseded. All are in one bank, and the query found them. The correction then has at least the score of the
 * other one.
 */
final class Corrections {
    /** How much of the superseded sentence the hit must have. */
    private static final double SAID = 0.8;

    private static final int MOST = 10;

    /** So many corrections are put first, one after the other. */
    private static final int TIMES = 3;

    private final CorrectionQueries queries;

    Corrections(CorrectionQueries queries) {
        this.queries = queries;
    }

    /**
     * Returns the hits in their new order. Only where one of them supersedes a memory is the database asked.
     *
     * @param hits in the order of their scores
     * @param asHit makes a hit of a memory that another one stands for, since the two are nearly the same
     */
    List<ScoredMemory> first(
            Call call, List<ScoredMemory> hits, @Nullable Instant asOf, Function<FoundMemory, ScoredMemory> asHit) {
        var ordered = hits;
        for (var time = 0; time < TIMES && !ordered.isEmpty(); time++) {
            var correction = correction(call, ordered, asOf);
            if (correction.isEmpty()) {
                break;
            }
            ordered = reordered(ordered, correction.get(), asHit);
        }
        return ordered;
    }

    private Optional<FoundMemory> correction(Call call, List<ScoredMemory> hits, @Nullable Instant asOf) {
        var first = hits.getFirst();
        var corrections = found(hits.stream().filter(hit -> hit.replacedBy() == null))
                .filter(each -> each.memory().supersedes() != null && each != first.found())
                .filter(each -> bank(each) == bank(first.found()))
                .limit(MOST)
                .toList();
        return corrections.isEmpty() ? Optional.empty() : correction(call, first, corrections, asOf);
    }

    private static Stream<FoundMemory> found(Stream<ScoredMemory> hits) {
        return hits.flatMap(hit -> Stream.concat(Stream.of(hit.found()), hit.also().stream()));
    }

    private static long bank(FoundMemory found) {
        return found.candidate().found().place().bank();
    }

    private static UUID id(FoundMemory found) {
        return found.candidate().found().place().id();
    }

    private Optional<FoundMemory> correction(
            Call call, ScoredMemory first, List<FoundMemory> corrections, @Nullable Instant asOf) {
        var ids = corrections.stream().map(Corrections::id).toList();
        var said = Claim.of(first.memory().text());
        for (var replaced :
                queries.replaced(call, first.found().candidate().found().place(), ids, asOf)) {
            Cancellation.checkCurrent();
            var by = corrections.stream()
                    .filter(each -> id(each).equals(replaced.superseder()))
                    .findFirst();
            if (by.isPresent() && isSaid(replaced.text(), by.get().memory().text(), said)) {
                return by;
            }
        }
        return Optional.empty();
    }

    private static boolean isSaid(String old, String corrected, List<Claim> said) {
        return Replaced.of(Claim.of(old), Claim.of(corrected)).saidBy(said) >= SAID;
    }

    private static List<ScoredMemory> reordered(
            List<ScoredMemory> hits, FoundMemory correction, Function<FoundMemory, ScoredMemory> asHit) {
        var stale = hits.getFirst();
        var reordered = new ArrayList<ScoredMemory>();
        var own = hits.stream().filter(hit -> hit.found() == correction).findFirst();
        reordered.add(own.orElseGet(() -> asHit.apply(correction)).withScore(stale.score()));
        reordered.add(stale.without(correction).replacedBy(correction.memory().id()));
        hits.stream()
                .skip(1)
                .filter(hit -> hit.found() != correction)
                .forEach(hit -> reordered.add(hit.without(correction)));
        return List.copyOf(reordered);
    }
}
