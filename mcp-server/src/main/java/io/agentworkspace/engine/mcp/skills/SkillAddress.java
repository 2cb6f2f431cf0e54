package io.agentworkspace.engine.mcp.skills;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The parts of a skill's URI.
 *
 * @param path of a file or folder in the skill; empty for the skill's own folder
 */
record SkillAddress(String skill, String path) {
    private static final String SCHEME = "skill://";

    /** Parses the URI. Empty if it is not in canonical form. */
    static Optional<SkillAddress> find(String uri) {
        if (!uri.startsWith(SCHEME)) {
            return Optional.empty();
        }
        var parts = uri.substring(SCHEME.length()).split("/", 2);
        if (parts.length == 1) {
            return Optional.of(new SkillAddress(parts[0], ""));
        }
        try {
            var path = URLDecoder.decode(parts[1].replace("+", "%2B"), StandardCharsets.UTF_8);
            return Optional.of(new SkillAddress(parts[0], path))
                    .filter(_ -> path.indexOf('\0') < 0
                            && SkillResources.uri(parts[0], path).equals(uri));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
