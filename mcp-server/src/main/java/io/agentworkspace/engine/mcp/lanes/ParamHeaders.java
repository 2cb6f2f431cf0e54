package io.agentworkspace.engine.mcp.lanes;

import io.agentworkspace.engine.kernel.wire.EncodedHeader;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.mcp.streams.McpExchange;
import java.math.BigDecimal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Compares a tool's arguments with the headers {@code Mcp-Param-<name>} that repeat them, where its schema
 * declares {@code x-mcp-header}.
 */
final class ParamHeaders {
    private static final String PREFIX = "Mcp-Param-";

    private ParamHeaders() {}

    /** @throws RpcError if a header and its argument differ */
    static void check(JsonNode schema, ObjectNode arguments, McpExchange exchange) {
        if (schema.get("properties") instanceof ObjectNode properties) {
            for (Map.Entry<String, JsonNode> property : properties.properties()) {
                check(property, arguments, exchange);
            }
        }
    }

    private static void check(Map.Entry<String, JsonNode> property, ObjectNode arguments, McpExchange exchange) {
        var schema = property.getValue();
        var value = arguments.get(property.getKey());
        var header = schema.path("x-mcp-header").asString("");
        if (!header.isEmpty()) {
            compare(PREFIX + header, value, exchange);
        } else if (schema.has("properties")) {
            check(schema, value instanceof ObjectNode inner ? inner : arguments.objectNode(), exchange);
        }
    }

    private static void compare(String name, @Nullable JsonNode value, McpExchange exchange) {
        var header = exchange.header(name);
        if (value == null || value.isNull()) {
            if (header != null) {
                throw mismatch("the header %s came, but the argument that it repeats did not", name, exchange);
            }
            return;
        }
        if (header == null) {
            throw mismatch("the header %s is missing: it repeats an argument", name, exchange);
        }
        if (!EncodedHeader.decode(header).map(text -> isSame(text, value)).orElse(false)) {
            throw mismatch("the header %s differs from the argument that it repeats", name, exchange);
        }
    }

    private static boolean isSame(String text, JsonNode value) {
        if (!value.isNumber()) {
            return value.isValueNode() && text.equals(value.asString());
        }
        try {
            return text.length() < 100 && new BigDecimal(text).compareTo(value.decimalValue()) == 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static RpcError mismatch(String note, String name, McpExchange exchange) {
        return RpcError.headerMismatch(note.formatted(name), exchange.requestId());
    }
}
