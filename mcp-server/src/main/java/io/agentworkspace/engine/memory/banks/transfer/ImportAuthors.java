package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.workspace.agents.AgentAccess;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The authors of imported memories. A name counts only if the caller may act as that agent or user: otherwise anybody who
 * may add to a bank could put words into another's mouth.
 */
final class ImportAuthors {
    private final Map<String, Ref> byKey = new HashMap<>();

    /** @param names all names that the lines have */
    ImportAuthors(ImportStore store, Call call, Set<String> names) {
        var keys = names.stream().map(Name::key).collect(Collectors.toSet());
        if (keys.isEmpty()) {
            return;
        }
        if (call.caller().boundAgent() == null) {
            byKey.putAll(store.users(call, keys));
        }
        store.agents(call, keys).forEach((key, agent) -> {
            if (!AgentAccess.missing(call, agent.ref(), agent.owner(), agent.ownerName())
                    .isRefused()) {
                byKey.put(key, agent.ref());
            }
        });
    }

    /** Returns whether one of the names is of this agent or user. */
    boolean has(long id) {
        return byKey.values().stream().anyMatch(ref -> ref.id() == id);
    }

    Optional<Ref> find(String name) {
        return Optional.ofNullable(byKey.get(Name.key(name)));
    }
}
