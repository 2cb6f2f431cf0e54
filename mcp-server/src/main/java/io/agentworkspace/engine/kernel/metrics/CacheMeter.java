package io.agentworkspace.engine.kernel.metrics;

import com.github.benmanes.caffeine.cache.Cache;
import io.agentworkspace.engine.kernel.metrics.Metrics.Labelled;

/** How full the caches are, and how often they have what is looked up. */
final class CacheMeter {
    private final Labelled entries;
    private final Labelled hits;
    private final Labelled misses;

    CacheMeter(Metrics metrics) {
        entries = metrics.gauges("engine_cache_entries", "Entries of each cache.", "cache");
        hits = metrics.counters("engine_cache_hits", "Look-ups that a cache answered.", "cache");
        misses = metrics.counters("engine_cache_misses", "Look-ups that a cache did not answer.", "cache");
    }

    void add(String name, Cache<?, ?> cache) {
        entries.with(name, cache::estimatedSize);
        hits.with(name, () -> cache.stats().hitCount());
        misses.with(name, () -> cache.stats().missCount());
    }
}
