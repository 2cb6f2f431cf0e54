package io.agentworkspace.engine.memory.search.index;

import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.search.index.BankIndex.IndexedMemory;
import io.agentworkspace.engine.memory.search.index.IndexQueries.IndexPositions;
import io.agentworkspace.engine.memory.search.index.IndexQueries.SearchedBank;
import io.agentworkspace.engine.memory.search.index.SearchScope.SearchedIndex;
import io.agentworkspace.engine.memory.search.visible.TextLengths;
import io.agentworkspace.engine.memory.search.visible.VisibleReader;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.MultiReader;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.jspecify.annotations.Nullable;

/** The indexes of the banks that a caller may read, up to date when a search begins. */
public final class CurrentIndexes {
    private final IndexQueries queries;
    private final IndexCache indexes;
    private final IndexBuilder builder;
    private final TextLengths lengths = new TextLengths();

    public CurrentIndexes(IndexQueries queries, IndexCache indexes, IndexBuilder builder) {
        this.queries = queries;
        this.indexes = indexes;
        this.builder = builder;
    }

    /**
     * Returns the banks that the caller may read.
     *
     * @param bank the only one of them, if not null
     */
    public SearchScope scope(Call call, @Nullable Name bank, @Nullable Name author) {
        var positions = new IndexPositions(indexes.positions(call.caller().tenant()));
        var banks = queries.banks(call, bank, author, positions);
        var scope = new SearchScope(banks, new ArrayList<>(), new ArrayList<>());
        try {
            for (var each : banks.banks()) {
                var index = each.isCensored() ? null : current(call, each, positions.of(each.id()));
                if (index != null) {
                    scope.indexes().add(index);
                } else if (!each.isCensored()) {
                    scope.unindexed().add(each.id());
                }
            }
            return scope;
        } catch (RuntimeException e) {
            scope.close();
            throw e;
        }
    }

    /** Returns the id of a bank that the caller may read. */
    public Optional<Long> readable(Call call, Name bank) {
        var positions = new IndexPositions(indexes.positions(call.caller().tenant()));
        return queries.banks(call, bank, null, positions).banks().stream()
                .findFirst()
                .map(SearchedBank::id);
    }

    /** Returns what readers may see of these indexes. */
    public MultiReader visible(Call call, SearchScope scope, @Nullable Instant asOf, List<BankIndex> past)
            throws IOException {
        var readers = new ArrayList<IndexReader>();
        for (var index : scope.indexes()) {
            readers.add(VisibleReader.of(index.reader(), Hiding.hidden(index.censored(), call.now(), asOf), lengths));
        }
        for (var index : past) {
            readers.add(VisibleReader.of(index.reader(), MatchNoDocsQuery.INSTANCE, lengths));
        }
        return new MultiReader(readers.toArray(IndexReader[]::new), false);
    }

    /** Returns indexes for this search only, of what has been replaced since. */
    public List<BankIndex> past(Call call, SearchScope scope, @Nullable Instant asOf) {
        var past = new ArrayList<BankIndex>();
        if (asOf == null) {
            return past;
        }
        var banks = Stream.concat(scope.indexes().stream().map(SearchedIndex::bank), scope.unindexed().stream());
        for (var bank : banks.toList()) {
            var entries = queries.past(call, bank, asOf);
            if (!entries.isEmpty()) {
                past.add(ofPast(bank, entries));
            }
        }
        return past;
    }

    /** Returns an index in memory, for one search. */
    public BankIndex ofPast(long bank, List<IndexedMemory> entries) {
        return indexes.write(() -> BankIndex.ofPast(bank, entries));
    }

    /**
     * Returns the index of the bank with everything that was committed when the bank was read; null while it is being built or cannot
     * be written. An index may fail in another thread, or be closed, while this one waits: then it is opened again.
     *
     * @param position the position after which the changes of the bank are listed
     */
    private @Nullable SearchedIndex current(Call call, SearchedBank bank, long position) {
        var tenant = call.caller().tenant();
        try {
            while (!builder.isWithout(tenant, bank.id())) {
                var index = indexes.of(tenant, bank.id());
                var isCurrent = isCurrent(index, bank, position) || isBroughtUpToDate(tenant, index, bank, position);
                var reader = isCurrent ? index.acquire() : null;
                if (reader != null) {
                    return new SearchedIndex(bank.id(), reader, bank.censored());
                }
            }
        } catch (CompletionException e) { // Its files could not be written.
            builder.failed(tenant, bank.id(), e);
        }
        return null;
    }

    private static boolean isCurrent(BankIndex index, SearchedBank bank, long position) {
        return index.epoch() == bank.epoch() && areListed(index, bank, position) && index.has(bank.changes());
    }

    /** Returns whether all changes that the index may lack are listed. One that was opened again may lack others. */
    private static boolean areListed(BankIndex index, SearchedBank bank, long position) {
        return index.position() >= position && bank.changes().size() <= IndexQueries.LISTED_CHANGES;
    }

    /** Returns false if the index cannot take changes, or is closed. */
    private boolean isBroughtUpToDate(long tenant, BankIndex index, SearchedBank bank, long position) {
        if (!isLocked(tenant, bank.id(), index)) {
            return false;
        }
        try {
            if (!isCurrent(index, bank, position)) {
                if (!index.isWritable()) {
                    return false;
                }
                index.begin(bank.epoch());
                var listed = areListed(index, bank, position) ? bank.changes().size() : Integer.MAX_VALUE;
                if (!builder.isQuick(tenant, bank.id(), index, listed)) {
                    builder.begin(tenant, bank.id());
                    return false;
                }
                builder.read(tenant, bank.id(), index);
            }
            return true;
        } finally {
            index.lock().unlock();
        }
    }

    /** Waits for the lock of an index, unless it is being built. Returns whether this thread holds it. */
    private boolean isLocked(long tenant, long bank, BankIndex index) {
        while (!index.lock().tryLock()) {
            if (builder.isWithout(tenant, bank)) {
                return false;
            }
            HeavyWork.outside(index::awaitUnlocked); // Its holder may wait for a turn.
        }
        return true;
    }
}
