package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.text.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Style sheets, scripts and pictures. Their path contains one digest of all their contents. Therefore browsers can
 * cache them for good, scripts can import each other relatively, and a new version has a new address.
 */
final class Assets {
    static final String PREFIX = "/assets/";

    private static final Map<String, String> TYPES = Map.of(
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "LICENSE", "text/plain; charset=utf-8",
            "svg", "image/svg+xml; charset=utf-8",
            "png", "image/png",
            "gif", "image/gif");

    private static final Pattern IMPORT =
            Pattern.compile("(?m)^(?:import|export) (?:[^'&&[^;]]* from )?'(\\.[^']+)';$");

    private final Map<String, byte[]> files = new LinkedHashMap<>();
    private final String root;

    Assets(List<String> names) {
        var all = new ByteArrayOutputStream();
        for (var name : names) {
            var bytes = bytes("/hubs/assets/" + name);
            all.writeBytes(bytes);
            files.put(name, bytes);
        }
        root = PREFIX + Sha256.hex(all.toByteArray()).substring(0, 12) + "/";
    }

    /** Returns the path to which an asset's name is appended. */
    String root() {
        return root;
    }

    /** Returns a script and all scripts that it imports at once, which a browser would otherwise find one after another. */
    List<String> modules(String name) {
        var found = new LinkedHashSet<String>();
        modules(name, found);
        return List.copyOf(found);
    }

    private void modules(String name, Set<String> found) {
        if (!found.add(name)) {
            return;
        }
        var text = new String(Objects.requireNonNull(files.get(name), name), StandardCharsets.UTF_8);
        var imports = IMPORT.matcher(text);
        while (imports.find()) {
            modules(URI.create(name).resolve(imports.group(1)).toString(), found);
        }
    }

    Optional<PageResponse> find(String path) {
        return path.startsWith(root)
                ? Optional.ofNullable(files.get(path.substring(root.length())))
                        .map(bytes -> PageResponse.kept(type(path), bytes))
                : Optional.empty();
    }

    static String type(String path) {
        return TYPES.getOrDefault(path.substring(path.lastIndexOf('.') + 1), "application/octet-stream");
    }

    static byte[] bytes(String resource) {
        return resource(resource).orElseThrow(() -> new IllegalStateException("the jar lacks " + resource));
    }

    static Optional<byte[]> resource(String resource) {
        try (var in = Assets.class.getResourceAsStream(resource)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
