package io.agentworkspace.engine.memory.search.visible;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.SmallFloat;

/**
 * How many words the memories of a part of an index have together, as rounded as the ranking has their lengths. The sums are kept as
 * long as their part of the index is open.
 */
public final class TextLengths {
    private final ConcurrentHashMap<IndexReader.CacheKey, Map<String, Long>> kept = new ConcurrentHashMap<>();

    /** Returns the sum over all memories, also hidden and deleted ones. */
    long of(LeafReader reader, String field) throws IOException {
        var cache = reader.getCoreCacheHelper();
        if (cache == null) {
            return sum(reader, field, DocIdSetIterator.all(reader.maxDoc()));
        }
        var sums = kept.get(cache.getKey());
        if (sums == null) {
            sums = new ConcurrentHashMap<>();
            var other = kept.putIfAbsent(cache.getKey(), sums);
            if (other == null) {
                cache.addClosedListener(kept::remove);
            } else {
                sums = other;
            }
        }
        var length = sums.get(field);
        if (length == null) {
            length = sum(reader, field, DocIdSetIterator.all(reader.maxDoc()));
            sums.put(field, length);
        }
        return length;
    }

    /** Returns the sum over these memories. */
    static long sum(LeafReader reader, String field, DocIdSetIterator documents) throws IOException {
        var norms = reader.getNormValues(field);
        if (norms == null) {
            return 0;
        }
        var sum = 0L;
        for (var each = documents.nextDoc(); each != DocIdSetIterator.NO_MORE_DOCS; each = documents.nextDoc()) {
            if (norms.advanceExact(each)) {
                sum += SmallFloat.byte4ToInt((byte) norms.longValue());
            }
        }
        return sum;
    }
}
