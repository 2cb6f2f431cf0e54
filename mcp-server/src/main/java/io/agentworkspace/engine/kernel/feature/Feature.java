package io.agentworkspace.engine.kernel.feature;

import io.agentworkspace.engine.kernel.changes.DatabaseSignals;
import io.agentworkspace.engine.kernel.metrics.Metrics;
import io.agentworkspace.engine.kernel.scheduling.Housekeeping;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.eclipse.jetty.server.Handler;
import org.jspecify.annotations.Nullable;

/**
 * What one feature adds to the engine: its tools, endpoints, listeners, background work and metrics. Each feature makes
 * this value in its own package, in a class named {@code …Feature}; {@code app/Features} and {@code App} list them.
 */
public final class Feature {
    private final List<Tool<?, ?>> tools = new ArrayList<>();
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final List<DatabaseSignals.Listener> listeners = new ArrayList<>();
    private final List<Consumer<Housekeeping>> background = new ArrayList<>();
    private final List<Consumer<Metrics>> metrics = new ArrayList<>();
    private final List<AutoCloseable> parts = new ArrayList<>();
    private final List<Runnable> loops = new ArrayList<>();
    private @Nullable String predecessor;

    /** What answers the requests to some paths. */
    public record Endpoint(Predicate<String> paths, Handler handler) {
        public boolean serves(String path) {
            return paths.test(path);
        }
    }

    /** Adds tools, in the order in which clients see them: in each family a harmless read first. */
    public Feature tools(List<Tool<?, ?>> added) {
        tools.addAll(added);
        return this;
    }

    /** Says that the tools belong in the midst of a family of another feature. */
    public Feature after(String tool) {
        predecessor = tool;
        return this;
    }

    /** Adds what answers the requests to some paths. */
    public Feature endpoint(Predicate<String> paths, Handler handler) {
        endpoints.add(new Endpoint(paths, handler));
        return this;
    }

    /** Adds a listener to the signals of the database. */
    public Feature listener(DatabaseSignals.Listener listener) {
        listeners.add(listener);
        return this;
    }

    /** Adds what runs from time to time. */
    public Feature background(Consumer<Housekeeping> work) {
        background.add(work);
        return this;
    }

    public Feature metrics(Consumer<Metrics> figures) {
        metrics.add(figures);
        return this;
    }

    /** Adds what is closed with the engine, after its endpoints. */
    public Feature closing(AutoCloseable part) {
        parts.add(part);
        return this;
    }

    /** Adds a loop that runs until it is closed. */
    public Feature running(AutoCloseable loop, Runnable start) {
        loops.add(start);
        return closing(loop);
    }

    public List<Tool<?, ?>> tools() {
        return Collections.unmodifiableList(tools);
    }

    /** Returns one of the tools. */
    public Tool<?, ?> tool(String name) {
        return tools.stream()
                .filter(tool -> tool.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    public List<Endpoint> endpoints() {
        return Collections.unmodifiableList(endpoints);
    }

    /** Returns what {@code App} closes, in reverse order. */
    public List<AutoCloseable> parts() {
        return Collections.unmodifiableList(parts);
    }

    /** Puts the tools where they belong among those of the features before. */
    public void addTo(List<Tool<?, ?>> all) {
        if (predecessor == null) {
            all.addAll(tools);
            return;
        }
        for (var i = 0; i < all.size(); i++) {
            if (all.get(i).name().equals(predecessor)) {
                all.addAll(i + 1, tools);
                return;
            }
        }
        throw new IllegalStateException("no tool " + predecessor + " to stand after");
    }

    /** Starts the loops, and registers everything but the tools and the endpoints. */
    public void start(Housekeeping housekeeping, Metrics figures, Consumer<DatabaseSignals.Listener> signals) {
        background.forEach(work -> work.accept(housekeeping));
        metrics.forEach(figure -> figure.accept(figures));
        listeners.forEach(signals);
        loops.forEach(Runnable::run);
    }
}
