package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.refusal.ToolRefusal;
import io.agentworkspace.engine.model.tool.Example;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Each tool refuses calls only with the errors that the hub lists for it. */
@Tag("slow")
class RefusalTest {
    private static final List<String> KINDS = List.of("user", "agent", "domain", "bank", "zone");

    private final TestTenant tenant = new TestTenant();
    private final String owner = key("owner", Role.OWNER);
    private final List<String> keys = List.of(owner, key("maria", Role.MEMBER));

    private String key(String user, Role role) {
        return tenant.key(ClientApi.MCP, user, role, List.of("*"));
    }

    @Test
    void toolsRefuseAsTheirPagesSay() {
        Stream.of("AP_Create", "DM_Create", "MB_Create").forEach(this::taken);
        var others = new ArrayList<String>();
        var seen = new ArrayList<String>();
        for (var tool : TestDatabase.catalogue().tools()) {
            var said = ToolRefusal.of(tool).stream()
                    .map(refusal -> refusal.failure().error())
                    .toList();
            for (var arguments : tries(tool)) {
                for (var key : keys) {
                    var error = ClientApi.MCP
                            .call(TestServer.url(), key, tool.name(), arguments)
                            .at("/status/error");
                    if (!error.isMissingNode()) {
                        seen.add(error.asString());
                        if (!said.contains(error.asString())) {
                            others.add(tool.name() + " " + error.asString() + " " + arguments);
                        }
                    }
                }
            }
        }
        assertThat(others).isEmpty();
        assertThat(seen)
                .contains(
                        "missing_field",
                        "invalid_field",
                        "no_context",
                        "not_permitted",
                        "not_found",
                        "already_exists",
                        "conflict");
    }

    private void taken(String service) {
        var arguments = Json.object();
        arguments.putObject("vx").put("name", "taken").put("description", "There already.");
        ClientApi.MCP.call(TestServer.url(), owner, service, arguments).ok();
    }

    /**
     * Returns no arguments, nonsense, the example, and variants of the example, as far as the tool has the field: without a
     * target, with an unknown one, with a taken name or an old revision.
     */
    private static List<ObjectNode> tries(Tool<?, ?> tool) {
        var example = Example.arguments(tool);
        var fields = tool.inputSchema().json().path("properties");
        if (fields.has("wait_seconds")) {
            example.put("wait_seconds", 0);
        }
        var tries = new ArrayList<>(List.of(Json.object(), Json.object().put("nonsense", 1), example));
        for (var kind : KINDS) {
            if (fields.at("/target/properties").has(kind)) {
                tries.add(with(example, "target", kind, Json.valueTree("nobody at all")));
            }
            if (example.path("target").has(kind)) {
                tries.add(with(example, "target", kind, null));
            }
        }
        for (var named : List.of("name", "agent", "path")) {
            if (tool.family() == Family.SKILL) {
                tries.add(example.deepCopy().put(named, "nobody-at-all"));
            }
        }
        if (fields.at("/vx/properties").has("name")) {
            tries.add(with(example, "vx", "name", Json.valueTree("taken")));
        }
        if (fields.has("if_revision")) {
            tries.add(example.deepCopy().put("if_revision", 77));
        }
        return tries.stream().distinct().toList();
    }

    private static ObjectNode with(ObjectNode example, String object, String field, @Nullable JsonNode value) {
        var changed = example.deepCopy();
        var inner = changed.withObject("/" + object);
        if (value == null) {
            inner.remove(field);
        } else {
            inner.set(field, value);
        }
        return changed;
    }
}
