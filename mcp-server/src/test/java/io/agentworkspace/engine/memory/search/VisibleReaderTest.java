package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.memory.search.index.BankIndex;
import io.agentworkspace.engine.memory.search.index.BankIndex.IndexedMemory;
import io.agentworkspace.engine.memory.search.index.Hiding;
import io.agentworkspace.engine.memory.search.visible.TextLengths;
import io.agentworkspace.engine.memory.search.visible.VisibleReader;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.search.CollectionStatistics;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an index counts and which words it has, as time passes and agents are censored, without a change of the index. */
class VisibleReaderTest {
    private static final long ANN = 1;
    private static final long EVE = 2;

    private final List<IndexedMemory> memories = new ArrayList<>();
    private BankIndex index;

    @BeforeEach
    void open() throws IOException {
        index = new BankIndex(1, new ByteBuffersDirectory(), "m", Instant.MIN);
    }

    @AfterEach
    void close() {
        index.close();
    }

    private void add(String text, Instant updatedAt, Hiding hiding) {
        memories.add(new IndexedMemory(
                new UUID(0, memories.size()), "1", null, text, List.of(), ANN, updatedAt, null, hiding));
    }

    private static Instant at(int second) {
        return Instant.EPOCH.plusSeconds(second);
    }

    private static Hiding by(long... agents) {
        return new Hiding(Arrays.stream(agents).boxed().toList(), null, null, List.of());
    }

    private DirectoryReader visible(List<Long> censored, int now, @Nullable Instant asOf) throws IOException {
        return VisibleReader.of(
                Objects.requireNonNull(index.acquire()), Hiding.hidden(censored, at(now), asOf), new TextLengths());
    }

    private List<String> words(List<Long> censored, int now, @Nullable Instant asOf) throws IOException {
        var words = new ArrayList<String>();
        var terms = MultiTerms.getTerms(visible(censored, now, asOf), BankIndex.WORDS)
                .iterator();
        for (var term = terms.next(); term != null; term = terms.next()) {
            words.add(term.utf8ToString() + terms.docFreq());
        }
        return words;
    }

    private void apply() throws IOException {
        index.apply(memories);
        index.reached(1);
    }

    @Test
    void timeAndCensorshipHideWithoutAChange() throws IOException {
        add("both one", at(1), by(ANN));
        add("both eve", at(1), by(ANN, EVE));
        add("both short", at(1), new Hiding(List.of(ANN), at(5), null, List.of()));
        add("both old", at(1), new Hiding(List.of(ANN), null, at(4), List.of(EVE)));
        add("new", at(4), by(EVE));
        apply();
        assertThat(words(List.of(), 4, null)).containsExactly("both3", "eve1", "new1", "one1", "short1");
        assertThat(words(List.of(), 5, null)).containsExactly("both2", "eve1", "new1", "one1");
        assertThat(words(List.of(EVE), 5, null)).containsExactly("both2", "old1", "one1");
        assertThat(words(List.of(ANN, EVE), 5, null)).isEmpty();
        assertThat(words(List.of(), 9, at(3))).containsExactly("both4", "eve1", "old1", "one1", "short1");
        assertThat(words(List.of(EVE), 9, at(6))).containsExactly("both2", "old1", "one1");
    }

    /** Lucene counts deleted memories until their part of the index is merged. */
    @Test
    void deletedMemoriesAreNotCounted() throws IOException {
        for (var i = 0; i < 300; i++) {
            add("word common" + (i % 10 == 0 ? " rare" : " filler filler"), at(1), by(ANN));
        }
        apply();
        var rare = new ArrayList<IndexedMemory>();
        for (var each : memories) {
            if (Objects.requireNonNull(each.text()).endsWith("filler")) {
                rare.add(new IndexedMemory(each.id(), "2", null, null, List.of(), 0, Instant.EPOCH, null));
            }
        }
        index.apply(rare);
        index.reached(2);
        var reader = visible(List.of(), 2, null);
        assertThat(Objects.requireNonNull(index.reader()).numDeletedDocs()).isPositive();
        assertThat(reader.numDocs()).isEqualTo(30);
        assertThat(words(List.of(), 2, null)).containsExactly("common30", "rare30", "word30");
        CollectionStatistics statistics = new IndexSearcher(reader).collectionStatistics(BankIndex.WORDS);
        assertThat(statistics.docCount()).isEqualTo(30);
        assertThat(statistics.sumTotalTermFreq()).isEqualTo(90);
    }
}
