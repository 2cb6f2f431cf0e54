package io.agentworkspace.engine.mcp.streams;

import io.agentworkspace.engine.kernel.streams.StreamLimits;
import io.agentworkspace.engine.kernel.wire.ClientInfo;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.Params;
import io.agentworkspace.engine.kernel.wire.RpcError;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.methods.ResourceMethods;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.mcp.tasks.McpTasks;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Cause;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/** Opens the streams that notify clients of changes: {@code subscriptions/listen}, and the stream of a session. */
public final class StreamOpener {
    public static final int MAX_RESOURCES = 256;

    /** Bounds the id of a listening request, which its stream keeps for hours. */
    private static final int LONGEST_ID = 1_000;

    private static final String URIS = "resourceSubscriptions";
    private static final String TASKS = "taskIds";

    private static final Map<String, String> LISTS = Map.of(
            "toolsListChanged", SubscribedChange.TOOLS,
            "promptsListChanged", SubscribedChange.PROMPTS,
            "resourcesListChanged", SubscribedChange.RESOURCES);

    private final ResourceMethods resources;
    private final McpTasks tasks;
    private final NotificationStreams notifications;
    private final StreamLimits bounds;

    public StreamOpener(
            ResourceMethods resources, McpTasks tasks, NotificationStreams notifications, StreamLimits bounds) {
        this.resources = resources;
        this.tasks = tasks;
        this.notifications = notifications;
        this.bounds = bounds;
    }

    /** Responds to a listening request. Its stream stays open. */
    public void serve(JsonRpcMessage message, McpExchange exchange, McpRequest request) {
        Params.checkTexts(message.method(), message.params());
        var filter = Params.object(message.params(), "notifications");
        if (!exchange.allowsEvents()) {
            throw Problem.invalid("the header Accept", "must allow text/event-stream, since the response is a stream")
                    .because(Cause.ACCEPT);
        }
        var id = Objects.requireNonNull(message.id());
        if (id.asString().length() > LONGEST_ID) {
            throw Problem.tooLarge("id", id.asString().length(), LONGEST_ID, "characters");
        }
        // From here on, losses of access are signalled, so none is missed after a look-up.
        notifications.hub().listen(request.caller().tenant());
        var agreed = Json.object();
        var subscriptions = subscriptionsOf(filter, agreed, exchange, request).with(tasks(filter, agreed, request));
        var params = Json.object();
        params.set("notifications", agreed);
        Subscriptions.tag(params, id);
        var lookUps = StreamOrigin.requestOf(exchange, request.client());
        var stream = open(exchange, new NotificationStream.Purpose(id, null, 0), subscriptions, lookUps);
        stream.start(JsonRpcMessage.notification("notifications/subscriptions/acknowledged", params));
        // A task may have changed before the stream listened.
        subscriptions.tasks().forEach(stream::deliver);
    }

    /** @param agreed receives the accepted subscriptions */
    private Subscriptions subscriptionsOf(
            ObjectNode filter, ObjectNode agreed, McpExchange exchange, McpRequest request) {
        var lists = new LinkedHashSet<String>();
        for (var field : filter.propertyNames()) {
            var list = LISTS.get(field);
            if (list != null && filter.get(field).asBoolean(false)) {
                lists.add(list);
                agreed.put(field, true);
            }
        }
        var uris = distinct(texts(filter, URIS, "URIs"));
        // The request itself counts for the first look-up.
        uris.stream().skip(1).forEach(_ -> exchange.countAnother());
        var watched = watched(uris, request);
        if (!uris.isEmpty()) {
            var heard = agreed.putArray(URIS);
            uris.stream()
                    .filter(uri -> watched.values().stream().anyMatch(set -> set.contains(uri)))
                    .forEach(heard::add);
        }
        return new Subscriptions(lists, watched);
    }

    /** Returns the first spelling of each address. */
    private Set<String> distinct(Set<String> uris) {
        var spelt = new LinkedHashMap<String, String>();
        for (var uri : uris) {
            ResourceMethods.checked("params.notifications." + URIS, uri);
            spelt.putIfAbsent(resources.canonical(uri), uri);
        }
        return new LinkedHashSet<>(spelt.values());
    }

