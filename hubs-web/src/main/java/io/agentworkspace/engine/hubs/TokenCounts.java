package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.search.Discovery;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.Toolset;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/**
 * How many tokens (o200k_base) tools cost a model: those of their entries in {@code tools/list}. A test counts them,
 * so that nothing is counted at run time.
 */
final class TokenCounts {

    private final Map<String, Integer> tokens = new LinkedHashMap<>();

    TokenCounts() {
        var counted = new Properties();
        try {
            counted.load(new ByteArrayInputStream(Assets.bytes("/hubs/tokens.properties")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        counted.stringPropertyNames().forEach(name -> tokens.put(name, Integer.valueOf(counted.getProperty(name))));
    }

    /** Returns the tokens of a tool or of the toolset {@code discovery}; 0 if they were not counted. */
    int of(String name) {
        return tokens.getOrDefault(name, 0);
    }

    /** Returns the tokens of the tools of {@code discovery} that other lists have, too. */
    int withoutPlans() {
        return of(Toolset.DISCOVERY) - of(Discovery.PLAN);
    }

    int of(Collection<Tool<?, ?>> tools) {
        return tools.stream().mapToInt(tool -> of(tool.name())).sum();
    }

    /** Returns the rounded number: {@code 12k}, {@code 375}. */
    static String about(int tokens) {
        return tokens < 1000 ? Integer.toString(tokens) : "%dk".formatted(Math.round(tokens / 1000.0));
    }

    /** Returns the number with separators: {@code 12,345}. */
    static String words(int tokens) {
        return "%,d".formatted(tokens);
    }
}
