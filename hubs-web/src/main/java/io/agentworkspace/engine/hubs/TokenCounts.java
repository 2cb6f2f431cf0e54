package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.tool.Tool;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/**
 * What tools cost a model that is given them: tokens (o200k_base) of their entries in {@code tools/list}. A test counts them,
 * so that nothing has to at run time.
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

    /** Of a tool, or of the toolset {@code discovery}; nothing for what was not counted. */
    int of(String name) {
        return tokens.getOrDefault(name, 0);
    }

    int of(Collection<Tool<?, ?>> tools) {
        return tools.stream().mapToInt(tool -> of(tool.name())).sum();
    }

    /** For a reader in a hurry: {@code 12k}, {@code 375}. */
    static String about(int tokens) {
        return tokens < 1000 ? Integer.toString(tokens) : "%dk".formatted(Math.round(tokens / 1000.0));
    }

    /** For a reader: {@code 12,345}. */
    static String words(int tokens) {
        return "%,d".formatted(tokens);
    }
}
