package io.agentworkspace.engine.rest;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import tools.jackson.databind.node.ObjectNode;

/** Where there is no demo. */
record NoDemo() implements DemoControl {
    @Override
    public ObjectNode state(Caller caller) {
        return Json.object().put("state", "none");
    }

    @Override
    public ObjectNode start(Caller caller, int seconds) {
        return state(caller);
    }

    @Override
    public ObjectNode pause(Caller caller) {
        return state(caller);
    }

    @Override
    public ObjectNode resume(Caller caller) {
        return state(caller);
    }

    @Override
    public ObjectNode replay(Caller caller) {
        return state(caller);
    }

    @Override
    public void remove(Caller caller) {}
}
