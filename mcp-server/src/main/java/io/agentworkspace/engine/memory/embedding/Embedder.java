package io.agentworkspace.engine.memory.embedding;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.kernel.metrics.FileDescriptors;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes vectors of texts. The model is loaded when it is first needed, and unloaded when it is idle. If it cannot be
 * loaded, there are no vectors, and memories are found by their words, until it is tried again.
 */
public final class Embedder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Embedder.class);
    private static final String BUILTIN = "all-minilm-l6-v2-q";

    /** The runtime of the model ends the process if it cannot open its files. */
    private static final int FILES = 64;

    /** How long to wait after the model could not be loaded. */
    private static final Duration RETRY = Duration.ofSeconds(30);

    private static final Duration IDLE = Duration.ofMinutes(2);
    private static final Duration QUESTION = Duration.ofSeconds(2);
    private static final Duration TEXT = Duration.ofMillis(50);
    private static final int SHORT_TEXT = 600;

    /** While texts come one after the other, embedding them takes at most this part of a processor. */
    private static final int SHARE = 10;

    private final boolean isOn;
    private final String id;
    private final Supplier<EmbeddingModel> loading;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Cache<String, float[]> questions =
            Caffeine.newBuilder().maximumSize(500).build();
    private final Semaphore slot = new Semaphore(1);
    private final Clock clock;

    /** Of its own: a thread that is in the model holds on to its processor. */
    private final ExecutorService threads = Executors.newFixedThreadPool(
            2, Thread.ofPlatform().daemon().name("embedding-", 0).factory());

    private @Nullable EmbeddingModel model;
    private volatile @Nullable Instant failedAt;
    private volatile boolean isClosed;
    private volatile Instant usedAt;
    private volatile long freeAt = System.nanoTime();
    private volatile long hurriedAt = System.nanoTime() - TimeUnit.HOURS.toNanos(1);
    private volatile long storedAt = System.nanoTime() - TimeUnit.HOURS.toNanos(1);

    public Embedder(EmbeddingConfig settings, Clock clock) {
        this.clock = clock;
        this.usedAt = clock.instant();
        this.isOn = settings.isOn();
        var endpoint = settings.endpoint();
        if (endpoint == null) {
            id = BUILTIN + "/1";
            loading = Embedder::builtin;
        } else {
            var name = Objects.requireNonNull(settings.model());
            id = endpoint.getHost() + "/" + name;
            loading = () -> new RemoteModel(endpoint, settings.key(), name);
        }
    }

    /** Makes vectors with another model. */
    Embedder(Supplier<EmbeddingModel> loading, Clock clock) {
        this.clock = clock;
        this.usedAt = clock.instant();
        this.isOn = true;
        this.id = "test/1";
        this.loading = loading;
    }

    private static EmbeddingModel builtin() {
        if (FileDescriptors.free() < FILES) {
            throw new IllegalStateException("too few file descriptors are left: raise the limit of open files");
        }
        return new BuiltinModel(BUILTIN);
    }

    /** Returns whether there is a model to load. */
    boolean isPossible() {
        return isOn;
    }

    /** Returns whether there is a model that can be used now. One that could not be loaded is tried again after a while. */
    public boolean isOn() {
        return isPossible() && !isFailed();
    }

    /** Returns whether the model could not be loaded, and is not tried again yet. */
    public boolean isFailed() {
        var failed = failedAt;
        return failed != null && Duration.between(failed, clock.instant()).compareTo(RETRY) < 0;
    }

    /** Returns the id of the model. Only vectors of one model can be compared. */
    public String id() {
        return id;
    }

    /** Returns whether the model is in memory. */
    public boolean isLoaded() {
        lock.readLock().lock();
        try {
            return model != null;
        } finally {
            lock.readLock().unlock();
        }
    }

    /** The vector of a question, which is being computed. */
    public interface Question {
        /** Waits for it. Returns null if there is none within two seconds: the model is being loaded, or busy. */
        float @Nullable [] vector();
    }

    /** Begins to compute the vector of a question. */
    public Question question(String text) {
        if (!isOn() || text.isBlank()) {
            return () -> null;
        }
        var hit = questions.getIfPresent(text);
        if (hit != null) {
            return () -> hit;
        }
        var vector = start(() -> {
            var made = with(model -> model.query(text));
            questions.put(text, made);
            return made;
        });
        return () -> vector.isDone() ? within(QUESTION, vector) : HeavyWork.outside(() -> within(QUESTION, vector));
    }

    /** Returns whether {@link #atOnce} would probably make the vectors of the text now. */
    public boolean isFreeFor(String text) {
        return isOn() && text.length() <= SHORT_TEXT && System.nanoTime() >= freeAt && isLoaded();
    }

    /** Returns the vectors of a short text that is being stored, or null if the model is not free for it. */
    public byte @Nullable [] atOnce(String text) {
        storedAt = System.nanoTime();
        if (!isFreeFor(text) || !slot.tryAcquire()) {
            return null;
        }
        return within(TEXT, start(() -> {
            var began = System.nanoTime();
            try {
                return passages(text);
            } finally {
                var now = System.nanoTime();
                freeAt = now + (now - began) * (SHARE - 1);
                slot.release();
            }
        }));
    }

    /** A search waits for vectors: the queue does not rest meanwhile. */
    public void hurry() {
        hurriedAt = System.nanoTime();
    }

    /** Loads the model, so that what is stored first need not wait for it. */
    void warm() {
        if (isOn() && !isLoaded()) {
            load();
        }
    }

    /**
     * Returns how long the queue rests after this much work: long while texts are being stored, and at least as long as it worked while
     * there are calls, so that embedding takes at most half of a processor from them.
     */
    Duration rest(Duration worked, boolean areCallsRunning) {
        var now = System.nanoTime();
        var isAwaited = now - hurriedAt < Duration.ofSeconds(1).toNanos();
        var isBusy = now - storedAt < Duration.ofSeconds(1).toNanos();
        return worked.multipliedBy(isBusy && !isAwaited ? SHARE - 1 : areCallsRunning ? 1 : 0);
    }

    /** Returns the packed vectors of a text. */
    public byte[] passages(String text) {
        return with(model -> Vectors.packed(model.passages(text)));
    }

    private <T> CompletableFuture<T> start(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, threads);
    }

    private static <T> @Nullable T within(Duration time, CompletableFuture<T> work) {
        try {
            return work.get(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return null;
        } catch (ExecutionException e) {
            LOG.warn("could not compute a vector", e.getCause());
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private <T> T with(Function<EmbeddingModel, T> work) {
        while (true) {
            lock.readLock().lock();
            try {
                var loaded = model;
                if (loaded != null) {
                    var made = work.apply(loaded);
                    usedAt = clock.instant();
                    return made;
                }
            } finally {
                lock.readLock().unlock();
            }
            load();
        }
    }

    private void load() {
        lock.writeLock().lock();
        try {
            if (isClosed) {
                throw new IllegalStateException("the engine stops");
            }
            if (model == null) {
                model = loading.get();
                usedAt = clock.instant();
                failedAt = null;
            }
        } catch (LinkageError | RuntimeException e) {
            failedAt = clock.instant();
            throw new IllegalStateException("the embedding model cannot be loaded here", e);
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Unloads the model if it was not used for a while. */
    public void tidy() {
        if (Duration.between(usedAt, clock.instant()).compareTo(IDLE) > 0) {
            unload();
        }
    }

    private void unload() {
        lock.writeLock().lock();
        try {
            if (model != null) {
                model.close();
            }
        } finally {
            model = null; // It may be half closed.
            lock.writeLock().unlock();
        }
    }

    @Override
    public void close() {
        // The process must not end while the model is in use: its runtime would crash.
        isClosed = true;
        threads.shutdown();
        unload();
    }
}
