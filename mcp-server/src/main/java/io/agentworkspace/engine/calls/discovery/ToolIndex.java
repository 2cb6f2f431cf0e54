package io.agentworkspace.engine.calls.discovery;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.kernel.scheduling.FairQueue.Owner;
import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.search.TextIndex;
import io.agentworkspace.engine.model.search.ToolFinder;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds tools by what a caller wants to do, as memories are found: by their words and by their meaning. What a tool is
 * called counts as much as all that is said about it, where other tools are mentioned, too. An index contains only
 * tools that the caller may use, so no other tool changes what it finds. The vectors are made when they are first
 * needed, once for each description. If that takes long, and without a model, tools are found by words.
 */
public final class ToolIndex implements ToolFinder {
    private static final Logger LOG = LoggerFactory.getLogger(ToolIndex.class);

    /** How many different sets of tools have an index at a time. Most callers may use one of a few sets. */
    private static final int SETS = 16;

    /** How many tools have vectors at a time, with those of installed servers. */
    private static final int VECTORS = 20_000;

    /** How much meaning counts, compared with words: tried on {@code plain-phrases.txt} with 1 to 6. */
    private static final double MEANING = 2;

    /** A query that is the path of a field, such as {@code vx.profile}. */
    private static final Pattern FIELD = Pattern.compile("(?<![a-z])[a-z]++(?:[._][a-z]++)++");

    private static final Owner OWNER = new Owner(0, "tool vectors");

    /** How long a call waits for vectors: the first of a process waits for those of all tools. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Embedder embedder;
    private final HeavyWork heavy;
    private CompletableFuture<Void> making = CompletableFuture.completedFuture(null);
    private final Cache<List<String>, List<TextIndex>> indexes =
            Caffeine.newBuilder().maximumSize(SETS).build();
    private final Cache<String, ToolVectors> vectors =
            Caffeine.newBuilder().maximumSize(VECTORS).build();

    /** @param heavy where the vectors of tools are made, in turns with searches */
    public ToolIndex(Embedder embedder, HeavyWork heavy) {
        this.embedder = embedder;
        this.heavy = heavy;
    }

    @Override
    public List<Tool<?, ?>> find(String query, List<Tool<?, ?>> usable) {
        return found(
                query, usable, haveVectors(usable) ? embedder.question(query).vector() : null, false);
    }

    /** Waits until all have vectors, since meaning would favour those that have one. Returns whether they do. */
    private boolean haveVectors(List<Tool<?, ?>> usable) {
        var end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            var missing = usable.stream()
                    .filter(tool -> vectors.getIfPresent(key(tool)) == null)
                    .toList();
            if (missing.isEmpty()) {
                return true;
            }
            if (!embedder.isOn()) {
                return false;
            }
            try {
                making(missing).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } catch (TimeoutException | ExecutionException e) {
                LOG.debug("no vectors of tools yet: they are found by words", e);
                return false;
            }
        }
    }

    /** Makes the vectors of these tools, unless some are being made. */
    private synchronized CompletableFuture<Void> making(List<Tool<?, ?>> missing) {
        if (making.isDone()) {
            // A thread that is in the model holds on to its processor, so it is no virtual one.
            making = CompletableFuture.runAsync(
                    () -> embed(missing),
                    work -> Thread.ofPlatform().daemon().name("tool-vectors").start(work));
        }
        return making;
    }

    private void embed(List<Tool<?, ?>> missing) {
        for (var tool : missing) {
            vectors.put(key(tool), heavy.runInBackground(OWNER, () -> ToolVectors.of(tool, embedder)));
        }
    }

    /** Finds them by words only, which needs no model. The last word may be unfinished: people see what they find as they type. */
    public List<Tool<?, ?>> findByWords(String query, List<Tool<?, ?>> usable) {
        return found(query, usable, null, true);
    }

    /** Returns whether tools are found by meaning. */
    boolean knowsMeanings(List<Tool<?, ?>> tools) {
        return tools.stream().allMatch(tool -> vectors.getIfPresent(key(tool)) != null);
    }

    /** Returns what a tool's text is known by. The tools of installed servers change. */
    private static String key(Tool<?, ?> tool) {
        return tool.foreign() == null
                ? tool.name()
                : tool.name() + " " + tool.foreign().digest();
    }

    private List<Tool<?, ?>> found(
            String query, List<Tool<?, ?>> usable, float @Nullable [] question, boolean isTyped) {
        if (usable.isEmpty()) {
            return List.of();
        }
        var words = words(query, usable, isTyped);
        var values = usable.stream().collect(Collectors.toMap(Tool::name, tool -> {
            double value = words.getOrDefault(tool.name(), 0.0);
            var meaning = vectors.getIfPresent(key(tool));
            return question == null || meaning == null ? value : value + MEANING * meaning.likeness(question);
        }));
        ToDoubleFunction<Tool<?, ?>> value = tool -> values.getOrDefault(tool.name(), 0.0);
        return usable.stream()
                .filter(tool -> question != null || value.applyAsDouble(tool) > 0)
                .sorted(Comparator.comparingDouble(value).reversed())
                .toList();
    }

    /** Returns by the name of a tool about which share of the query's words it is called, plus the share that it has at all. */
    private Map<String, Double> words(String query, List<Tool<?, ?>> usable, boolean isTyped) {
        var keys = usable.stream().map(ToolIndex::key).toList();
        var shares = new HashMap<String, Double>();
        for (var index : indexes.get(keys, _ -> ToolTexts.indexes(usable))) {
            index.find(query, isTyped)
                    .forEach((place, share) -> shares.merge(usable.get(place).name(), share, Double::sum));
        }
        if (FIELD.matcher(query).matches()) {
            usable.stream()
                    .filter(tool -> ToolTexts.hasField(tool, query))
                    .forEach(tool -> shares.merge(tool.name(), 1.0, Double::sum));
        }
        return shares;
    }
}
