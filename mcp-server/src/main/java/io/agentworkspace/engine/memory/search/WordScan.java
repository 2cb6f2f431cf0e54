package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import io.agentworkspace.engine.memory.search.index.CurrentIndexes;
import io.agentworkspace.engine.memory.search.index.SearchScope;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.ArrayList;
import java.util.List;

/** Finds memories by words in the database, in the banks whose indexes are being built. */
final class WordScan {
    /** After how many banks that take the database too long no others are searched by words. */
    private static final int FAILED_SCANS = 2;

    private final WordScanQueries scan;
    private final CurrentIndexes indexes;

    WordScan(WordScanQueries scan, CurrentIndexes indexes) {
        this.scan = scan;
        this.indexes = indexes;
    }

    /**
     * What the database found by words.
     *
     * @param compared the banks that it compared, perhaps only their newest memories
     * @param failed how many it did not compare
     */
    record Scanned(List<BankIndex> found, List<Long> compared, int failed) {}

    /**
     * Returns indexes for this search only, of what the database finds by words in the banks whose indexes are being built. A bank that
     * takes the database too long is not searched, and after a few of them the others neither.
     */
    Scanned found(Call call, SearchScope scope, PendingSearch pending) {
        var found = new ArrayList<BankIndex>();
        var isAnswerable =
                PendingSearch.hasWords(pending.parsed()) || pending.parsed().isOnlyRestricted();
        var banks = isAnswerable ? scope.unindexed() : List.<Long>of();
        var compared = new ArrayList<Long>();
        var failed = 0;
        try {
            for (var at = 0; at < banks.size() && failed < FAILED_SCANS; at++) {
                HeavyWork.pass();
                try {
                    scan(call, banks.get(at), scope, pending, found);
                    compared.add(banks.get(at));
                } catch (Problem e) {
                    failed++;
                    if (e.failure() != Failure.UNAVAILABLE) {
                        throw e;
                    }
                }
            }
            return new Scanned(found, compared, banks.size() - compared.size());
        } catch (RuntimeException e) {
            found.forEach(BankIndex::close);
            throw e;
        }
    }

    /** Adds what is found. */
    private void scan(Call call, long bank, SearchScope scope, PendingSearch pending, List<BankIndex> found) {
        var entries = scan.find(call, bank, scope, pending.parsed(), pending.request());
        if (!entries.isEmpty()) {
            found.add(indexes.ofPast(bank, entries));
        }
    }

    /** Returns of how many of these banks only the newest memories were compared. That matters only if nothing answers. */
    int partly(Call call, List<Long> banks) {
        return (int) banks.stream()
                .filter(bank -> !scan.isWhole(call, bank, banks.size()))
                .count();
    }
}
