package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;

/** A caller in a test: a user of a tenant, with their own key. */
public interface TestCaller {
    Reply call(String service, ObjectNode arguments);

    /** Returns the caller who has this key, and uses this endpoint. */
    static TestCaller of(ClientApi api, String key) {
        return (service, arguments) -> api.call(TestServer.url(), key, service, arguments);
    }

    /** Calls a tool with arguments in JSON. Single quotes stand for double quotes, which are hard to read in Java. */
    default Reply call(String service, String arguments) {
        return call(service, Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    default Reply call(String service) {
        return call(service, Json.object());
    }
}
