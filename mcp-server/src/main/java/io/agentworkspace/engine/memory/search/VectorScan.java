package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.memory.embedding.Vectors;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.FilterLeafReader;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.ReaderUtil;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.Weight;

/**
 * Finds the memories whose vectors are most like that of a question: compares the signatures of all that pass the filter, then the
 * vectors of the nearest of them. Signatures are kept in memory as long as their part of the index is open.
 */
final class VectorScan {
    /** For each memory that is wanted, this many are compared by their vectors. */
    private static final int RESCORED = 10;

    /** At least this many memories are compared by their vectors. */
    private static final int LEAST_RESCORED = 1_000;

    /** So many signatures are compared at a time. */
    private static final int BLOCK = 1 << 12;

    private static final float NO_VECTORS = -1;

    /** A search waits for the vectors of at most so many memories, if some were stored this short time ago. */
    private static final int MOST_AWAITED = 32;

    private static final Duration FRESH = Duration.ofMinutes(1);

    private final ConcurrentHashMap<IndexReader.CacheKey, Signatures> kept = new ConcurrentHashMap<>();

    /**
     * The signatures of a part of the index. The first words of all of them are together, then the second ones, and so on, since a
     * processor can then compare several at a time.
     *
     * @param columns the words: by their place in the signature, then by signature
     * @param owners the memory of each signature
     */
    private record Signatures(long[][] columns, int[] owners) {
        static final Signatures NONE = new Signatures(new long[0][], new int[0]);

        /** Returns for each memory how many dimensions differ in the nearest of its signatures, plus one; 0 if it has none. */
        short[] distances(long[] signature, int memories) {
            var nearest = new short[memories];
            var block = new int[Math.min(BLOCK, owners.length)];
            for (var first = 0; first < owners.length; first += block.length) {
                compare(signature, first, block);
                keepNearest(block, first, nearest);
            }
            return nearest;
        }

        /** Writes how many dimensions differ, in some signatures one after the other. */
        private void compare(long[] signature, int first, int[] distances) {
            Arrays.fill(distances, 0);
            for (var i = 0; i < signature.length; i++) {
                add(columns[i], signature[i], first, distances);
            }
        }

        private static void add(long[] column, long bits, int first, int[] distances) {
            var end = Math.min(distances.length, column.length - first);
            for (var i = 0; i < end; i++) {
                distances[i] += Long.bitCount(column[first + i] ^ bits);
            }
        }

        private void keepNearest(int[] distances, int first, short[] nearest) {
            var end = Math.min(distances.length, owners.length - first);
            for (var i = 0; i < end; i++) {
                var owner = owners[first + i];
                var distance = distances[i] + 1;
                if (nearest[owner] == 0 || distance < nearest[owner]) {
                    nearest[owner] = (short) distance;
                }
            }
        }
    }

    /** Returns how many memories have no vectors yet. */
    static long pending(IndexReader visible) throws IOException {
        return visible.docFreq(BankIndex.PENDING);
    }

    /** Returns whether a few memories that were stored just now have no vectors yet. */
    static boolean isAwaited(IndexReader visible, Instant now) throws IOException {
        var pending = pending(visible);
        if (pending == 0 || pending > MOST_AWAITED) {
            return false;
        }
        var fresh = new BooleanQuery.Builder()
                .add(new TermQuery(BankIndex.PENDING), Occur.FILTER)
                .add(
                        LongPoint.newRangeQuery(
                                BankIndex.UPDATED, now.minus(FRESH).toEpochMilli(), Long.MAX_VALUE),
                        Occur.FILTER)
                .build();
        return new IndexSearcher(visible).count(fresh) > 0;
    }

    /**
     * @param filter which memories are compared
     */
    ScoreDoc[] nearest(IndexSearcher searcher, Query filter, float[] question, int most) throws IOException {
        var signature = Vectors.signature(question);
        var reader = searcher.getIndexReader();
        var weight = searcher.createWeight(searcher.rewrite(filter), ScoreMode.COMPLETE_NO_SCORES, 1);
        var distances = new short[reader.maxDoc()];
        var counts = new int[signature.length * Long.SIZE + 2];
        for (var leaf : reader.leaves()) {
            measure(leaf, weight, signature, distances, counts);
        }
        var near = within(limit(counts, Math.max(LEAST_RESCORED, most * RESCORED)), distances);
        var likenesses = likenesses(reader, near, question);
        return IntStream.range(0, near.length)
                .filter(i -> likenesses[i] != NO_VECTORS)
                .mapToObj(i -> new ScoreDoc(near[i], likenesses[i]))
                .sorted(Comparator.comparingDouble((ScoreDoc each) -> -each.score))
                .limit(most)
                .toArray(ScoreDoc[]::new);
    }

