package io.agentworkspace.engine.memory.search.index;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.lucene.index.DirectoryReader;

/**
 * The banks that are searched, with their updated indexes.
 *
 * @param unindexed the banks whose indexes are being built
 */
public record SearchScope(IndexQueries.Banks banks, List<SearchedIndex> indexes, List<Long> unindexed)
        implements AutoCloseable {
    @Override
    public void close() {
        indexes.forEach(index -> release(index.reader()));
    }

    /**
     * An index, as it is searched. This stays as it is, also if the index is closed meanwhile.
     *
     * @param censored the agents whose memories are hidden in the bank
     */
    public record SearchedIndex(long bank, DirectoryReader reader, List<Long> censored) {}

    private static void release(DirectoryReader reader) {
        try {
            reader.decRef();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
