package io.agentworkspace.engine.testing;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.node.ObjectNode;

/** A caller in a test: a user of a tenant, with a key of its own. */
public interface Person {
    Reply call(String service, ObjectNode arguments);

    /** Arguments in JSON; single quotes stand for double ones, so that they read well in Java. */
    default Reply call(String service, String arguments) {
        return call(service, Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    default Reply call(String service) {
        return call(service, Json.object());
    }
}
