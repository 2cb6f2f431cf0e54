package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.text.Language;
import io.agentworkspace.engine.kernel.text.QueryParser;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import io.agentworkspace.engine.memory.search.index.BankIndex.IndexedMemory;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.FilterDirectoryReader;
import org.apache.lucene.index.FilterLeafReader;
import org.apache.lucene.index.LeafReader;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How much of a large bank's index a query reads to find out what its words stand for. Words are counted, not time. */
class QueryWorkTest {
    private static final int MEMORIES = 20_000;
    private static final int WORDS_IN_EACH = 5;

    /** At most as many as one pass over all words of the bank. */
    private static final int MOST_READ = MEMORIES * WORDS_IN_EACH;

    private static final BankIndex BANK = bank();

    private static BankIndex bank() {
        try {
            return BankIndex.ofPast(
                    1,
                    IntStream.range(0, MEMORIES).mapToObj(QueryWorkTest::memory).toList());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All words begin alike, so that prefixes and misspelt words are near to all of them. */
    private static IndexedMemory memory(int number) {
        var text = IntStream.range(0, WORDS_IN_EACH)
                .mapToObj(word -> "wort" + letters(number * WORDS_IN_EACH + word))
                .collect(Collectors.joining(" "));
        return new IndexedMemory(new UUID(0, number), "1", null, text, List.of(), 1, Instant.EPOCH, null);
    }

    private static String letters(int number) {
        return Integer.toString(number, 26)
                .chars()
                .mapToObj(digit -> Character.toString('a' + Character.digit(digit, 26)))
                .collect(Collectors.joining());
    }

    static List<String> queries() {
        var words = IntStream.range(0, 1_000).mapToObj(QueryWorkTest::letters).toList();
        return List.of(
                "wor* ".repeat(400),
                words.stream()
                        .map(word -> "wo" + word + "*")
                        .collect(Collectors.joining(" "))
                        .substring(0, 2_000),
                words.stream()
                        .map(word -> "wort" + word + "x")
                        .collect(Collectors.joining(" "))
                        .substring(0, 2_000),
                words.stream()
                        .map(word -> "wortworu" + word)
                        .collect(Collectors.joining(" "))
                        .substring(0, 2_000),
                "wort".repeat(500),
                "w* ".repeat(600),
                "-wor* ".repeat(300),
                "\"wort wort\" ".repeat(160));
    }

    @ParameterizedTest
    @MethodSource("queries")
    void aQueryReadsFewWordsOfTheIndex(String query) throws IOException {
        var reader = new Counted(Objects.requireNonNull(BANK.acquire()));
        var parsed = LexicalQuery.of(QueryParser.parse(query), new IndexSearcher(reader), List.of(Language.GERMAN));
        assertThat(reader.read()).isLessThanOrEqualTo(MOST_READ);
        assertThat(parsed.groups()).hasSizeLessThanOrEqualTo(64);
    }

    @Test
    void countingFindsWhatIsRead() throws IOException {
        var reader = new Counted(Objects.requireNonNull(BANK.acquire()));
        var words = 0;
        for (var leaf : reader.leaves()) {
            var terms = leaf.reader().terms(BankIndex.WORDS).iterator();
            while (terms.next() != null) {
                words++;
            }
        }
        assertThat(words).isEqualTo(MEMORIES * WORDS_IN_EACH);
        assertThat(reader.read()).isEqualTo(words + reader.leaves().size());
    }

    /** A reader that counts the terms that are read or looked up. */
    private static final class Counted extends FilterDirectoryReader {
        private final AtomicLong read;

        Counted(DirectoryReader in) throws IOException {
            this(in, new AtomicLong());
        }

        private Counted(DirectoryReader in, AtomicLong read) throws IOException {
            super(in, new SubReaderWrapper() {
                @Override
                public LeafReader wrap(LeafReader leaf) {
                    return new CountedLeaf(leaf, read);
                }
            });
            this.read = read;
        }

        long read() {
            return read.get();
        }

        @Override
        protected DirectoryReader doWrapDirectoryReader(DirectoryReader other) throws IOException {
            return new Counted(other, read);
        }

        @Override
        public CacheHelper getReaderCacheHelper() {
            return in.getReaderCacheHelper();
        }
    }

    private static final class CountedLeaf extends FilterLeafReader {
        private final AtomicLong read;

        CountedLeaf(LeafReader in, AtomicLong read) {
            super(in);
            this.read = read;
        }

        @Override
        public @Nullable Terms terms(String field) throws IOException {
            var terms = super.terms(field);
            return terms == null ? null : new CountedTerms(terms, read);
        }

        @Override
        public CacheHelper getCoreCacheHelper() {
            return in.getCoreCacheHelper();
        }

        @Override
        public CacheHelper getReaderCacheHelper() {
            return in.getReaderCacheHelper();
        }
    }

    private static final class CountedTerms extends FilterLeafReader.FilterTerms {
        private final AtomicLong read;

        CountedTerms(Terms in, AtomicLong read) {
            super(in);
            this.read = read;
        }

        @Override
        public TermsEnum iterator() throws IOException {
            return new FilterLeafReader.FilterTermsEnum(super.iterator()) {
                @Override
                public @Nullable BytesRef next() throws IOException {
                    read.incrementAndGet();
                    return super.next();
                }

                @Override
                public SeekStatus seekCeil(BytesRef text) throws IOException {
                    read.incrementAndGet();
                    return super.seekCeil(text);
                }

                @Override
                public boolean seekExact(BytesRef text) throws IOException {
                    read.incrementAndGet();
                    return super.seekExact(text);
                }
            };
        }
    }
}
