package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Json;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a listener wants to hear of.
 *
 * @param lists the lists whose changes it wants to hear of, by their words
 * @param resources for each thing that may change the URIs under which it was asked for
 */
record Wishes(Set<String> lists, Map<Change, Set<String>> resources) {
    private static final String LIST = "list:";

    Wishes {
        lists = Set.copyOf(lists);
        resources = Map.copyOf(resources);
    }

    /** What is to be told of this change: lists, marked as such, and URIs. */
    Set<String> toldOf(Change change) {
        return lists.contains(change.kind()) ? Set.of(LIST + change.kind()) : resources.getOrDefault(change, Set.of());
    }

    Set<String> everything() {
        var all = new LinkedHashSet<String>();
        lists.forEach(list -> all.add(LIST + list));
        resources.values().forEach(all::addAll);
        return all;
    }

    /** The notification of a thing to be told. */
    static ObjectNode notification(String what, @Nullable JsonNode subscription) {
        var params = Json.object();
        if (subscription != null) {
            tag(params, subscription);
        }
        if (what.startsWith(LIST)) {
            return Message.notification("notifications/" + what.substring(LIST.length()) + "/list_changed", params);
        }
        return Message.notification("notifications/resources/updated", params.put("uri", what));
    }

    static void tag(ObjectNode object, JsonNode subscription) {
        object.putObject(Message.META).set(Message.meta("subscriptionId"), subscription);
    }
}
