package io.agentworkspace.engine.upstreams;

import io.agentworkspace.engine.model.search.Discovery;
import io.agentworkspace.engine.model.text.Sha256;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The names of a server's tools here. A client puts up to 26 characters before them, of the 64 that models accept. */
final class ToolNames {
    private static final int LONGEST = 38;
    private static final int HASH = 6;

    private ToolNames() {}

    /**
     * Names tools that have no name yet.
     *
     * @param taken the names of its other tools
     */
    static Map<String, String> of(String upstream, Collection<String> tools, Set<String> taken) {
        var names = new LinkedHashMap<String, String>();
        for (var tool : tools) {
            var plain = upstream + "_" + tool.replaceAll("[^A-Za-z0-9_-]", "_");
            var isFree = plain.length() <= LONGEST
                    && !Discovery.has(plain)
                    && !taken.contains(plain)
                    && !names.containsValue(plain);
            names.put(tool, isFree ? plain : hashed(plain, tool));
        }
        return names;
    }

    private static String hashed(String plain, String tool) {
        var hash = HexFormat.of().formatHex(Sha256.of(tool)).substring(0, HASH);
        return plain.substring(0, Math.min(plain.length(), LONGEST - HASH - 1)) + "_" + hash;
    }
}
