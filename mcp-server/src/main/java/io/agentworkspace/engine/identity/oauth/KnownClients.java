package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/**
 * The documents that the makers of widespread clients publish about them, as captured by November 2026. Some cannot be fetched by a program,
 * and an engine in a closed network fetches nothing. They trust the makers' sites: what is sent to their redirect URIs goes
 * there, or stays on the machine of the browser; vscode.dev passes it on to the address in {@code state}.
 */
final class KnownClients {
    private static final String FILE = "/oauth/clients.json";

    private static final Map<String, ObjectNode> BY_ID = read();

    private KnownClients() {}

    static Optional<ObjectNode> find(String id) {
        return Optional.ofNullable(BY_ID.get(id));
    }

    private static Map<String, ObjectNode> read() {
        try (var file = Objects.requireNonNull(KnownClients.class.getResourceAsStream(FILE), FILE)) {
            return Json.readObject(file.readAllBytes())
                    .path("clients")
                    .valueStream()
                    .map(ObjectNode.class::cast)
                    .collect(Collectors.toUnmodifiableMap(
                            client -> client.path("client_id").asString(""), Function.identity()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
