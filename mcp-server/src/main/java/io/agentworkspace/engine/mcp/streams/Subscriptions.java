package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
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
 * @param lists the names of the lists whose changes it subscribes to
 * @param resources for each subscribed change, the URIs under which it was requested, or the results of {@link #task}
 */
public record Subscriptions(Set<String> lists, Map<SubscribedChange, Set<String>> resources) {
    private static final String LIST = "list:";
    private static final String TASK = "task:";

    /** The memory of an entry of the map with its key and its set, and that of a text and its place, besides the characters. */
    private static final int ENTRY = 300;

    private static final int TEXT = 100;

    public Subscriptions {
        lists = Set.copyOf(lists);
        resources = Map.copyOf(resources);
    }

    /** Returns the memory that they need, estimated. */
    long bytes() {
        return resources.entrySet().stream()
                .mapToLong(entry -> ENTRY
                        + entry.getKey().names().stream()
                                .mapToLong(Subscriptions::bytes)
                                .sum()
                        + entry.getValue().stream()
                                .mapToLong(Subscriptions::bytes)
                                .sum())
                .sum();
    }

    private static long bytes(String text) {
        return TEXT + 2L * text.length();
    }

    /** Returns what to report about this change: marked list names, and URIs. */
    Set<String> toldOf(SubscribedChange change) {
        return lists.contains(change.kind()) ? Set.of(LIST + change.kind()) : resources.getOrDefault(change, Set.of());
    }

    /**
     * Returns these subscriptions after a new look-up. A resource that is hidden at present stays subscribed, since it may
     * come back; each notification checks access.
     *
     * @param uris all URIs that are subscribed now
     * @param visible the changes of those that the caller may see
     */
    public Subscriptions renewed(Set<String> uris, Map<SubscribedChange, Set<String>> visible) {
        var all = new LinkedHashMap<SubscribedChange, Set<String>>();
        visible.forEach((change, found) -> all.put(change, new LinkedHashSet<>(found)));
        resources.forEach((change, resourceUris) -> resourceUris.stream()
                .filter(uris::contains)
                .forEach(uri ->
                        all.computeIfAbsent(change, _ -> new LinkedHashSet<>()).add(uri)));
        return new Subscriptions(lists, all);
    }

    /** Returns these subscriptions with tasks added. */
    Subscriptions with(Map<SubscribedChange, Set<String>> tasks) {
        if (tasks.isEmpty()) {
            return this;
        }
        var all = new LinkedHashMap<>(resources);
        all.putAll(tasks);
        return new Subscriptions(lists, all);
    }

    /** Returns the subscribed resources of installed servers, by the servers' names. */
    Map<String, Set<String>> ofUpstreams() {
        return resources.keySet().stream()
                .filter(SubscribedChange::isOfUpstream)
                .collect(Collectors.groupingBy(
                        change -> change.names().getFirst(),
                        Collectors.mapping(change -> change.names().getLast(), Collectors.toSet())));
    }

    /** Returns the marks of the subscribed tasks. */
    Set<String> tasks() {
        return resources.entrySet().stream()
                .filter(entry -> entry.getKey().kind().equals(SubscribedChange.TASK))
                .flatMap(entry -> entry.getValue().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns those of the URIs that are not subscribed yet. */
    public Set<String> unknown(Set<String> uris) {
        var unknown = new LinkedHashSet<>(uris);
        resources.values().forEach(unknown::removeAll);
        return unknown;
    }

    Set<String> everything() {
        var all = new LinkedHashSet<String>();
        lists.forEach(list -> all.add(LIST + list));
        resources.values().forEach(all::addAll);
        return all;
    }

    /** Returns the mark of a task among subscriptions. */
    static String task(String id) {
        return TASK + id;
    }

    /** Returns the task's id if this is the mark of a task. */
    static Optional<String> taskId(String what) {
        return what.startsWith(TASK) ? Optional.of(what.substring(TASK.length())) : Optional.empty();
    }

    /** Returns whether this is the mark of a list. Changes of lists are sent to every subscriber. */
    static boolean isList(String what) {
        return what.startsWith(LIST);
    }

    /** Returns the notification of a list or a resource. */
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
