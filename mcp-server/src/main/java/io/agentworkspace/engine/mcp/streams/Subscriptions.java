package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.mcp.wire.Change;
import io.agentworkspace.engine.mcp.wire.JsonRpcMessage;
import io.agentworkspace.engine.model.json.Json;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The subscriptions of a listener.
 *
 * @param lists the lists whose changes it subscribes to, by name
 * @param resources for each thing that may change, the URIs under which it was requested; for tasks the result of
 *     {@link #task}
 */
public record Subscriptions(Set<String> lists, Map<Change, Set<String>> resources) {
    private static final String LIST = "list:";
    private static final String TASK = "task:";

    public Subscriptions {
        lists = Set.copyOf(lists);
        resources = Map.copyOf(resources);
    }

    /** What to report about this change: lists, marked as such, and URIs. */
    Set<String> toldOf(Change change) {
        return lists.contains(change.kind()) ? Set.of(LIST + change.kind()) : resources.getOrDefault(change, Set.of());
    }

    /** These wishes, and tasks. */
    Subscriptions with(Map<Change, Set<String>> tasks) {
        if (tasks.isEmpty()) {
            return this;
        }
        var all = new LinkedHashMap<>(resources);
        all.putAll(tasks);
        return new Subscriptions(lists, all);
    }

    /** The marks of the tasks. */
    Set<String> tasks() {
        return resources.entrySet().stream()
                .filter(entry -> entry.getKey().kind().equals(Change.TASK))
                .flatMap(entry -> entry.getValue().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    Set<String> everything() {
        var all = new LinkedHashSet<String>();
        lists.forEach(list -> all.add(LIST + list));
        resources.values().forEach(all::addAll);
        return all;
    }

    /** The mark of a task among what is told. */
    static String task(String id) {
        return TASK + id;
    }

    /** The id of the task, if it is one that is told of. */
    static Optional<String> taskId(String what) {
        return what.startsWith(TASK) ? Optional.of(what.substring(TASK.length())) : Optional.empty();
    }

    /** Whether it is a list: changes of lists are sent to everyone. */
    static boolean isList(String what) {
        return what.startsWith(LIST);
    }

    /** The notification of a list or a resource to be told. */
    static ObjectNode notification(String what, @Nullable JsonNode subscription) {
        var params = Json.object();
        if (subscription != null) {
            tag(params, subscription);
        }
        if (what.startsWith(LIST)) {
            return JsonRpcMessage.notification(
                    "notifications/" + what.substring(LIST.length()) + "/list_changed", params);
        }
        return JsonRpcMessage.notification("notifications/resources/updated", params.put("uri", what));
    }

    static void tag(ObjectNode object, JsonNode subscription) {
        object.putObject(JsonRpcMessage.META).set(JsonRpcMessage.meta("subscriptionId"), subscription);
    }
}
