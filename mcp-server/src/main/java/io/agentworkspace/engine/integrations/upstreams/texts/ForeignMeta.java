package io.agentworkspace.engine.integrations.upstreams.texts;

import io.agentworkspace.engine.model.json.Json;
import java.util.Locale;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Metadata of servers, without the keys by which the protocol and the engine speak to clients: no other server speaks for them. */
public final class ForeignMeta {
    private static final String META = "_meta";
    private static final String DATA = "structuredContent";

    /** Prefixes that only the protocol uses, as it says, and the engine's. */
    private static final Pattern RESERVED = Pattern.compile(
            "(?:[a-z0-9-]+\\.(?:modelcontextprotocol|mcp)|io\\.agentworkspace)(?:\\.[^/]*)?/.*", Pattern.DOTALL);

    private ForeignMeta() {}

    /** Returns the metadata that passes on. */
    public static ObjectNode passing(ObjectNode meta) {
        var passing = Json.object();
        meta.properties().stream()
                .filter(field -> !RESERVED.matcher(field.getKey().strip().toLowerCase(Locale.ROOT))
                        .matches())
                .forEach(field -> passing.set(field.getKey(), field.getValue()));
        return passing;
    }

    /** Takes the other keys out of a result, and of all content in it. Its structured content has no metadata: it is data. */
    public static void clean(JsonNode result) {
        if (result instanceof ObjectNode object && object.get(META) instanceof ObjectNode meta) {
            object.set(META, passing(meta));
        }
        result.properties().stream()
                .filter(field -> !field.getKey().equals(DATA) && !field.getKey().equals(META))
                .forEach(field -> clean(field.getValue()));
        if (result.isArray()) {
            result.forEach(ForeignMeta::clean);
        }
    }
}
