package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.markdown.Markdown;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Resolves the links in a skill's file: to its own headings and to the skill's other files, but nowhere else on this
 * server.
 *
 * @param from the path of the file with the links
 * @param files with the {@code path} of each
 */
record SkillLinks(String skill, String from, List<JsonNode> files) {
    Optional<String> address(String link) {
        var hash = link.indexOf('#');
        var path = hash < 0 ? link : link.substring(0, hash);
        var fragment = hash < 0 ? "" : "#" + Markdown.PREFIX + link.substring(hash + 1);
        if (path.isEmpty()) {
            return Optional.of(fragment);
        }
        var target = resolved(path);
        return files.stream().map(file -> file.path("path").asString()).anyMatch(target::equals)
                ? Optional.of(file(skill, target) + fragment)
                : Optional.empty();
    }

    private String resolved(String path) {
        var parts = new ArrayDeque<String>();
        for (var part : (from.substring(0, from.lastIndexOf('/') + 1) + decoded(path)).split("/")) {
            if (part.equals("..")) {
                parts.pollLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return String.join("/", parts);
    }

    /**
     * Returns the path without percent-encoding, some of which the server leaves in. No file name contains a percent
     * sign.
     */
    static String decoded(String path) {
        try {
            return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) { // The percent sign is not the start of an encoded character.
            return path;
        }
    }

    /** Returns the address of a file's page. */
    static String file(String skill, String path) {
        return SkillPages.ROOT + "/" + skill + encoded("/files/" + path);
    }

    /** Returns the address of a file's bytes. */
    static String raw(String skill, String path) {
        return SkillPages.ROOT + "/" + skill + encoded("/raw/" + path);
    }

    private static String encoded(String path) {
        try {
            return new URI(null, null, path, null).toASCIIString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a path cannot be written as an address", e);
        }
    }
}
