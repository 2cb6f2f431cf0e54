package io.agentworkspace.engine.memory.search.visible;

import java.io.IOException;
import org.apache.lucene.index.FilterLeafReader.FilterTerms;
import org.apache.lucene.index.FilterLeafReader.FilterTermsEnum;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.util.BitSetIterator;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.FixedBitSet;
import org.apache.lucene.util.IOBooleanSupplier;
import org.apache.lucene.util.automaton.CompiledAutomaton;
import org.jspecify.annotations.Nullable;

/** The terms of those memories that are not hidden, and how many of these have them. */
final class VisibleTerms extends FilterTerms {
    private final FixedBitSet hidden;
    private final int hiddenDocuments;
    private final int visibleDocuments;
    private final long length;

    /** @param length how many words the visible memories have in this field */
    VisibleTerms(Terms in, FixedBitSet hidden, int hiddenDocuments, int visibleDocuments, long length) {
        super(in);
        this.hidden = hidden;
        this.hiddenDocuments = hiddenDocuments;
        this.visibleDocuments = visibleDocuments;
        this.length = length;
    }

    @Override
    public TermsEnum iterator() throws IOException {
        return new VisibleTermsEnum(in.iterator());
    }

    @Override
    public TermsEnum intersect(CompiledAutomaton automaton, @Nullable BytesRef startTerm) throws IOException {
        return new VisibleTermsEnum(in.intersect(automaton, startTerm));
    }

    @Override
    public long size() {
        return -1;
    }

    @Override
    public int getDocCount() {
        return visibleDocuments;
    }

    @Override
    public long getSumDocFreq() {
        return visibleDocuments;
    }

    @Override
    public long getSumTotalTermFreq() {
        return Math.max(visibleDocuments, length);
    }

    /** Passes over terms that only hidden memories have. */
    private final class VisibleTermsEnum extends FilterTermsEnum {
        private @Nullable PostingsEnum postings;

        VisibleTermsEnum(TermsEnum in) {
            super(in);
        }

        private boolean isVisible() throws IOException {
            if (in.docFreq() > hiddenDocuments) {
                return true;
            }
            postings = in.postings(postings, PostingsEnum.NONE);
            var document = postings.nextDoc();
            while (document != DocIdSetIterator.NO_MORE_DOCS && hidden.get(document)) {
                document = postings.nextDoc();
            }
            return document != DocIdSetIterator.NO_MORE_DOCS;
        }

        @Override
        public int docFreq() throws IOException {
            if (hiddenDocuments == 0) {
                return in.docFreq();
            }
            postings = in.postings(postings, PostingsEnum.NONE);
            var others = new BitSetIterator(hidden, hiddenDocuments);
            var count = in.docFreq();
            var document = postings.nextDoc();
            while (document != DocIdSetIterator.NO_MORE_DOCS) {
                var other = others.docID() < document ? others.advance(document) : others.docID();
                if (other == document) {
                    count--;
                    document = postings.nextDoc();
                } else {
                    document = other == DocIdSetIterator.NO_MORE_DOCS ? other : postings.advance(other);
                }
            }
            return count;
        }

        /** The ranking does not use it. Lucene requires that it is at least {@link #docFreq}. */
        @Override
        public long totalTermFreq() throws IOException {
            return docFreq();
        }

        @Override
        public @Nullable BytesRef next() throws IOException {
            var term = in.next();
            while (term != null && !isVisible()) {
                term = in.next();
            }
            return term;
        }

        @Override
        public boolean seekExact(BytesRef text) throws IOException {
            return in.seekExact(text) && isVisible();
        }

        @Override
        public @Nullable IOBooleanSupplier prepareSeekExact(BytesRef text) throws IOException {
            var prepared = in.prepareSeekExact(text);
            return prepared == null ? null : () -> prepared.get() && isVisible();
        }

        @Override
        public SeekStatus seekCeil(BytesRef text) throws IOException {
            var status = in.seekCeil(text);
            if (status == SeekStatus.END || isVisible()) {
                return status;
            }
            return next() == null ? SeekStatus.END : SeekStatus.NOT_FOUND;
        }
    }
}
