package io.agentworkspace.engine.identity.credentials;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The content of a JWT before its signature is verified. Use it only to choose a key, or to refuse the token: it
 * grants nothing. Its text form never contains the token.
 */
public record UnverifiedToken(String text, ObjectNode header, ObjectNode claims) {
    /**
     * Reads a token; empty if the text is not a signed JWT. Each part must be in canonical base64, so that every
     * decoder reads the same bytes.
     */
    public static Optional<UnverifiedToken> read(String text) {
        try {
            var parts = text.split("\\.", -1);
            if (parts.length != 3) {
                return Optional.empty();
            }
            var token =
                    new UnverifiedToken(text, Json.readObject(decoded(parts[0])), Json.readObject(decoded(parts[1])));
            decoded(parts[2]);
            return Optional.of(token);
        } catch (IllegalArgumentException | Problem e) {
            return Optional.empty();
        }
    }

    private static byte[] decoded(String part) {
        var bytes = Base64.getUrlDecoder().decode(part);
        if (!Base64.getUrlEncoder().withoutPadding().encodeToString(bytes).equals(part)) {
            throw new IllegalArgumentException("not canonical");
        }
        return bytes;
    }

    /** Returns the id of the key that the token names; null if it names none. */
    public @Nullable String keyId() {
        return header.path("kid").isString() ? header.get("kid").asString() : null;
    }

    @Override
    public String toString() {
        return "unverified token";
    }
}
