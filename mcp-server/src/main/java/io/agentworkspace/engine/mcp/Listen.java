package io.agentworkspace.engine.mcp;

import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Opens the streams on which clients hear of changes: {@code subscriptions/listen}, and the stream of a session. */
final class Listen {
    static final int MAX_RESOURCES = 256;

    private static final Map<String, String> LISTS = Map.of(
            "toolsListChanged", Change.TOOLS,
            "promptsListChanged", Change.PROMPTS,
            "resourcesListChanged", Change.RESOURCES);

    private final Resources resources;
    private final Listeners listeners;
    private final Bounds bounds;

    Listen(Resources resources, Listeners listeners, Bounds bounds) {
        this.resources = resources;
        this.listeners = listeners;
        this.bounds = bounds;
    }

    /** Answers a listening request; its stream goes on. */
    void serve(Message message, Exchange exchange, Turn turn) {
        var asked = Methods.object(message.params(), "notifications");
        if (!exchange.takesEvents()) {
            throw Problem.invalid("the header Accept", "must hold text/event-stream, for the answer is a stream");
        }
        var agreed = Json.object();
        var wishes = wishes(asked, agreed, turn);
        var id = Objects.requireNonNull(message.id());
        var params = Json.object();
        params.set("notifications", agreed);
        Wishes.tag(params, id);
        open(exchange, new Listener.Purpose(id, null, 0), wishes)
                .start(Message.notification("notifications/subscriptions/acknowledged", params));
    }

    /** @param agreed gets those of the wishes that are honoured */
    private Wishes wishes(ObjectNode asked, ObjectNode agreed, Turn turn) {
        var lists = new LinkedHashSet<String>();
        for (var field : asked.propertyNames()) {
            var list = LISTS.get(field);
            if (list != null && asked.get(field).asBoolean(false)) {
                lists.add(list);
                agreed.put(field, true);
            }
        }
        var uris = uris(asked.get("resourceSubscriptions"));
        var watched = watched(uris, turn);
        if (!uris.isEmpty()) {
            var heard = agreed.putArray("resourceSubscriptions");
            uris.stream()
                    .filter(uri -> watched.values().stream().anyMatch(set -> set.contains(uri)))
                    .forEach(heard::add);
        }
        return new Wishes(lists, watched);
    }

    private static Set<String> uris(@Nullable JsonNode given) {
        var uris = new LinkedHashSet<String>();
        if (given != null && !given.isNull()) {
            if (!given.isArray() || given.valueStream().anyMatch(uri -> !uri.isString())) {
                throw Problem.wrongType("params.notifications.resourceSubscriptions", "an array of URIs");
            }
            if (given.size() > MAX_RESOURCES) {
                throw Problem.tooLarge(
                        "params.notifications.resourceSubscriptions", given.size(), MAX_RESOURCES, "URIs");
            }
            given.valueStream().forEach(uri -> uris.add(uri.asString()));
        }
        return uris;
    }

    /** What has to be watched for these URIs; those that the caller may not see are left out. */
    Map<Change, Set<String>> watched(Set<String> uris, Turn turn) {
        var watched = new LinkedHashMap<Change, Set<String>>();
        uris.forEach(uri -> resources
                .changes(uri, turn)
                .ifPresent(change -> watched.computeIfAbsent(change, _ -> new LinkedHashSet<>())
                        .add(uri)));
        return watched;
    }

    /** Opens the stream of a session, which hears of all lists. */
    Listener session(Exchange exchange, Listener.Purpose purpose, Set<String> uris, Turn turn) {
        return open(exchange, purpose, new Wishes(Set.copyOf(LISTS.values()), watched(uris, turn)));
    }

    private Listener open(Exchange exchange, Listener.Purpose purpose, Wishes wishes) {
        var places = bounds.of(exchange.caller().principal());
        if (!places.take()) {
            throw Problem.rateLimited(
                    "too many streams are open; end one of yours, or try again later", Duration.ofSeconds(5));
        }
        try {
            listeners.open(exchange.caller().tenant());
        } catch (Problem problem) {
            places.giveBack();
            throw problem;
        }
        var holder = new Listener[1];
        var listener = new Listener(exchange, purpose, wishes, bounds.patience(), () -> {
            places.giveBack();
            listeners.remove(holder[0]);
        });
        holder[0] = listener;
        listeners.add(listener);
        return listener;
    }
}
