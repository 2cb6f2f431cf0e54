package io.agentworkspace.engine.memory.search.index;

import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.search.index.BankIndex.IndexChange;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the indexes of banks up to date: by a few changes at once, by many in the background, one bank after the other and in
 * portions, between which others have their turns.
 */
public final class IndexBuilder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IndexBuilder.class);
    private static final Duration RETRY = Duration.ofSeconds(30);
    private static final Duration LATELY = Duration.ofDays(7);

    private static final Duration LONGEST_TURN = Duration.ofSeconds(1);

    /** The most banks whose indexes are built after the start. */
    private static final int MOST = 50;

    private final IndexQueries queries;
    private final SearchedBankStore searched;
    private final IndexCache indexes;
    private final HeavyWork heavy;
    private final Clock clock;
    private final Limits limits;
    private final Set<Bank> building = ConcurrentHashMap.newKeySet();
    private final Map<Bank, Instant> failed = new ConcurrentHashMap<>();
    private final ExecutorService thread = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("search index builder").factory(),
            new ThreadPoolExecutor.DiscardPolicy()); // When the engine stops.
    private volatile boolean isClosed;

    private record Bank(long tenant, long bank) {
        Owner owner() {
            return new Owner(tenant, "search index");
        }
    }

    /**
     * How much a search may read into an index before it answers.
     *
     * @param changes the most memories or changes
     * @param bytes the most text
     */
    public record Limits(int changes, long bytes) {
        public static final Limits DEFAULT = new Limits(5_000, 4 << 20);
    }

    public IndexBuilder(
            IndexQueries queries,
            SearchedBankStore searched,
            IndexCache indexes,
            HeavyWork heavy,
            Clock clock,
            Limits limits) {
        this.queries = queries;
        this.searched = searched;
        this.indexes = indexes;
        this.heavy = heavy;
        this.clock = clock;
        this.limits = limits;
    }

    /** Begins to build the indexes of the banks that were searched lately, on any replica. */
    public void start() {
        thread.execute(() -> {
            try {
                buildNext(new ArrayDeque<>(searched.since(clock.instant().minus(LATELY), MOST)));
            } catch (RuntimeException e) {
                LOG.warn("search indexes are built at the first search of each bank: {}", e.toString());
            }
        });
    }

    /** Builds the first index of the list. Those that were searched meanwhile come before the rest. */
    private void buildNext(Queue<SearchedBankStore.SearchedBank> list) {
        var next = list.poll();
        if (next != null && !isClosed) {
            buildAhead(new Bank(next.tenant(), next.bank()));
            thread.execute(() -> buildNext(list));
        }
    }

    /** Builds an index before it is searched. A search can wait for a small one, or for one that was saved. */
    private void buildAhead(Bank key) {
        try {
            var index = indexes.of(key.tenant(), key.bank());
            if (isQuick(key.tenant(), key.bank(), index, Integer.MAX_VALUE) || building.add(key)) {
                build(key);
            }
        } catch (RuntimeException e) {
            failed(key.tenant(), key.bank(), e);
        }
    }

    /**
     * Returns whether searches do without the index for now: it is too large and being built, or could not be written a moment ago, or
     * the engine stops.
     */
    boolean isWithout(long tenant, long bank) {
        var key = new Bank(tenant, bank);
        var since = failed.get(key);
        return isClosed
                || building.contains(key)
                || since != null && since.plus(RETRY).isAfter(clock.instant());
    }

    /**
     * Returns whether a search can wait until the index is up to date.
     *
     * @param listed how many changes it lacks, if they are listed
     */
    boolean isQuick(long tenant, long bank, BankIndex index, int listed) {
        return listed <= limits.changes() || queries.isWithin(tenant, bank, index.position(), limits);
    }

    /** Brings an index up to date in the background, for which a search cannot wait. */
    public void begin(long tenant, long bank) {
        var key = new Bank(tenant, bank);
        if (!isClosed && building.add(key)) {
            thread.execute(() -> build(key));
        }
    }

    private void build(Bank key) {
        try {
            var index = indexes.of(key.tenant(), key.bank());
            index.lock().lock();
            try {
                index.begin(queries.epoch(key.tenant()));
                read(key.tenant(), key.bank(), index);
            } finally {
                index.lock().unlock();
            }
            failed.remove(key);
        } catch (RuntimeException e) {
            failed(key.tenant(), key.bank(), e);
        } finally {
            building.remove(key);
        }
    }

    /** The index could not be written, as on a full disk. It is tried again at a search a little later. */
    void failed(long tenant, long bank, RuntimeException e) {
        if (!isClosed) {
            LOG.warn(
                    "cannot build the search index of a bank; it is searched by words, and built later: {}",
                    e.toString());
            failed.put(new Bank(tenant, bank), clock.instant());
        }
    }

    /** Adds what was committed since the index was last read. The caller holds its lock. */
    void read(long tenant, long bank, BankIndex index) {
        var start = index.position() == 0 ? readNew(tenant, bank, index) : index.position();
        var progress = new Progress(IndexChange.before(start), start);
        inTurns(tenant, bank, progress, () -> readChanges(tenant, bank, index, progress));
    }

    /** How far the changes of a bank are read. */
    private static final class Progress {
        private final long start;
        private IndexChange after;
        private long horizon;
        private boolean isFirst = true;
        private boolean isRenumbered;
        private boolean isDone;

        Progress(IndexChange after, long start) {
            this.after = after;
            this.start = start;
            this.horizon = start;
        }
    }

    /**
     * Reads portions in the turns that others leave. A turn lasts about as long as the wait for it: otherwise searches, each of which
     * the database answers slowly while there is no index, would hold up the very index that they lack.
     */
    private void inTurns(long tenant, long bank, Progress progress, Runnable portion) {
        while (!progress.isDone) {
            var asked = System.nanoTime();
            heavy.runInBackground(new Bank(tenant, bank).owner(), () -> {
                var began = System.nanoTime();
                var length = Math.min(began - asked, LONGEST_TURN.toNanos());
                do {
                    if (isClosed) {
                        throw new IllegalStateException("the engine stops");
                    }
                    portion.run();
                } while (!progress.isDone && System.nanoTime() - began < length);
                return true;
            });
        }
    }

    private void readChanges(long tenant, long bank, BankIndex index, Progress progress) {
        var portion = queries.changes(tenant, bank, progress.after);
        if (portion.isForeign() && !progress.isRenumbered) {
            queries.renumber(tenant, bank);
            progress.isRenumbered = true;
            progress.after = IndexChange.before(progress.start);
            return;
        }
        if (progress.isFirst && portion.horizon() > 0) {
            progress.horizon = portion.horizon();
            progress.isFirst = false;
        }
        var news = portion.entries().stream()
                .filter(entry -> !index.has(entry.toChange()))
                .toList();
        indexes.write(() -> {
            index.apply(news);
            if (portion.isLast()) {
                index.reached(progress.horizon);
            }
            return true;
        });
        progress.isDone = portion.isLast();
        progress.after =
                portion.isLast() ? progress.after : portion.entries().getLast().toChange();
    }

    /**
     * Adds all memories of a bank to its new index.
     *
     * @return the oldest transaction whose changes may be missing
     */
    private long readNew(long tenant, long bank, BankIndex index) {
        indexes.write(() -> {
            index.clear();
            return true;
        });
        var progress = new Progress(IndexChange.before(0), 0);
        inTurns(tenant, bank, progress, () -> {
            var portion = queries.memories(tenant, bank, progress.after);
            indexes.write(() -> {
                index.add(portion.entries());
                return true;
            });
            progress.horizon = progress.horizon == 0 ? portion.horizon() : progress.horizon;
            progress.isDone = portion.isLast();
            progress.after = portion.isLast()
                    ? progress.after
                    : portion.entries().getLast().toChange();
        });
        return progress.horizon;
    }

    /** Returns how many indexes are being built, or wait for that. */
    public int waiting() {
        return building.size();
    }

    /** Records which of the open indexes were searched lately. */
    public void record() {
        searched.record(indexes.used(), clock.instant());
    }

    /** Deletes records of banks that nobody has searched for long. */
    public void purge(Instant now) {
        searched.forget(now.minus(LATELY));
        failed.values().removeIf(at -> at.plus(RETRY).isBefore(now));
    }

    @Override
    public void close() {
        isClosed = true;
        thread.shutdown();
    }
}
