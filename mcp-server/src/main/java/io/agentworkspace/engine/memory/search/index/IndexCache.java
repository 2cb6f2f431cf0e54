package io.agentworkspace.engine.memory.search.index;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.util.IOUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The indexes of searched banks, as files in a folder of this process. Idle indexes are closed; a later start reuses
 * the files. The folder may be deleted while the engine is not running.
 */
public final class IndexCache implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IndexCache.class);
    private static final int PROCESSES = 64;
    private static final int OPEN = 200;
    private static final Duration IDLE = Duration.ofMinutes(5);

    /** An index that was used since may be in use. */
    private static final Duration IN_USE = Duration.ofMinutes(1);

    /** The time for which deletions are recorded for the indexes. Indexes saved earlier are rebuilt. */
    private static final Duration REMEMBERED = Duration.ofDays(30);

    private final IndexQueries queries;
    private final Path root;
    private final Clock clock;
    private @Nullable Slot slot;
    private final ConcurrentHashMap<BankKey, BankIndex> open = new ConcurrentHashMap<>();

    /** The banks whose files were checked. */
    private final Set<BankKey> checked = ConcurrentHashMap.newKeySet();

    /** Separate threads, since the interruption of a thread closes Lucene's files. */
    private final ExecutorService writers = Executors.newFixedThreadPool(
            2, Thread.ofPlatform().daemon().name("search-index-", 0).factory());

    private final ExecutorService closer = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("search index closer").factory());

    private record BankKey(long tenant, long bank) {}

    private record Slot(@Nullable Path folder, @Nullable FileChannel lock) {}

    /** @param root a folder for the indexes of all processes and databases */
    public IndexCache(IndexQueries queries, Path root, Clock clock) {
        this.queries = queries;
        this.root = root;
        this.clock = clock;
    }

    /** Chosen when the first bank is searched. */
    private synchronized Slot slot() {
        var chosen = slot;
        if (chosen == null) {
            chosen = slot(root.resolve(queries.identity()));
            slot = chosen;
        }
        return chosen;
    }

    /** Returns the first slot that no other process uses. Without one, indexes are held in memory. */
    private static Slot slot(Path root) {
        for (var i = 0; i < PROCESSES; i++) {
            var folder = root.resolve(Integer.toString(i));
            try {
                Files.createDirectories(folder);
                var channel =
                        FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                if (isTaken(channel)) {
                    return new Slot(folder, channel);
                }
                channel.close();
            } catch (IOException e) {
                LOG.warn("cannot store the search index in {}; it is in memory only: {}", folder, e.toString());
                break;
            }
        }
        return new Slot(null, null);
    }

    private static boolean isTaken(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) { // Another engine in this process.
            return false;
        }
    }

    /**
     * Returns the index of a bank, and opens it if necessary. It stays open for at least a minute. After a failed write, as on a full
     * disk, it is opened again.
     */
    public BankIndex of(long tenant, long bank) {
        return Objects.requireNonNull(open.compute(new BankKey(tenant, bank), (key, current) -> {
            var index = current;
            if (current != null && !current.isWritable()) {
                close(current);
                index = null;
            }
            index = index == null ? opened(key) : index;
            index.touch();
            return index;
        }));
    }

    private BankIndex opened(BankKey key) {
        var home = slot().folder();
        var oldest = clock.instant().minus(REMEMBERED).plus(Duration.ofDays(1));
        return write(() -> {
            try {
                return intact(key, new BankIndex(key.bank(), directory(home, key), queries.model(), oldest));
            } catch (IOException | RuntimeException damaged) { // Lucene may throw anything on damaged files.
                if (home == null) {
                    throw damaged;
                }
                LOG.warn("the search index of a bank is damaged; building it again: {}", damaged.toString());
                delete(home.resolve(key.tenant() + "-" + key.bank()));
                return new BankIndex(key.bank(), directory(home, key), queries.model(), oldest);
            }
        });
    }

    /** Reads the whole index when this process opens it first: Lucene itself notices most damage only in a search, or never. */
    private BankIndex intact(BankKey key, BankIndex index) throws IOException {
        if (!checked.add(key)) {
            return index;
        }
        try {
            index.checkIntegrity();
            return index;
        } catch (IOException | RuntimeException e) {
            IOUtils.closeWhileHandlingException(index::close);
            throw e;
        }
    }

    /** Returns how many banks have an open index. */
    public int size() {
        return open.size();
    }

    /** Returns the banks that were searched within the last minutes. */
    public List<SearchedBankStore.SearchedBank> used() {
        return open.entrySet().stream()
                .filter(entry -> entry.getValue().isSearchedWithin(IDLE))
                .map(entry -> new SearchedBankStore.SearchedBank(
                        entry.getKey().tenant(), entry.getKey().bank()))
                .toList();
    }

    /** Returns how far the open indexes of a tenant have read, by bank. */
    public Map<Long, Long> positions(long tenant) {
        var positions = new HashMap<Long, Long>();
        open.forEach((key, index) -> {
            if (key.tenant() == tenant) {
                positions.put(key.bank(), index.position());
            }
        });
        return positions;
    }

    private static Directory directory(@Nullable Path home, BankKey key) throws IOException {
        return home == null
                ? new ByteBuffersDirectory(NoLockFactory.INSTANCE)
                : new MMapDirectory(home.resolve(key.tenant() + "-" + key.bank()), NoLockFactory.INSTANCE);
    }

    /** Work with files, done by a thread that is never interrupted. */
    @FunctionalInterface
    interface FileWork<T> {
        T run() throws IOException;
    }

    <T> T write(FileWork<T> work) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return work.run();
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        writers)
                .join();
    }

    /** Saves changed indexes and closes idle ones. */
    public void tidy() {
        var byAge = open.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> -entry.getValue().idleNanos()))
                .toList();
        var excess = byAge.size() - OPEN;
        for (var i = 0; i < byAge.size(); i++) {
            var entry = byAge.get(i);
            if (i < excess || entry.getValue().idleNanos() > IDLE.toNanos()) {
                close(entry.getKey(), IN_USE);
            } else if (!entry.getValue().lock().isLocked()) {
                save(entry.getValue());
            }
        }
    }

    private void save(BankIndex index) {
        try {
            write(() -> {
                index.save(clock.instant());
                return true;
            });
        } catch (CompletionException e) {
            LOG.warn("cannot save a search index: {}", e.toString());
        }
    }

    /** Closes an index, unless it was used meanwhile. It cannot be reopened before it is closed. */
    private void close(BankKey key, Duration idle) {
        open.computeIfPresent(key, (_, index) -> {
            if (index.idleNanos() < idle.toNanos()) {
                return index;
            }
            close(index);
            return null;
        });
    }

    /**
     * Saves and closes an index, as far as the disk permits. A thread that holds its lock may wait for one of the writers, so none of
     * these waits for the lock.
     */
    private void close(BankIndex index) {
        CompletableFuture.runAsync(
                        () -> {
                            try {
                                index.save(clock.instant());
                            } catch (IOException | RuntimeException e) {
                                LOG.warn("cannot save a search index; it is built again: {}", e.toString());
                            } finally {
                                IOUtils.closeWhileHandlingException(index::close);
                            }
                        },
                        closer)
                .join();
    }

    /** Deletes the indexes of deleted banks, and the records of old deletions. */
    public void purge(Instant now) {
        queries.forget(now.minus(REMEMBERED));
        Slot chosen;
        synchronized (this) {
            chosen = slot;
        }
        var home = chosen == null ? null : chosen.folder();
        if (home == null) {
            return;
        }
        for (var key : kept(home)) {
            if (queries.isGone(key.tenant(), key.bank())) {
                close(key, Duration.ZERO);
                write(() -> delete(home.resolve(key.tenant() + "-" + key.bank())));
            }
        }
    }

    private static List<BankKey> kept(Path home) {
        try (var files = Files.list(home)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("\\d{1,18}-\\d{1,18}"))
                    .map(name -> name.split("-", -1))
                    .map(parts -> new BankKey(Long.parseLong(parts[0]), Long.parseLong(parts[1])))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
        return true;
    }

    @Override
    public synchronized void close() {
        open.keySet().forEach(key -> close(key, Duration.ZERO));
        writers.shutdown();
        closer.shutdown();
        try {
            if (slot != null && slot.lock() != null) {
                slot.lock().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
