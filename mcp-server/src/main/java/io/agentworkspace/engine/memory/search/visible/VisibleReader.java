package io.agentworkspace.engine.memory.search.visible;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.FilterDirectoryReader;
import org.apache.lucene.index.FilterLeafReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.Terms;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.Weight;
import org.apache.lucene.util.BitSetIterator;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.FixedBitSet;
import org.jspecify.annotations.Nullable;

/**
 * The index of a bank as readers may see it. Hidden and deleted memories are absent from the memories, from the words, and from every
 * count that a score is made of. Lucene alone counts deleted ones until it merges their part of the index.
 */
public final class VisibleReader extends FilterDirectoryReader {
    private final Weight hidden;
    private final TextLengths lengths;

    private VisibleReader(DirectoryReader in, Weight hidden, TextLengths lengths) throws IOException {
        super(in, new SubReaderWrapper() {
            @Override
            public LeafReader wrap(LeafReader leaf) {
                try {
                    return new VisibleLeaf(leaf, hiddenIn(leaf, hidden), lengths);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        this.hidden = hidden;
        this.lengths = lengths;
    }

    /** @param hidden finds the memories that readers may not see */
    public static VisibleReader of(DirectoryReader in, Query hidden, TextLengths lengths) throws IOException {
        var searcher = new IndexSearcher(in);
        searcher.setQueryCache(null);
        var weight = searcher.createWeight(searcher.rewrite(hidden), ScoreMode.COMPLETE_NO_SCORES, 1);
        return new VisibleReader(in, weight, lengths);
    }

    private static FixedBitSet hiddenIn(LeafReader leaf, Weight hidden) throws IOException {
        var bits = new FixedBitSet(leaf.maxDoc());
        var live = leaf.getLiveDocs();
        if (live != null) {
            bits = FixedBitSet.copyOf(live);
            bits.flip(0, leaf.maxDoc());
        }
        var scorer = hidden.scorer(leaf.getContext());
        if (scorer != null) {
            bits.or(scorer.iterator());
        }
        return bits;
    }

    @Override
    protected DirectoryReader doWrapDirectoryReader(DirectoryReader other) throws IOException {
        return new VisibleReader(other, hidden, lengths);
    }

    @Override
    public @Nullable CacheHelper getReaderCacheHelper() {
        return null;
    }

    /** Has no keys for caches, since what is cached for one selection of memories is wrong for another. */
    private static final class VisibleLeaf extends FilterLeafReader {
        private final FixedBitSet hidden;
        private final int hiddenDocuments;
        private final @Nullable FixedBitSet visible;
        private final TextLengths lengths;
        private final Map<String, Terms> terms = new ConcurrentHashMap<>();

        VisibleLeaf(LeafReader in, FixedBitSet hidden, TextLengths lengths) {
            super(in);
            this.hidden = hidden;
            this.hiddenDocuments = hidden.cardinality();
            this.lengths = lengths;
            if (hiddenDocuments == 0) {
                visible = null;
            } else {
                visible = hidden.clone();
                visible.flip(0, in.maxDoc());
            }
        }

        @Override
        public @Nullable Bits getLiveDocs() {
            return visible == null ? null : visible.asReadOnlyBits();
        }

        @Override
        public int numDocs() {
            return in.maxDoc() - hiddenDocuments;
        }

        @Override
        public @Nullable Terms terms(String field) throws IOException {
            var hit = terms.get(field);
            var all = hit == null ? in.terms(field) : null;
            if (all == null) {
                return hit;
            }
            var length =
                    lengths.of(in, field) - TextLengths.sum(in, field, new BitSetIterator(hidden, hiddenDocuments));
            var visibleTerms = new VisibleTerms(all, hidden, hiddenDocuments, numDocs(), length);
            terms.put(field, visibleTerms);
            return visibleTerms;
        }

        @Override
        public @Nullable CacheHelper getCoreCacheHelper() {
            return null;
        }

        @Override
        public @Nullable CacheHelper getReaderCacheHelper() {
            return null;
        }
    }
}
