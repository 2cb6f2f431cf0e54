package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.text.StorableText;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What an entry has besides the fields that a memory has. It is kept with the memory, within limits. */
final class Origins {
    /** The maximum length of an origin as JSON. */
    static final int MOST = 2_000;

    private static final int LONGEST_VALUE = 500;
    private static final int LONGEST_NAME = 100;

    /** The name under which the number of fields is kept that did not fit. */
    private static final String OMITTED = "omitted";

    /** An array of more numbers than this is an embedding, which only the model that made it understands. */
    private static final int MOST_NUMBERS = 16;

    private final ObjectNode origin = Json.object();
    private int size;

    ObjectNode json() {
        return origin;
    }

    /** Adds the fields that are not among the known ones. */
    void add(JsonNode entry, Set<String> known) {
        entry.properties().forEach(field -> {
            if (!known.contains(field.getKey())) {
                put(field.getKey(), field.getValue());
            }
        });
    }

    /** Adds a field if it fits. */
    void put(String name, JsonNode value) {
        if (isEmpty(value) || isEmbedding(value)) {
            return;
        }
        var text = StorableText.replaced(value.isString() ? value.asString() : storable(value));
        var kept = value.isString() || text.length() > LONGEST_VALUE
                ? Json.valueTree(Excerpt.of(text, LONGEST_VALUE))
                : Json.readValue(text, JsonNode.class);
        var key = Excerpt.of(StorableText.replaced(name), LONGEST_NAME);
        var more = Json.text(kept).length() + Json.text(Json.valueTree(key)).length() + 2;
        if (size + more > MOST - 100) {
            origin.put(OMITTED, origin.path(OMITTED).asInt(0) + 1);
        } else {
            size += more;
            origin.set(key, kept);
        }
    }

    /** Returns it as JSON, in which no escape stands for a character that the database cannot store. */
    private static String storable(JsonNode value) {
        return Json.text(value).replace("\\u0000", "\\uFFFD");
    }

    private static boolean isEmpty(JsonNode value) {
        return value.isNull()
                || value.isMissingNode()
                || value.isContainer() && value.isEmpty()
                || value.isString() && value.asString().isBlank();
    }

    private static boolean isEmbedding(JsonNode value) {
        return value.isArray()
                && value.size() > MOST_NUMBERS
                && value.valueStream().allMatch(JsonNode::isNumber);
    }
}
