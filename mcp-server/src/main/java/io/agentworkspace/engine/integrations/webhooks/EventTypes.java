package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.HashSet;
import java.util.List;

/** Parses the event types in arguments. */
final class EventTypes {
    /** All types, including future ones. */
    static final String ALL = "*";

    private EventTypes() {}

    /** @throws Problem {@code invalid_field} that names the nearest type */
    static EventType one(String field, String word) {
        return EventType.find(word).orElseThrow(() -> {
            var near = Near.nearest(word, EventType.words(), 1);
            var hint = near.isEmpty() ? "" : "did you mean %s? ".formatted(near.getFirst());
            return Problem.invalid(
                    field,
                    "is '%s', which is no event type; %sWH_Events lists them, and %s"
                            .formatted(Name.shortened(word), hint, "an endpoint's [\"*\"] means all"));
        });
    }

    /** Returns the subscribed types without duplicates, or {@link #ALL}. */
    static List<String> many(List<String> words) {
        if (words.isEmpty()) {
            throw Problem.invalid("events", "must name at least one event type, or be [\"*\"] for all");
        }
        if (words.equals(List.of(ALL))) {
            return words;
        }
        var seen = new HashSet<String>();
        for (var word : words) {
            if (word.equals(ALL)) {
                throw Problem.invalid("events", "must be [\"*\"] alone for all types, or name types without it");
            }
            one("events", word);
            if (!seen.add(word)) {
                throw Problem.invalid("events", "has %s twice: name each type once".formatted(word));
            }
        }
        return words;
    }
}
