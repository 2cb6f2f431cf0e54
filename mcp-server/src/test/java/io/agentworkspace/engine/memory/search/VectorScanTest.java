package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.memory.embedding.Vectors;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The scan of signatures, with more of them than it compares at a time. */
class VectorScanTest {
    private static final int MEMORIES = 5_000;
    private static final int DIMENSIONS = 100;
    private static final Query ALL = MatchAllDocsQuery.INSTANCE;

    private static final Random RANDOM = new Random(1);
    private static final VectorScan SCAN = new VectorScan();
    private static final List<List<float[]>> PARTS = new ArrayList<>();
    private static BankIndex index;
    private static DirectoryReader reader;
    private static IndexSearcher searcher;

    @BeforeAll
    static void fill() throws IOException {
        index = new BankIndex(1, new ByteBuffersDirectory(), "m", Instant.MIN);
        var entries = new ArrayList<BankIndex.IndexedMemory>();
        for (var i = 0; i < MEMORIES; i++) {
            PARTS.add(RANDOM.ints(i % 4, 0, 1).mapToObj(_ -> vector()).toList());
            entries.add(memory(i, "text", PARTS.getLast()));
        }
        index.apply(entries);
        index.reached(0);
        open();
    }

    private static void open() {
        reader = Objects.requireNonNull(index.acquire());
        searcher = new IndexSearcher(reader);
    }

    @AfterAll
    static void close() throws IOException {
        reader.decRef();
        index.close();
    }

    private static float[] vector() {
        var vector = new float[DIMENSIONS];
        var square = 0.0;
        for (var i = 0; i < DIMENSIONS; i++) {
            vector[i] = (float) RANDOM.nextGaussian();
            square += vector[i] * vector[i];
        }
        for (var i = 0; i < DIMENSIONS; i++) {
            vector[i] /= (float) Math.sqrt(square);
        }
        return vector;
    }

    private static UUID id(int number) {
        return new UUID(0, number);
    }

    private static BankIndex.IndexedMemory memory(int number, String text, List<float[]> vectors) {
        return new BankIndex.IndexedMemory(
                id(number),
                Integer.toString(number),
                null,
                text,
                number % 2 == 0 ? List.of("even") : List.of(),
                1,
                Instant.EPOCH,
                vectors.isEmpty() ? null : Vectors.packed(vectors));
    }

    private static List<UUID> nearest(Query filter, float[] question, int most) throws IOException {
        var found = new ArrayList<UUID>();
        for (var each : SCAN.nearest(searcher, filter, question, most)) {
            for (var leaf : reader.leaves()) {
                var document = each.doc - leaf.docBase;
                var ids = leaf.reader().getBinaryDocValues(BankIndex.ID);
                if (document >= 0 && document < leaf.reader().maxDoc() && ids.advanceExact(document)) {
                    found.add(BankIndex.id(ids.binaryValue()));
                }
            }
        }
        return found;
    }

    @Test
    void everyPartOfEveryMemoryIsFoundByItsOwnVector() throws IOException {
        for (var memory = 0; memory < MEMORIES; memory += 41) {
            for (var part : PARTS.get(memory)) {
                assertThat(nearest(ALL, part, 1)).containsExactly(id(memory));
            }
        }
    }

    @Test
    void memoriesThatDoNotPassTheFilterAreNotCompared() throws IOException {
        var even = new TermQuery(new org.apache.lucene.index.Term(BankIndex.TAG, "even"));
        for (var memory = 1; memory < MEMORIES; memory += 500) {
            assertThat(nearest(even, PARTS.get(memory).getFirst(), 10))
                    .hasSize(10)
                    .allMatch(found -> found.getLeastSignificantBits() % 2 == 0);
        }
    }

    /** These memories are not looked for by the other tests. */
    @Test
    void changedAndDeletedMemoriesAreNotFoundByTheirOldVectors() throws IOException {
        var changed = vector();
        index.apply(List.of(
                memory(4_001, "new", List.of(changed)),
                new BankIndex.IndexedMemory(id(4_002), "1", null, null, List.of(), 0, Instant.EPOCH, null)));
        index.reached(0);
        reader.decRef();
        open();
        assertThat(nearest(ALL, changed, 1)).containsExactly(id(4_001));
        assertThat(nearest(ALL, PARTS.get(4_001).getFirst(), 1)).doesNotContain(id(4_001));
        assertThat(nearest(ALL, PARTS.get(4_002).getFirst(), 1)).doesNotContain(id(4_002));
    }

    @Test
    void vectorsOfAnotherLengthAreNotCompared() throws IOException {
        assertThat(nearest(ALL, new float[3 * DIMENSIONS], 10)).isEmpty();
        assertThat(nearest(ALL, new float[10 * DIMENSIONS], 10)).isEmpty();
        assertThat(nearest(ALL, PARTS.get(1).getFirst(), 1))
                .as("then of the right length")
                .containsExactly(id(1));
    }

    /** The signatures select a thousand of 3,750 memories, and hardly ever miss one of the nearest. */
    @Test
    void nearlyAllOfTheNearestAreFound() throws IOException {
        var found = 0;
        for (var i = 0; i < 20; i++) {
            var question = vector();
            var nearest = nearest(ALL, question, 10);
            found += (int) nearestOneByOne(question, 10).stream()
                    .filter(nearest::contains)
                    .count();
        }
        assertThat(found).isBetween(185, 200);
    }

    private static List<UUID> nearestOneByOne(float[] question, int most) {
        return IntStream.range(0, MEMORIES)
                .filter(memory -> !PARTS.get(memory).isEmpty())
                .mapToObj(memory -> new Found(
                        id(memory),
                        PARTS.get(memory).stream()
                                .mapToDouble(part -> product(part, question))
                                .max()
                                .orElseThrow()))
                .sorted(Comparator.comparingDouble(Found::score).reversed())
                .limit(most)
                .map(Found::id)
                .toList();
    }

    private record Found(UUID id, double score) {}

    private static double product(float[] one, float[] other) {
        return IntStream.range(0, DIMENSIONS)
                .mapToDouble(i -> one[i] * other[i])
                .sum();
    }
}
