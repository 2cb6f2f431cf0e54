package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.search.SearchParameters.Mode;
import io.agentworkspace.engine.memory.search.index.CurrentIndexes;
import io.agentworkspace.engine.memory.search.index.SearchScope;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/** Waits a moment for the vectors of what was just stored. */
final class FreshVectors {
    /** How often, and how long each time, a search waits. */
    private static final int FRESH_TURNS = 10;

    private static final Duration FRESH_TURN = Duration.ofMillis(30);

    private final CurrentIndexes indexes;
    private final Embedder embedder;

    FreshVectors(CurrentIndexes indexes, Embedder embedder) {
        this.indexes = indexes;
        this.embedder = embedder;
    }

    /** Returns the banks that are searched. No connection and no lock waits with it. */
    SearchScope scope(Call call, SearchParameters request) {
        var scope = indexes.scope(call, request.bank(), request.author());
        var isByMeaning = request.mode() != Mode.TEXT && embedder.isOn();
        for (var turn = 0; turn < FRESH_TURNS && isByMeaning && isAwaited(call, scope); turn++) {
            scope.close();
            embedder.hurry();
            HeavyWork.outside(FreshVectors::pause);
            scope = indexes.scope(call, request.bank(), request.author());
        }
        return scope;
    }

    private boolean isAwaited(Call call, SearchScope scope) {
        try (var reader = indexes.visible(call, scope, null, List.of())) {
            return VectorScan.isAwaited(reader, call.now());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(FRESH_TURN);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.unavailable();
        }
    }
}
