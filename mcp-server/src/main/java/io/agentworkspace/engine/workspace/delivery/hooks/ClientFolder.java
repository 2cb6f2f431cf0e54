package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The folder of a client below {@code clients}: its part of the join script, and {@code client.json} with its formats.
 *
 * @param word the client's name in routes, and that of its folder
 * @param description what {@code client.json} contains
 */
public record ClientFolder(String word, ObjectNode description) {
    private static final Map<String, ClientFolder> ALL = read();

    private static Map<String, ClientFolder> read() {
        var all = new LinkedHashMap<String, ClientFolder>();
        text("list").orElseThrow().lines().forEach(word -> {
            var description = text(word + "/client.json").orElseThrow();
            all.put(word, new ClientFolder(word, Json.readObject(description.getBytes(StandardCharsets.UTF_8))));
        });
        return all;
    }

    /** Returns the folders in the order in which the join script looks for their clients. */
    public static List<ClientFolder> all() {
        return List.copyOf(ALL.values());
    }

    public static Optional<ClientFolder> find(String word) {
        return Optional.ofNullable(ALL.get(word));
    }

    /** Returns a file below {@code clients}. */
    public static Optional<String> text(String path) {
        try (var stream = ClientFolder.class.getResourceAsStream("/clients/" + path)) {
            return stream == null
                    ? Optional.empty()
                    : Optional.of(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String title() {
        return description.path("title").asString(word);
    }

    /** Returns the names that agents have which join from this client, such as {@code codex} for {@code codex-2}. */
    public List<String> names() {
        return texts("names");
    }

    /** Returns the names of the files that joining installs for this client alone. */
    public List<String> files() {
        return texts("files");
    }

    private List<String> texts(String field) {
        return description.path(field).valueStream().map(JsonNode::asString).toList();
    }

    /** Returns a file of this folder. */
    public Optional<String> file(String name) {
        return text(word + "/" + name);
    }
}