    /** Returns the memories that are at most so far, in order. */
    private static int[] within(int limit, short[] distances) {
        return IntStream.range(0, distances.length)
                .filter(document -> distances[document] > 0 && distances[document] <= limit)
                .toArray();
    }

    /** Writes the distances of one part; 0 stays where there is nothing to compare. */
    private void measure(LeafReaderContext leaf, Weight weight, long[] signature, short[] distances, int[] counts)
            throws IOException {
        var scorer = weight.scorer(leaf);
        if (scorer == null) {
            return;
        }
        var reader = leaf.reader();
        var near = signatures(reader, signature.length).distances(signature, reader.maxDoc());
        var live = reader.getLiveDocs();
        if (live == null && weight.count(leaf) == reader.maxDoc()) { // All of them pass the filter.
            System.arraycopy(near, 0, distances, leaf.docBase, near.length);
            for (var distance : near) {
                counts[distance]++;
            }
            return;
        }
        var each = scorer.iterator();
        for (var document = each.nextDoc(); document != DocIdSetIterator.NO_MORE_DOCS; document = each.nextDoc()) {
            if (live == null || live.get(document)) {
                distances[leaf.docBase + document] = near[document];
                counts[near[document]]++;
            }
        }
    }

    /** Within it are at least so many, if there are. */
    private static int limit(int[] counts, int minimum) {
        var sum = 0;
        for (var distance = 1; distance < counts.length; distance++) {
            sum += counts[distance];
            if (sum >= minimum) {
                return distance;
            }
        }
        return counts.length;
    }

    /** Returns how like the question each of the memories is, given in the order of their numbers; -1 where it has no vectors. */
    static float[] likenesses(IndexReader reader, int[] documents, float[] question) throws IOException {
        var likenesses = new float[documents.length];
        var leaves = reader.leaves();
        for (var i = 0; i < documents.length; ) {
            var leaf = leaves.get(ReaderUtil.subIndex(documents[i], leaves));
            var vectors = DocValues.getBinary(leaf.reader(), BankIndex.VECTORS);
            var end = leaf.docBase + leaf.reader().maxDoc();
            for (; i < documents.length && documents[i] < end; i++) {
                if (vectors.advanceExact(documents[i] - leaf.docBase)) {
                    var bytes = vectors.binaryValue();
                    likenesses[i] = Vectors.likeness(question, bytes.bytes, bytes.offset, bytes.length);
                } else {
                    likenesses[i] = NO_VECTORS;
                }
            }
        }
        return likenesses;
    }

    private Signatures signatures(LeafReader of, int length) throws IOException {
        var reader = FilterLeafReader.unwrap(of);
        var cache = reader.getCoreCacheHelper();
        if (cache == null) {
            return read(reader, length);
        }
        var signatures = kept.get(cache.getKey());
        if (signatures == null || signatures != Signatures.NONE && signatures.columns().length != length) {
            signatures = read(reader, length);
            if (kept.put(cache.getKey(), signatures) == null) {
                cache.addClosedListener(kept::remove);
            }
        }
        return signatures;
    }

    /** @param length of a signature in words */
    private static Signatures read(LeafReader reader, int length) throws IOException {
        var values = reader.getBinaryDocValues(BankIndex.SIGNATURES);
        if (values == null) {
            return Signatures.NONE;
        }
        var owners = new int[reader.maxDoc()];
        var columns = new long[length][reader.maxDoc()];
        var end = 0;
        for (var document = 0; document < reader.maxDoc(); document++) {
            if (values.advanceExact(document)) {
                var bytes = values.binaryValue();
                var words = ByteBuffer.wrap(bytes.bytes, bytes.offset, bytes.length)
                        .order(ByteOrder.BIG_ENDIAN)
                        .asLongBuffer();
                for (; words.remaining() >= length; end++) {
                    if (end == owners.length) {
                        owners = Arrays.copyOf(owners, end * 3 / 2 + 1);
                        resize(columns, owners.length);
                    }
                    owners[end] = document;
                    for (var column : columns) {
                        column[end] = words.get();
                    }
                }
            }
        }
        resize(columns, end);
        return new Signatures(columns, Arrays.copyOf(owners, end));
    }

    private static void resize(long[][] columns, int size) {
        for (var i = 0; i < columns.length; i++) {
            columns[i] = Arrays.copyOf(columns[i], size);
        }
    }
}
