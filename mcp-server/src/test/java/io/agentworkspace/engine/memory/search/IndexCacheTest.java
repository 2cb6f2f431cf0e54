package io.agentworkspace.engine.memory.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexCacheTest {
    @Test
    void anIndexThatWasJustOpenedStaysOpenAmongManyOthers(@TempDir Path folder) throws IOException {
        try (var cache = new IndexCache(new SearchQueries(TestDatabase.db(), "m"), folder, Clock.systemUTC())) {
            var indexes = LongStream.rangeClosed(1, 210)
                    .mapToObj(bank -> cache.of(1, bank))
                    .toList();
            cache.tidy();
            assertThat(cache.size()).isEqualTo(210);
            for (var index : indexes) {
                index.acquire().decRef();
            }
        }
    }
}
