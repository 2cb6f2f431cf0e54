package io.agentworkspace.engine.memory.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.settings.EmbeddingSettings;
import io.agentworkspace.engine.testing.TestClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When the model of embeddings is in memory. */
class EmbedderTest {
    private final TestClock clock = new TestClock(1_000);

    @Test
    void theModelIsLoadedWhenItIsNeededAndUnloadedWhenItIsIdle() {
        try (var embedder = new Embedder(new EmbeddingSettings(true, null, null, null, 0), clock)) {
            assertThat(embedder.isLoaded()).isFalse();
            embedder.tidy();
            assertThat(embedder.atOnce("A store does not load it.")).isNull();
            assertThat(embedder.isLoaded()).isFalse();

            var vectors = embedder.passages("The ferry leaves at noon.");
            assertThat(embedder.isLoaded()).isTrue();
            clock.advance(Duration.ofSeconds(110));
            embedder.tidy();
            assertThat(embedder.isLoaded()).isTrue();

            embedder.passages("Use keeps it in memory.");
            clock.advance(Duration.ofSeconds(110));
            embedder.tidy();
            assertThat(embedder.isLoaded()).isTrue();

            clock.advance(Duration.ofSeconds(130));
            embedder.tidy();
            assertThat(embedder.isLoaded()).isFalse();
            assertThat(embedder.passages("The ferry leaves at noon.")).isEqualTo(vectors);
            assertThat(embedder.isLoaded()).isTrue();
        }
    }
}
