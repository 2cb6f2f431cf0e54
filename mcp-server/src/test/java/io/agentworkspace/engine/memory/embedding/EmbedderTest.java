package io.agentworkspace.engine.memory.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.TestClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When the model of embeddings is in memory. */
class EmbedderTest {
    private final TestClock clock = new TestClock(1_000);

    @Test
    void theModelIsLoadedWhenItIsNeededAndUnloadedWhenItIsIdle() {
        try (var embedder = new Embedder(new EmbeddingConfig(true, null, null, null), clock)) {
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

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, UncheckedIOException.class, NoClassDefFoundError.class})
    void aModelThatCouldNotBeLoadedIsTriedAgain(Class<? extends Throwable> failure) {
        var attempts = new AtomicInteger();
        try (var embedder = new Embedder(
                () -> {
                    if (attempts.incrementAndGet() == 1) {
                        switch (failure.getSimpleName()) {
                            case "NoClassDefFoundError" -> throw new NoClassDefFoundError("runtime");
                            case "UncheckedIOException" -> throw new UncheckedIOException(new IOException("files"));
                            default -> throw new IllegalStateException("files");
                        }
                    }
                    return new OneVector();
                },
                clock)) {
            assertThat(embedder.question("first").vector()).isNull();
            assertThat(embedder.isFailed()).isTrue();
            assertThat(embedder.isOn()).isFalse();
            assertThat(embedder.question("second").vector()).isNull();
            assertThat(attempts).hasValue(1);

            clock.advance(Duration.ofMinutes(1));
            assertThat(embedder.isOn()).isTrue();
            assertThat(embedder.passages("third")).isNotEmpty();
            assertThat(embedder.isFailed()).isFalse();
            assertThat(attempts).hasValue(2);
        }
    }

    /** Whatever is stored or searched meanwhile. */
    @Test
    void theQueueTakesAtMostHalfOfAProcessorFromCalls() {
        var worked = Duration.ofMillis(20);
        try (var embedder = new Embedder(OneVector::new, clock)) {
            assertThat(embedder.rest(worked, false)).isZero();
            assertThat(embedder.rest(worked, true)).isEqualTo(worked);
            embedder.atOnce("A text that is stored.");
            assertThat(embedder.rest(worked, true)).isGreaterThanOrEqualTo(worked);
            embedder.hurry();
            assertThat(embedder.rest(worked, true)).isGreaterThanOrEqualTo(worked);
        }
    }

    private record OneVector() implements EmbeddingModel {
        @Override
        public float[] query(String text) {
            return new float[] {1};
        }

        @Override
        public List<float[]> passages(String text) {
            return List.of(query(text));
        }

        @Override
        public void close() {}
    }
}
