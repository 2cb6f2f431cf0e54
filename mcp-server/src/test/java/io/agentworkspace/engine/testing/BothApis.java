package io.agentworkspace.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A person who sends each call twice: over MCP in one tenant, and over REST in its twin. The two envelopes must be
 * equal except for ids and times. Where a call contains an id of the one tenant, the twin sends its own.
 */
final class BothApis implements TestCaller {
    private static final Pattern VARYING = Pattern.compile(
            "ek_[0-9A-Za-z]{12}_[0-9A-Za-z]{36}|ej_[0-9A-Za-z]{28}|whsec_[0-9A-Za-z+/]{43}=|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z|\\b[1-9]\\d{14}\\b");

    private final TestCaller mcp;
    private final TestCaller rest;
    private final Map<String, String> twins;

    /** @param twins the ids of the MCP tenant, with those of the REST tenant; shared by all persons of the pair */
    BothApis(TestCaller mcp, TestCaller rest, Map<String, String> twins) {
        this.mcp = mcp;
        this.rest = rest;
        this.twins = twins;
    }

    @Override
    public Reply call(String service, ObjectNode arguments) {
        var overMcp = mcp.call(service, arguments);
        var overRest = rest.call(service, translated(arguments));
        learn("", overMcp.envelope(), overRest.envelope());
        var rest = asInMcp(overRest.envelope());
        McpResult.complete(overMcp.envelope(), rest, service);
        var expected = steady(overMcp.envelope());
        var actual = steady(rest);
        if (!actual.equals(expected)) { // Texts are easier to compare for who reads the failure.
            assertThat(sorted(actual))
                    .as("%s returns the same over REST and MCP", service)
                    .isEqualTo(sorted(expected));
        }
        return overMcp;
    }

    private static String sorted(ObjectNode envelope) {
        return Json.pretty(Json.read(Json.canonical(envelope).getBytes(StandardCharsets.UTF_8)));
    }

    private ObjectNode translated(ObjectNode arguments) {
        var text = Json.text(arguments);
        for (var twin : new LinkedHashMap<>(twins).entrySet()) {
            text = text.replace(twin.getKey(), twin.getValue());
        }
        return Json.readObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private void learn(String name, JsonNode one, JsonNode other) {
        if (one.isString() && other.isString() && !one.equals(other)) {
            if (one.asString().length() >= 32 || name.equals("id")) {
                twins.put(one.asString(), other.asString());
            }
        } else if (one.isObject()) {
            one.propertyNames().forEach(inner -> learn(inner, one.get(inner), other.path(inner)));
        } else if (one.isArray() && one.size() == other.size()) {
            for (var i = 0; i < one.size(); i++) {
                learn(name, one.get(i), other.get(i));
            }
        }
    }

    /** Returns the envelope with the ids of the MCP tenant, so that ids without a recognisable form can be compared. */
    private ObjectNode asInMcp(ObjectNode envelope) {
        var text = Json.text(envelope);
        for (var twin : new LinkedHashMap<>(twins).entrySet()) {
            text = text.replace(twin.getValue(), twin.getKey());
        }
        return Json.readObject(text.getBytes(StandardCharsets.UTF_8));
    }

    private static ObjectNode steady(ObjectNode envelope) {
        var text = VARYING.matcher(Json.text(envelope)).replaceAll("#");
        var copy = Json.readObject(text.getBytes(StandardCharsets.UTF_8));
        ((ObjectNode) copy.get("header")).remove("request_id");
        copy.findParents("last_used_at") // Fields of keys that are written in the background.
                .forEach(key -> ((ObjectNode) key).remove(List.of("last_used_at", "last_client")));
        copy.remove("use"); // Searches are counted a little later.
        copy.findParents("last_seen_at").forEach(receipt -> ((ObjectNode) receipt).remove("last_seen_at"));
        for (var duration : List.of("p50_ms", "p99_ms", "waited_ms")) {
            copy.findParents(duration).forEach(figures -> ((ObjectNode) figures).put(duration, "#"));
        }
        copy.findValues("missed").stream() // Events get their numbers in the background.
                .filter(missed -> missed.has("after"))
                .forEach(missed -> ((ObjectNode) missed).put("after", "#"));
        if (copy.has("next_cursor")) {
            copy.put("next_cursor", "#");
        }
        return copy;
    }
}
