package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.search.SearchResult.ScoredMemory;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adds to hits that are turns of a conversation what was said directly before and after them, as far as there is room. */
final class Surroundings {
    private static final int CHARACTERS = 600;

    private final NeighbourQueries neighbours;

    Surroundings(NeighbourQueries neighbours) {
        this.neighbours = neighbours;
    }

    /**
     * What restricts a search, and so also what is shown beside its hits.
     *
     * @param authors whose memories are shown; null for all
     */
    record Bounds(
            @Nullable List<Long> authors,
            @Nullable Instant since,
            @Nullable Instant until) {}

    /** @param room for characters of text, beside those of the hits */
    List<Hit> around(Call call, Bounds bounds, List<ScoredMemory> found, List<Hit> hits, int room) {
        var turns = found.stream()
                .filter(each -> each.memory().source().speaker() != null)
                .map(each -> each.found().candidate().found().place())
                .toList();
        if (turns.isEmpty()) {
            return hits;
        }
        var shown = new HashSet<>(hits.stream().map(Hit::id).toList());
        var left = room;
        var around = new HashMap<String, List<Hit.Around>>();
        var all = neighbours.of(call, bounds, turns, CHARACTERS + 1);
        for (var hit : hits) {
            for (var each : all) {
                if (!each.of().equals(hit.id()) || shown.contains(each.id())) {
                    continue;
                }
                var text = Excerpt.cut(each.text(), CHARACTERS);
                if (text.length() <= left) {
                    left -= text.length();
                    shown.add(each.id());
                    around.computeIfAbsent(hit.id(), _ -> new ArrayList<>())
                            .add(new Hit.Around(each.id(), each.isBefore(), each.speaker(), each.time(), text));
                }
            }
        }
        return hits.stream().map(hit -> hit.with(around.get(hit.id()))).toList();
    }
}
