package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.text.Language;
import io.agentworkspace.engine.kernel.text.QueryParser;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.search.SearchParameters.Mode;
import io.agentworkspace.engine.memory.search.time.TimeSpan;

/**
 * A search request, of which the query's vector is being computed.
 *
 * @param isByMeaning whether there may be such a vector
 */
record PendingSearch(
        SearchParameters request, QueryParser.Parsed parsed, boolean isByMeaning, Embedder.Question question) {
    PendingSearch within(TimeSpan time) {
        return new PendingSearch(request.within(time), parsed, isByMeaning, question);
    }

    static PendingSearch of(SearchParameters request, Embedder embedder) {
        var parsed = QueryParser.parse(request.query());
        var isByMeaning = embedder.isOn()
                && hasWords(parsed)
                && (request.mode() == Mode.VECTOR
                        || request.mode() == Mode.HYBRID
                                && Language.guess(parsed.meaning()).isInScriptOfModel());
        return new PendingSearch(request, parsed, isByMeaning, embedder.question(isByMeaning ? parsed.meaning() : ""));
    }

    /** Returns whether the query has a word. A lone sign means nothing, also to the model. */
    static boolean hasWords(QueryParser.Parsed parsed) {
        return !TextAnalysis.exactTerms(parsed.meaning()).isEmpty();
    }
}
