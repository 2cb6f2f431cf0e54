package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.model.search.Discovery;
import io.agentworkspace.engine.model.text.Sha256;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;

/**
 * The names here of what a server offers. A client puts up to 26 characters before the name of a tool, of the 64 that models
 * accept.
 */
final class OfferNames {
    private static final int LONGEST = 38;
    private static final int HASH = 6;

    private final String upstream;
    private final Set<String> taken;

    /** @param taken the names of what it offered before */
    OfferNames(String upstream, Set<String> taken) {
        this.upstream = upstream;
        this.taken = new HashSet<>(taken);
    }

    /** Names something that has no name yet. */
    String of(Definition definition) {
        var item = definition.item();
        if (definition.kind().isResource()) {
            return unique(ForeignUri.here(upstream, item), item);
        }
        var plain = upstream + "_" + item.replaceAll("[^A-Za-z0-9_-]", "_");
        var isFree = plain.length() <= LONGEST && !Discovery.has(plain) && taken.add(plain);
        if (isFree) {
            return plain;
        }
        var hashed = hashed(plain, item);
        return taken.add(hashed) ? hashed : hashed(plain, definition.kind() + item);
    }

    private String unique(String name, String item) {
        return taken.add(name) ? name : name + "_" + hash(item);
    }

    private static String hashed(String plain, String item) {
        return plain.substring(0, Math.min(plain.length(), LONGEST - HASH - 1)) + "_" + hash(item);
    }

    private static String hash(String item) {
        return HexFormat.of().formatHex(Sha256.of(item)).substring(0, HASH);
    }
}
