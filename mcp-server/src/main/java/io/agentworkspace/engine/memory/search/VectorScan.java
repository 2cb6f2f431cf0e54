package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.embedding.Vectors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.index.BinaryDocValues;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Weight;

/**
 * Finds the memories whose vectors are most like that of a question: compares the signatures of all that pass the filter, then the
 * vectors of the nearest of them. Signatures are kept in memory as long as their part of the index is open.
 */
final class VectorScan {
    /** So many times as many as are wanted are compared by their vectors. */
    private static final int RESCORED = 10;

    private static final int FARTHEST = 1 << 13;

    private static final float NO_VECTORS = -1;

    private final ConcurrentHashMap<IndexReader.CacheKey, Signatures> kept = new ConcurrentHashMap<>();

    /**
     * The signatures of a part of the index.
     *
     * @param words one signature after the other
     * @param starts for each memory, and behind the last, where its signatures begin
     */
    private record Signatures(long[] words, int[] starts) {
        static final Signatures NONE = new Signatures(new long[0], new int[0]);

        /** How many dimensions differ, in the signature of the memory that is nearest. */
        int distance(int memory, long[] wanted) {
            if (starts.length == 0) {
                return FARTHEST;
            }
            var nearest = FARTHEST;
            for (var at = starts[memory]; at + wanted.length <= starts[memory + 1]; at += wanted.length) {
                var distance = 0;
                for (var i = 0; i < wanted.length; i++) {
                    distance += Long.bitCount(words[at + i] ^ wanted[i]);
                }
                nearest = Math.min(nearest, distance);
            }
            return nearest;
        }
    }

    /**
     * @param filter which memories are compared
     * @param known by bank, the memories with about the nearest signatures; others of these banks are not compared
     */
    ScoreDoc[] nearest(IndexSearcher searcher, Query filter, float[] question, int most, Map<Long, List<UUID>> known)
            throws IOException {
        var wanted = Vectors.signature(question);
        var reader = searcher.getIndexReader();
        var weight = searcher.createWeight(searcher.rewrite(filter), ScoreMode.COMPLETE_NO_SCORES, 1);
        var distances = new short[reader.maxDoc()];
        var counts = new int[FARTHEST + 1];
        for (var leaf : reader.leaves()) {
            var memories = known.isEmpty() ? null : known.get(BankIndex.bank(leaf.reader()));
            if (memories == null) {
                measure(leaf, weight, wanted, distances, counts);
            } else {
                for (var document : BankIndex.documents(leaf.reader(), memories)) {
                    distances[leaf.docBase + document] = 1;
                }
            }
        }
        var limit = limit(counts, most * RESCORED);
        var near = new ArrayList<ScoreDoc>();
        for (var document = 0; document < distances.length; document++) {
            if (distances[document] > 0 && distances[document] <= limit + 1) {
                near.add(new ScoreDoc(document, 0));
            }
        }
        var likenesses = likenesses(reader, near.stream().map(each -> each.doc).toList(), question);
        for (var i = 0; i < near.size(); i++) {
            near.get(i).score = likenesses.get(i);
        }
        near.removeIf(each -> each.score == NO_VECTORS);
        near.sort(Comparator.comparingDouble((ScoreDoc each) -> -each.score).thenComparingInt(each -> each.doc));
        return near.subList(0, Math.min(most, near.size())).toArray(ScoreDoc[]::new);
    }

    /** Writes the distances of one part, plus one; 0 stays where there is nothing to compare. */
    private void measure(LeafReaderContext leaf, Weight weight, long[] wanted, short[] distances, int[] counts)
            throws IOException {
        var scorer = weight.scorer(leaf);
        if (scorer == null) {
            return;
        }
        var signatures = signatures(leaf.reader());
        var live = leaf.reader().getLiveDocs();
        var each = scorer.iterator();
        for (var document = each.nextDoc(); document != DocIdSetIterator.NO_MORE_DOCS; document = each.nextDoc()) {
            if (live == null || live.get(document)) {
                var distance = signatures.distance(document, wanted);
                if (distance < FARTHEST) {
                    distances[leaf.docBase + document] = (short) (distance + 1);
                    counts[distance]++;
                }
            }
        }
    }

    /** Within it are at least so many, if there are. */
    private static int limit(int[] counts, int wanted) {
        var sum = 0;
        for (var distance = 0; distance < FARTHEST; distance++) {
            sum += counts[distance];
            if (sum >= wanted) {
                return distance;
            }
        }
        return FARTHEST;
    }

    /** How like the question each of the memories is, given in the order of their numbers; -1 where it has no vectors. */
    static List<Float> likenesses(IndexReader reader, List<Integer> documents, float[] question) throws IOException {
        var likenesses = new ArrayList<Float>();
        var leaves = reader.leaves();
        LeafReaderContext leaf = null;
        BinaryDocValues vectors = null;
        for (var document : documents) {
            if (leaf == null
                    || vectors == null
                    || document >= leaf.docBase + leaf.reader().maxDoc()) {
                leaf = leaves.get(ReaderUtil.subIndex(document, leaves));
                vectors = DocValues.getBinary(leaf.reader(), BankIndex.VECTORS);
            }
            if (vectors.advanceExact(document - leaf.docBase)) {
                var bytes = vectors.binaryValue();
                likenesses.add(Vectors.likeness(question, bytes.bytes, bytes.offset, bytes.length));
            } else {
                likenesses.add(NO_VECTORS);
            }
        }
        return likenesses;
    }

    private Signatures signatures(LeafReader reader) throws IOException {
        var cache = reader.getCoreCacheHelper();
        if (cache == null) {
            return read(reader);
        }
        var known = kept.get(cache.getKey());
        if (known == null) {
            known = read(reader);
            if (kept.putIfAbsent(cache.getKey(), known) == null) {
                cache.addClosedListener(kept::remove);
            }
        }
        return known;
    }

    private static Signatures read(LeafReader reader) throws IOException {
        var values = reader.getBinaryDocValues(BankIndex.SIGNATURES);
        if (values == null) {
            return Signatures.NONE;
        }
        var starts = new int[reader.maxDoc() + 1];
        var words = new long[reader.maxDoc() * 6];
        var end = 0;
        for (var document = 0; document < reader.maxDoc(); document++) {
            starts[document] = end;
            if (values.advanceExact(document)) {
                var bytes = values.binaryValue();
                var longs = ByteBuffer.wrap(bytes.bytes, bytes.offset, bytes.length)
                        .order(ByteOrder.BIG_ENDIAN)
                        .asLongBuffer();
                var count = longs.remaining();
                if (end + count > words.length) {
                    words = java.util.Arrays.copyOf(words, Math.max(end + count, words.length * 3 / 2));
                }
                longs.get(words, end, count);
                end += count;
            }
        }
        starts[reader.maxDoc()] = end;
        return new Signatures(java.util.Arrays.copyOf(words, end), starts);
    }
}
