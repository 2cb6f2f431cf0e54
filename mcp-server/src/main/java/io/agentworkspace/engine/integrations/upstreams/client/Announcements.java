package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.model.json.Json;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** Receives what a server announces to one of its clients. Implementations return quickly. */
public interface Announcements {
    /** Ignores all. */
    Announcements NONE = new Announcements() {
        @Override
        public void updated(Set<String> uris) {}

        @Override
        public void listsChanged() {}
    };

    /** Resources have changed, or may have. */
    void updated(Set<String> uris);

    /** The server has other tools, resources or prompts. */
    void listsChanged();

    /** Receives a notification of the server. */
    default void received(ObjectNode message) {
        switch (message.path("method").asString("")) {
            case "notifications/resources/updated" ->
                updated(Set.of(message.at("/params/uri").asString("")));
            case "notifications/tools/list_changed",
                    "notifications/resources/list_changed",
                    "notifications/prompts/list_changed" -> listsChanged();
            default -> {}
        }
    }

    /** Returns which announcements a server of 2026-07-28 is to send. */
    static ObjectNode filter(Set<String> uris) {
        var filter = Json.object()
                .put("toolsListChanged", true)
                .put("promptsListChanged", true)
                .put("resourcesListChanged", true);
        if (!uris.isEmpty()) {
            uris.forEach(filter.putArray("resourceSubscriptions")::add);
        }
        return filter;
    }
}
