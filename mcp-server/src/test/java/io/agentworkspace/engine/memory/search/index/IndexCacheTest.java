package io.agentworkspace.engine.memory.search.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexCacheTest {
    @Test
    void anIndexThatWasJustOpenedStaysOpenAmongManyOthers(@TempDir Path folder) throws IOException {
        try (var cache = new IndexCache(new IndexQueries(TestDatabase.db(), "m"), folder, Clock.systemUTC())) {
            var indexes = LongStream.rangeClosed(1, 210)
                    .mapToObj(bank -> cache.of(1, bank))
                    .toList();
            cache.tidy();
            assertThat(cache.size()).isEqualTo(210);
            for (var index : indexes) {
                Objects.requireNonNull(index.acquire()).decRef();
            }
        }
    }

    /** Lucene closes a writer that could not write. Nothing else would open it again while the bank is searched. */
    @Test
    void anIndexThatCouldNotBeWrittenIsOpenedAgain(@TempDir Path folder) throws IOException {
        try (var cache = new IndexCache(new IndexQueries(TestDatabase.db(), "m"), folder, Clock.systemUTC())) {
            var index = cache.of(1, 1);
            index.apply(List.of(memory("small")));
            index.reached(1);
            var home = onlyFolder(folder, "1-1");
            try (var files = Files.list(home)) {
                for (var file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(home);
            Files.createFile(home); // Nothing can be written below it.
            assertThatThrownBy(() -> {
                        index.apply(LongStream.range(0, 300_000)
                                .mapToObj(i -> memory("word" + i))
                                .toList());
                        index.reached(2);
                    })
                    .isInstanceOf(Exception.class);
            Files.delete(home);
            var again = cache.of(1, 1);
            again.apply(List.of(memory("small")));
            again.reached(3);
            assertThat(again.size()).isEqualTo(1);
        }
    }

    /** Whatever is wrong with a file of a saved index: a start finds it, and the index is built again. */
    @Test
    void aDamagedIndexIsBuiltAgain(@TempDir Path folder) throws IOException {
        for (var file : saved(folder.resolve("names"))) {
            for (var damage : Damage.values()) {
                var root = folder.resolve(file + damage);
                saved(root);
                var path = onlyFolder(root, "1-1").resolve(file);
                damage.to(path);
                try (var cache = new IndexCache(new IndexQueries(TestDatabase.db(), "m"), root, Clock.systemUTC())) {
                    var index = cache.of(1, 1);
                    assertThat(index.size()).as("%s %s", file, damage).isZero();
                    index.apply(List.of(memory("again")));
                    index.reached(2);
                    assertThat(index.size()).isEqualTo(1);
                }
                assertThat(saved(root)).isNotEmpty();
            }
        }
    }

    private enum Damage {
        SHORT,
        ZEROS,
        EMPTY;

        void to(Path file) throws IOException {
            var bytes = Files.readAllBytes(file);
            if (this == ZEROS) {
                Arrays.fill(bytes, bytes.length / 2, bytes.length / 2 + 16, (byte) 0);
            }
            Files.write(file, this == ZEROS ? bytes : Arrays.copyOf(bytes, this == SHORT ? bytes.length / 2 : 0));
        }
    }

    /** Saves the index of a bank with some memories, and returns the names of its files. */
    private static List<String> saved(Path root) throws IOException {
        try (var cache = new IndexCache(new IndexQueries(TestDatabase.db(), "m"), root, Clock.systemUTC())) {
            var index = cache.of(1, 1);
            index.apply(
                    LongStream.range(0, 50).mapToObj(i -> memory("word" + i)).toList());
            index.reached(1);
        }
        try (var files = Files.list(onlyFolder(root, "1-1"))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** {@code pg_restore --clean} creates new tables in the same database. */
    @Test
    void aDatabaseWithARestoredBackupUsesNoFormerIndex() {
        try (var db = TestDatabase.fresh("restored_in_place")) {
            var queries = new IndexQueries(db, "m");
            var former = queries.identity();
            assertThat(queries.identity()).isEqualTo(former);
            db.sql("DROP TABLE memory CASCADE").run();
            db.sql("CREATE TABLE memory (id uuid)").run();
            assertThat(queries.identity()).isNotEqualTo(former);
        }
    }

    /** Each of two indexes failed while a thread holds its lock, and another thread opens it again. */
    @Test
    void indexesThatAreOpenedAgainDoNotKeepOthersFromWriting(@TempDir Path folder) {
        try (var cache = new IndexCache(new IndexQueries(TestDatabase.db(), "m"), folder, Clock.systemUTC());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var failed = List.of(cache.of(1, 1), cache.of(1, 2));
            failed.forEach(BankIndex::close);
            failed.forEach(index -> index.lock().lock());
            var openers = LongStream.of(1, 2)
                    .mapToObj(bank -> Thread.ofVirtual().start(() -> cache.of(1, bank)))
                    .toList();
            try {
                await().until(() -> openers.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING)
                        && failed.stream().anyMatch(index -> index.lock().hasQueuedThreads()));
                var written = threads.submit(() -> cache.write(() -> true));
                await().until(written::isDone);
            } finally {
                failed.forEach(index -> index.lock().unlock());
            }
            await().until(() -> openers.stream().noneMatch(Thread::isAlive));
            assertThat(cache.of(1, 1).isWritable()).isTrue();
            assertThat(cache.of(1, 2).isWritable()).isTrue();
        }
    }

    private static Path onlyFolder(Path root, String name) throws IOException {
        try (var files = Files.walk(root)) {
            return files.filter(file -> file.endsWith(name)).findFirst().orElseThrow();
        }
    }

    private static BankIndex.IndexedMemory memory(String text) {
        return new BankIndex.IndexedMemory(UUID.randomUUID(), "1", null, text, List.of(), 1, Instant.EPOCH, null);
    }
}