    /** Returns those of the requested tasks that belong to the caller. */
    private Map<SubscribedChange, Set<String>> tasks(ObjectNode filter, ObjectNode agreed, McpRequest request) {
        var ids = texts(filter, TASKS, "task ids");
        if (!filter.has(TASKS)) {
            return Map.of();
        } else if (!request.client().takesTasks()) {
            throw RpcError.missingExtension(ClientInfo.TASKS);
        }
        var found = ids.isEmpty() ? ids : tasks.existing(request.caller(), ids);
        var heard = agreed.putArray(TASKS);
        ids.stream().filter(found::contains).forEach(heard::add);
        var tenant = request.caller().tenant();
        return found.stream()
                .collect(Collectors.toMap(
                        id -> new SubscribedChange(tenant, SubscribedChange.TASK, List.of(id)),
                        id -> Set.of(Subscriptions.task(id))));
    }

    private static Set<String> texts(ObjectNode filter, String field, String what) {
        var value = filter.get(field);
        var texts = new LinkedHashSet<String>();
        if (value != null && !value.isNull()) {
            if (!value.isArray() || value.valueStream().anyMatch(text -> !text.isString())) {
                throw Problem.wrongType("params.notifications." + field, "an array of " + what);
            }
            if (value.size() > MAX_RESOURCES) {
                throw Problem.tooLarge("params.notifications." + field, value.size(), MAX_RESOURCES, what);
            }
            value.valueStream().forEach(text -> texts.add(text.asString()));
        }
        return texts;
    }

    /** Returns the changes to watch for these URIs. One look-up each; URIs that the caller may not see are left out. */
    public Map<SubscribedChange, Set<String>> watched(Set<String> uris, McpRequest request) {
        var watched = new LinkedHashMap<SubscribedChange, Set<String>>();
        var access = notifications.access(request.caller().tenant());
        uris.forEach(uri -> access.readable(request.caller(), uri, () -> resources.changes(uri, request))
                .ifPresent(change -> watched.computeIfAbsent(change, _ -> new LinkedHashSet<>())
                        .add(uri)));
        return watched;
    }

    /**
     * Opens the stream of a session. It receives changes of all lists, and of the subscriptions as last looked up.
     *
     * @throws Problem {@code rate_limited} or {@code unavailable} if there is no room for it
     */
    public NotificationStream session(
            McpExchange exchange, NotificationStream.Purpose purpose, Set<String> uris, McpRequest request) {
        // From here on, losses of access are signalled, so none is missed after a look-up.
        notifications.hub().listen(request.caller().tenant());
        var subscriptions = new Subscriptions(Set.copyOf(LISTS.values()), watched(uris, request));
        return open(exchange, purpose, subscriptions, request);
    }

    /** Returns the notification of a change: the current state of a task, or a resource if the caller may still see it. */
    private Function<String, Optional<ObjectNode>> words(McpRequest request, NotificationStream.Purpose purpose) {
        var caller = request.caller();
        var access = notifications.access(caller.tenant());
        return what -> {
            var id = Subscriptions.taskId(what);
            if (id.isPresent()) {
                return tasks.find(caller, id.get()).map(task -> notification(task, purpose));
            }
            return Subscriptions.isList(what) || access.allows(caller, what, () -> resources.changes(what, request))
                    ? Optional.of(Subscriptions.notification(what, purpose.subscription()))
                    : Optional.empty();
        };
    }

    private static ObjectNode notification(ObjectNode task, NotificationStream.Purpose purpose) {
        Subscriptions.tag(task, Objects.requireNonNull(purpose.subscription()));
        return JsonRpcMessage.notification("notifications/tasks", task);
    }

    private NotificationStream open(
            McpExchange exchange, NotificationStream.Purpose purpose, Subscriptions subscriptions, McpRequest request) {
        var places = bounds.of(exchange.caller());
        places.take(StreamLimits.credential(exchange.request()) + subscriptions.bytes());
        var stream = new NotificationStream(exchange, purpose, subscriptions, words(request, purpose), places);
        notifications.hub().add(stream);
        return stream;
    }
}
